"""Tests of the reader of sacct dumps."""
