"""The replay of a workload, and what comes out of it."""
