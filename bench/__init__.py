"""Benchmarks: peers that speak the lab's protocol, tasks with objectives in Python, and their report. See README.md."""
