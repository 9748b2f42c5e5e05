"""Fits the polynomials of crates/neuralbo/src/linalg/fastmath/tables.rs and prints that file.

Each function is interpolated at Chebyshev nodes in 60-digit arithmetic, then written in powers of its variable.
Needs mpmath and numpy:  python fit_fastmath.py > crates/neuralbo/src/linalg/fastmath/tables.rs
and then rustfmt.
"""

import mpmath as mp
import numpy as np

mp.mp.dps = 60


def fit(function, low, high, degree):
    """Power-series coefficients (constant first) of the Chebyshev interpolant of `function` on [low, high]."""
    count = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (mp.mpf(k) + 0.5) / count) for k in range(count)]
    matrix = mp.matrix(count, count)
    for row, x in enumerate(nodes):
        for column in range(count):
            matrix[row, column] = x**column
    return list(mp.lu_solve(matrix, mp.matrix([function(x) for x in nodes])))


def mills(x):
    """Mills ratio (1 - Phi(x)) / phi(x); its asymptotic series where erfc underflows even here."""
    if x > mp.mpf(10) ** 6:
        return 1 / x - 1 / x**3 + 3 / x**5
    return mp.sqrt(mp.pi / 2) * mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2))


def mapped_mills(center):
    """(x + a) R(x) as a function of t = (x - a) / (x + a)."""

    def function(t):
        x = center * (1 + t) / (1 - t)
        return (x + center) * mills(x)

    return function


def quotient(function, limit):
    """`function`, continued by its limit at 0."""
    return lambda x: limit if abs(x) < mp.mpf(10) ** -25 else function(x)


def split(value, bits, parts):
    """Leading parts of `value` with so many significant bits each, then the rest."""
    pieces, rest = [], value
    for _ in range(parts):
        exponent = mp.floor(mp.log(abs(rest), 2)) + 1
        scale = mp.mpf(2) ** (bits - exponent)
        piece = mp.floor(rest * scale) / scale
        pieces.append(piece)
        rest -= piece
    return pieces + [rest]


HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.0001")
QUARTER = (mp.pi / 4 * mp.mpf("1.0001")) ** 2
SETUPS = {
    "f64": dict(cast=float, exp=10, mills=(mp.mpf(4), 23), sin=6, cos=6, ln2_bits=40, half_pi_bits=33, half_pi_parts=2),
    "f32": dict(
        cast=np.float32, exp=5, mills=(mp.mpf(2), 11), sin=2, cos=3, ln2_bits=15, half_pi_bits=10, half_pi_parts=3
    ),
}


def tables(setup):
    """The named polynomials of one width."""
    center, degree = setup["mills"]
    yield "EXPM1", "(eʳ − 1)/r in r, |r| ≤ ln 2 / 2", fit(quotient(lambda r: mp.expm1(r) / r, mp.mpf(1)), -HALF_LN2, HALF_LN2, setup["exp"])
    yield "MILLS", "(x + a)·R(x) in t = (x − a)/(x + a), x ≥ 0", fit(mapped_mills(center), mp.mpf(-1), mp.mpf(1), degree)
    yield "SIN", "(sin r − r)/r³ in r², |r| ≤ π/4", fit(
        quotient(lambda y: (mp.sin(mp.sqrt(y)) / mp.sqrt(y) - 1) / y, -mp.mpf(1) / 6), mp.mpf(0), QUARTER, setup["sin"]
    )
    yield "COS", "(cos r − 1)/r² in r², |r| ≤ π/4", fit(
        quotient(lambda y: (mp.cos(mp.sqrt(y)) - 1) / y, -mp.mpf(1) / 2), mp.mpf(0), QUARTER, setup["cos"]
    )
    yield "LN_2", "ln 2 in parts; a multiple of the first is exact", split(mp.log(2), setup["ln2_bits"], 1)
    yield "HALF_PI", "π/2 in parts; multiples of all but the last are exact", split(mp.pi / 2, setup["half_pi_bits"], setup["half_pi_parts"])


def literal(value):
    text = repr(float(value)) if isinstance(value, float) and not isinstance(value, np.floating) else np.format_float_scientific(value, unique=True)
    text = text.replace("e+00", "").replace("e-0", "e-").replace("e+0", "e")
    return text + "0" if text.endswith(".") else text.replace(".e", ".0e")


def main():
    print("//! Polynomials of the fast kernels, constant term first; printed by `scripts/golden/fit_fastmath.py`.\n")
    print("// Some coefficients happen to be near named constants; they are fits all the same.\n#![allow(clippy::approx_constant)]\n")
    for name, setup in SETUPS.items():
        print(f"/// Coefficients in `{name}`.\npub mod {name}_tables {{")
        print(f"    /// The centre a of the map t = (x − a)/(x + a).\n    pub const MILLS_CENTER: {name} = {literal(setup['cast'](setup['mills'][0]))};")
        for label, meaning, values in tables(setup):
            numbers = ", ".join(literal(setup["cast"](value)) for value in values)
            print(f"    /// {meaning}.\n    pub const {label}: [{name}; {len(values)}] = [{numbers}];")
        print("}\n" if name == "f64" else "}")


if __name__ == "__main__":
    main()
