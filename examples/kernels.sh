#!/bin/sh
# The loss of a simulated support vector machine. Usage: kernels.sh KERNEL C [--gamma GAMMA] [--degree DEGREE]
# A linear kernel has no gamma, and only a polynomial one has a degree.
set -eu
kernel=$1 c=$2 gamma= degree=
shift 2
while [ $# -gt 0 ]; do
    case $1 in
    --gamma) gamma=$2 ;;
    --degree) degree=$2 ;;
    *) echo "unknown argument $1" >&2 && exit 2 ;;
    esac
    shift 2
done
case $kernel/${gamma:+gamma}/${degree:+degree} in
linear// | rbf/gamma/ | poly/gamma/degree) ;;
*) echo "kernel $kernel with gamma '$gamma' and degree '$degree'" >&2 && exit 2 ;;
esac
awk -v kernel="$kernel" -v c="$c" -v gamma="${gamma:-1}" -v degree="${degree:-1}" 'BEGIN {
    loss = 0.02 * (log(c) - 1)^2
    if (kernel == "linear") loss += 0.3
    if (kernel == "rbf") loss += 0.1 + 0.03 * (log(gamma) + 2)^2
    if (kernel == "poly") loss += 0.2 + 0.03 * log(gamma)^2 + 0.1 * (degree - 3)^2
    print loss
}'
