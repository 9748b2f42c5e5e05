"""Benchmarks that need Python."""
