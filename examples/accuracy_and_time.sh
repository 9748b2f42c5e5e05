#!/bin/sh
# A program with two objectives: a wider network is more accurate but slower. Prints its error, milliseconds per
# prediction and memory in megabytes as one JSON object on the last line.
awk -v width="$1" -v dropout="$2" 'BEGIN {
    error = 0.05 + 0.6 / sqrt(width) + (dropout - 0.2)^2
    time = 0.5 + width / 64
    memory = 20 + width * width / 512
    printf "{\"error\": %.6f, \"time\": %.6f, \"memory\": %.3f}\n", error, time, memory
}'
