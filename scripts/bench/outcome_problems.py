"""The constrained problems of the comparison, as plain functions: values to be minimized under `slack >= 0`.

Each problem: name, bounds, value(x), slacks(x) (one a bound, satisfied where >= 0) and the best feasible value of the literature. The formulas
are written a second time in crates/neuralbo-lab/src/problems/outcomes; a golden file compares both (scripts/golden/outcomes.py).
"""

from math import cos, pi, sin, sqrt
from typing import Callable, NamedTuple


class Problem(NamedTuple):
    name: str
    bounds: list
    value: Callable
    slacks: Callable
    best: float

    @property
    def dim(self):
        return len(self.bounds)


def gardner1_value(x):
    return cos(2 * x[0]) * cos(x[1]) + sin(x[0])


def gardner1_slacks(x):
    return [0.5 - (cos(x[0]) * cos(x[1]) - sin(x[0]) * sin(x[1]))]


def gardner2_value(x):
    return sin(x[0]) + x[1]


def gardner2_slacks(x):
    return [-0.95 - sin(x[0]) * sin(x[1])]


def gramacy_value(x):
    return x[0] + x[1]


def gramacy_slacks(x):
    a, b = x
    return [a + 2 * b + 0.5 * sin(2 * pi * (a * a - 2 * b)) - 1.5, 1.5 - a * a - b * b]


def g04_value(x):
    a, _, c, _, e = x
    return 5.3578547 * c * c + 0.8356891 * a * e + 37.293239 * a - 40792.141


def g04_slacks(x):
    a, b, c, d, e = x
    u = 85.334407 + 0.0056858 * b * e + 0.0006262 * a * d - 0.0022053 * c * e
    v = 80.51249 + 0.0071317 * b * e + 0.0029955 * a * b + 0.0021813 * c * c
    w = 9.300961 + 0.0047026 * c * e + 0.0012547 * a * c + 0.0019085 * c * d
    return [92 - u, u, 110 - v, v - 90, 25 - w, w - 20]


def g06_value(x):
    return (x[0] - 10) ** 3 + (x[1] - 20) ** 3


def g06_slacks(x):
    return [(x[0] - 5) ** 2 + (x[1] - 5) ** 2 - 100, 82.81 - (x[0] - 6) ** 2 - (x[1] - 5) ** 2]


def g07_value(x):
    a, b, c, d, e, f, g, h, i, j = x
    return (
        a * a + b * b + a * b - 14 * a - 16 * b + (c - 10) ** 2 + 4 * (d - 5) ** 2 + (e - 3) ** 2 + 2 * (f - 1) ** 2
        + 5 * g * g + 7 * (h - 11) ** 2 + 2 * (i - 10) ** 2 + (j - 7) ** 2 + 45
    )


def g07_slacks(x):
    a, b, c, d, e, f, g, h, i, j = x
    return [
        105 - 4 * a - 5 * b + 3 * g - 9 * h,
        -10 * a + 8 * b + 17 * g - 2 * h,
        8 * a - 2 * b - 5 * i + 2 * j + 12,
        -3 * (a - 2) ** 2 - 4 * (b - 3) ** 2 - 2 * c * c + 7 * d + 120,
        -5 * a * a - 8 * b - (c - 6) ** 2 + 2 * d + 40,
        -a * a - 2 * (b - 2) ** 2 + 2 * a * b - 14 * e + 6 * f,
        -0.5 * (a - 8) ** 2 - 2 * (b - 4) ** 2 - 3 * e * e + f + 30,
        3 * a - 6 * b - 12 * (i - 8) ** 2 + 7 * j,
    ]


def g09_value(x):
    a, b, c, d, e, f, g = x
    return (
        (a - 10) ** 2 + 5 * (b - 12) ** 2 + c**4 + 3 * (d - 11) ** 2 + 10 * e**6 + 7 * f * f + g**4 - 4 * f * g - 10 * f - 8 * g
    )


def g09_slacks(x):
    a, b, c, d, e, f, g = x
    return [
        127 - 2 * a * a - 3 * b**4 - c - 4 * d * d - 5 * e,
        282 - 7 * a - 3 * b - 10 * c * c - d + e,
        196 - 23 * a - b * b - 6 * f * f + 8 * g,
        -4 * a * a - b * b + 3 * a * b - 2 * c * c - 5 * f + 11 * g,
    ]


def welded_beam_value(x):
    h, length, t, b = x
    return 1.10471 * h * h * length + 0.04811 * t * b * (14 + length)


def welded_beam_slacks(x):
    h, length, t, b = x
    force, span, young, shear = 6000.0, 14.0, 30e6, 12e6
    moment = force * (span + length / 2)
    radius = sqrt(length * length / 4 + ((h + t) / 2) ** 2)
    polar = 2 * sqrt(2) * h * length * (length * length / 12 + ((h + t) / 2) ** 2)
    primary, secondary = force / (sqrt(2) * h * length), moment * radius / polar
    stress = sqrt(primary**2 + 2 * primary * secondary * length / (2 * radius) + secondary**2)
    bending = 6 * force * span / (b * t * t)
    deflection = 4 * force * span**3 / (young * t**3 * b)
    buckling = 4.013 * young * sqrt(t * t * b**6 / 36) / span**2 * (1 - t / (2 * span) * sqrt(young / (4 * shear)))
    cost = 0.10471 * h * h + 0.04811 * t * b * (14 + length)
    return [13600 - stress, 30000 - bending, b - h, 5 - cost, h - 0.125, 0.25 - deflection, buckling - force]


def pressure_vessel_value(x):
    shell, head, radius, length = x
    return (
        0.6224 * shell * radius * length + 1.7781 * head * radius**2 + 3.1661 * shell**2 * length + 19.84 * shell**2 * radius
    )


def pressure_vessel_slacks(x):
    shell, head, radius, length = x
    volume = pi * radius**2 * length + 4 / 3 * pi * radius**3
    return [shell - 0.0193 * radius, head - 0.00954 * radius, volume - 1_296_000]


def speed_reducer_value(x):
    a, b, c, d, e, f, g = x
    return (
        0.7854 * a * b * b * (3.3333 * c * c + 14.9334 * c - 43.0934)
        - 1.508 * a * (f * f + g * g) + 7.4777 * (f**3 + g**3) + 0.7854 * (d * f * f + e * g * g)
    )


def speed_reducer_slacks(x):
    a, b, c, d, e, f, g = x
    return [
        1 - 27 / (a * b * b * c),
        1 - 397.5 / (a * b * b * c * c),
        1 - 1.93 * d**3 / (b * c * f**4),
        1 - 1.93 * e**3 / (b * c * g**4),
        1100 - sqrt((745 * d / (b * c)) ** 2 + 16.9e6) / (0.1 * f**3),
        850 - sqrt((745 * e / (b * c)) ** 2 + 157.5e6) / (0.1 * g**3),
        40 - b * c,
        12 - a / b,
        a / b - 5,
        d - 1.5 * f - 1.9,
        e - 1.1 * g - 1.9,
    ]


def spring_value(x):
    wire, coil, turns = x
    return (turns + 2) * coil * wire * wire


def spring_slacks(x):
    wire, coil, turns = x
    shear = (4 * coil * coil - wire * coil) / (12566 * (coil * wire**3 - wire**4)) + 1 / (5108 * wire * wire)
    return [
        coil**3 * turns / (71785 * wire**4) - 1,
        1 - shear,
        140.45 * wire / (coil * coil * turns) - 1,
        1.5 - wire - coil,
    ]


PROBLEMS = {
    problem.name: problem
    for problem in [
        Problem("g04", [(78, 102), (33, 45)] + [(27, 45)] * 3, g04_value, g04_slacks, -30665.538671783),
        Problem("g06", [(13, 100), (0, 100)], g06_value, g06_slacks, -6961.813875580),
        Problem("g07", [(-10, 10)] * 10, g07_value, g07_slacks, 24.306209068),
        Problem("g09", [(-10, 10)] * 7, g09_value, g09_slacks, 680.630057374),
        Problem("gardner1", [(0, 6)] * 2, gardner1_value, gardner1_slacks, -2.0),
        Problem("gardner2", [(0, 6)] * 2, gardner2_value, gardner2_slacks, 0.253235897503),
        Problem("gramacy", [(0, 1)] * 2, gramacy_value, gramacy_slacks, 0.599788052),
        Problem(
            "pressure-vessel", [(0.0625, 6.1875)] * 2 + [(10, 200)] * 2, pressure_vessel_value, pressure_vessel_slacks, 5885.3327736
        ),
        Problem(
            "speed-reducer",
            [(2.6, 3.6), (0.7, 0.8), (17, 28), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5, 5.5)],
            speed_reducer_value, speed_reducer_slacks, 2994.471066,
        ),
        Problem("spring", [(0.05, 2), (0.25, 1.3), (2, 15)], spring_value, spring_slacks, 0.012665233),
        Problem("welded-beam", [(0.125, 10)] + [(0.1, 10)] * 3, welded_beam_value, welded_beam_slacks, 1.724852309),
    ]
}
