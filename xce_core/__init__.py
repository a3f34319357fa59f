"""The scheduler core: model, decisions and accounting, without input or output."""
