"""The decision trace: why a job was selected, what was tried, and what came of it."""

from xce_plugins.trace.tracing import TracePlugin

plugin = TracePlugin()
"""The instance that is registered."""
