"""Policies that plugins bring, from the outside."""
