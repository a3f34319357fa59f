"""The interactive simulator: commands, breakpoints and the loop around a replay."""
