"""Benchmarks: whole processes run alternately, reported as ratios."""
