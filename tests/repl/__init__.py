"""Tests of the interactive simulator."""
