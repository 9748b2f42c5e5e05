"""Benchmarks: peers that speak the lab's protocol, tasks with objectives in Python, and their report. See README.md."""

import os

# Before any library starts its threads: every run has one core.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "NEURALBO_THREADS"):
    os.environ[_name] = "1"
