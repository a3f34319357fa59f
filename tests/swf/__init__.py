"""Tests of the SWF reader."""
