"""Writes the Sobol direction numbers and the golden points of the tests, both from SciPy.

The numbers are those of S. Joe and F. Y. Kuo (2008), "Constructing Sobol sequences with better two-dimensional projections"
(set D6), as SciPy ships them. Run from the repository root; needs scipy:  python scripts/golden/sobol.py
"""

import os

import numpy as np
import scipy.stats
from scipy.stats import qmc

TABLE = "crates/neuralbo/src/linalg/sobol/joe_kuo_d6.bin"
GOLDEN = "crates/neuralbo/tests/data/sobol.csv"
MAX_DEGREE = 15  # all polynomials and initial numbers up to this degree fit in 16 bits


def write_table():
    """Per dimension after the first: the polynomial, then its degree's initial numbers, as little-endian 16-bit words."""
    data = np.load(os.path.join(os.path.dirname(scipy.stats.__file__), "_sobol_direction_numbers.npz"))
    words, dimensions = [], 1
    for polynomial, initial in zip(data["poly"][1:], data["vinit"][1:]):
        degree = int(polynomial).bit_length() - 1
        if degree > MAX_DEGREE:
            break
        words += [polynomial, *initial[:degree]]
        dimensions += 1
    np.array(words, dtype="<u2").tofile(TABLE)
    return dimensions


def write_golden(dimensions):
    """Rows `index, coordinate, value` of the unscrambled sequence; the values are exact in binary."""
    with open(GOLDEN, "w") as out:
        out.write("index,coordinate,value\n")
        for start, count in [(0, 9), (1000, 3), (123456, 2)]:
            sampler = qmc.Sobol(dimensions, scramble=False, bits=32)
            points = sampler.fast_forward(start).random(count) if start else sampler.random(count)
            for row, point in enumerate(points):
                for coordinate in [0, 1, 2, 3, 5, 10, 50, 250, 999, 1200, 2047, dimensions - 1]:
                    out.write(f"{start + row},{coordinate},{point[coordinate]!r}\n".replace("np.float64(", "").replace(")", ""))


if __name__ == "__main__":
    total = write_table()
    write_golden(total)
    print(total, "dimensions")
