"""Decisions as functions of values; no I/O."""
