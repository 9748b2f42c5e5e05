#!/bin/sh
# A cantilever of 1 m under 500 N: mass in kg and maximum stress in MPa. Usage: beam.sh WIDTH HEIGHT (both in mm)
set -eu
awk -v width="$1" -v height="$2" 'BEGIN {
    mass = 7.85e-6 * width * height * 1000
    stress = 6 * 500 * 1000 / (width * height^2)
    printf "{\"mass\": %.9g, \"stress\": %.9g}\n", mass, stress
}'
