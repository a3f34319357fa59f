"""Plugins that come with the scheduler."""
