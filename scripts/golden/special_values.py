"""Prints crates/neuralbo/tests/data/special.csv: special functions in 50-digit arithmetic.

Each argument is a float exactly as written. Needs mpmath:  python special_values.py > crates/neuralbo/tests/data/special.csv
"""

import mpmath as mp

mp.mp.dps = 50
ROOT_TAU = mp.sqrt(2 * mp.pi)


def pdf(z):
    return mp.exp(-z * z / 2) / ROOT_TAU


def cdf(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def log_cdf(z):
    return mp.log1p(-cdf(-z)) if z > 0 else mp.log(cdf(z))


def with_digits(function):
    """Evaluates with enough digits to survive cancellation far in the tail."""

    def evaluate(z):
        with mp.workdps(60 + 2 * int(mp.log10(1 + abs(z)) + 1)):
            return function(z)

    return evaluate


def expected_improvement(z):
    return pdf(z) + z * cdf(z)


NORMAL = [-38.5, -38, -37, -30, -20.3, -10, -8.25, -6, -5, -4, -3, -2.5, -2, -1.5, -1.1, -1, -0.9, -0.5, -0.1, -1e-3, -1e-10, 0]
NORMAL += [1e-10, 1e-3, 0.1, 0.3, 0.5, 0.75, 1, 1.25, 1.7, 2, 3, 4, 5, 6, 8.3, 10, 20]
TAIL = [-1e6, -1e4, -1000, -200, -100, -51, -50, -49, -45, -40] + NORMAL + [100, 1e4, 1e6]
SMALL = [-20, -5, -1.001, -1, -0.999, -0.5, -0.1, -1e-5, 0, 1e-5, 0.1, 0.3, 0.999, 1, 1.001, 1.5, 2, 3, 5, 20]
EXPONENTS = [-745, -730.5, -708, -300, -100.25, -20, -1, -0.5, -0.34, -1e-9, 0, 1e-9, 0.34, 0.35, 1, 2, 10.5, 88, 300, 709]
ANGLES = [-9999.5, -5000, -1000, -100, -11, -7, -3, -1, -0.1, 0, 1e-8, 0.1, 0.7853981633974483, 0.8, 1, 1.5707963267948966]
ANGLES += [2, 2.356194490192345, 3, 3.141592653589793, 4, 5, 6, 6.283185307179586, 22, 355, 9999, 9998.0]

FUNCTIONS = {
    "normal_pdf": (pdf, NORMAL),
    "normal_cdf": (cdf, NORMAL),
    "log_normal_cdf": (with_digits(log_cdf), [z for z in TAIL if z < 30]),
    "mills": (lambda x: cdf(-x) / pdf(x), [-10, -3, -1, -0.1, 0, 0.1, 0.5, 1, 2, 3.5, 4, 5, 10, 30, 100, 1e4]),
    "log_ei_unit": (with_digits(lambda z: mp.log(expected_improvement(z))), TAIL),
    "log_ei_unit_slope": (with_digits(lambda z: cdf(z) / expected_improvement(z)), TAIL),
    "exp": (mp.exp, EXPONENTS),
    "tanh": (mp.tanh, SMALL),
    "sin": (mp.sin, ANGLES),
    "cos": (mp.cos, ANGLES),
}


def main():
    print("function,argument,value")
    for name, (function, arguments) in FUNCTIONS.items():
        for argument in arguments:
            value = function(mp.mpf(float(argument)))
            print(f"{name},{float(argument)!r},{mp.nstr(value, 20, min_fixed=0, max_fixed=0)}")


if __name__ == "__main__":
    main()
