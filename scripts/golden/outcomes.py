"""Values and slacks of the problems with outcome constraints, apart from the lab: those of the G functions are pymoo's.

Writes crates/neuralbo-lab/tests/data/outcomes_golden.csv: problem, coordinates, value, slacks (satisfied where >= 0, one per
bound), separated by semicolons. Run from the repository root:
    pip install pymoo==0.6.2
    python scripts/golden/outcomes.py
"""

import random
from math import cos, pi, sin, sqrt
from pathlib import Path

import numpy as np
from pymoo.problems.single.g import G4, G6, G7, G9

OUT = Path("crates/neuralbo-lab/tests/data/outcomes_golden.csv")
POINTS = 10


def gardner1(x):
    value = cos(2 * x[0]) * cos(x[1]) + sin(x[0])
    return value, [0.5 - (cos(x[0]) * cos(x[1]) - sin(x[0]) * sin(x[1]))]


def gardner2(x):
    value = sin(x[0]) + x[1]
    return value, [-0.95 - sin(x[0]) * sin(x[1])]


def gramacy(x):
    a, b = x
    value = x[0] + x[1]
    return value, [a + 2 * b + 0.5 * sin(2 * pi * (a * a - 2 * b)) - 1.5, 1.5 - a * a - b * b]


def welded_beam(x):
    h, length, t, b = x
    value = 1.10471 * h * h * length + 0.04811 * t * b * (14 + length)
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
    return value, [13600 - stress, 30000 - bending, b - h, 5 - cost, h - 0.125, 0.25 - deflection, buckling - force]


def pressure_vessel(x):
    shell, head, radius, length = x
    value = (
        0.6224 * shell * radius * length + 1.7781 * head * radius**2 + 3.1661 * shell**2 * length + 19.84 * shell**2 * radius
    )
    volume = pi * radius**2 * length + 4 / 3 * pi * radius**3
    return value, [shell - 0.0193 * radius, head - 0.00954 * radius, volume - 1_296_000]


def speed_reducer(x):
    a, b, c, d, e, f, g = x
    value = (
        0.7854 * a * b * b * (3.3333 * c * c + 14.9334 * c - 43.0934)
        - 1.508 * a * (f * f + g * g) + 7.4777 * (f**3 + g**3) + 0.7854 * (d * f * f + e * g * g)
    )
    return value, [
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


def spring(x):
    wire, coil, turns = x
    value = (turns + 2) * coil * wire * wire
    shear = (4 * coil * coil - wire * coil) / (12566 * (coil * wire**3 - wire**4)) + 1 / (5108 * wire * wire)
    return value, [
        coil**3 * turns / (71785 * wire**4) - 1,
        1 - shear,
        140.45 * wire / (coil * coil * turns) - 1,
        1.5 - wire - coil,
    ]


def pymoo(problem, swapped=False):
    """A problem of pymoo, which has the lower bound of a quantity before the upper one (`swapped`)."""

    def evaluate(x):
        values, slacks = problem.evaluate(np.array(x), return_values_of=["F", "G"])
        slacks = [-float(g) for g in slacks]
        return float(values[0]), [slacks[i ^ 1] for i in range(len(slacks))] if swapped else slacks

    return evaluate


# Name: bounds, and value with slacks.
PROBLEMS = {
    "g04": ([(78, 102), (33, 45)] + [(27, 45)] * 3, pymoo(G4(), swapped=True)),
    "g06": ([(13, 100), (0, 100)], pymoo(G6())),
    "g07": ([(-10, 10)] * 10, pymoo(G7())),
    "g09": ([(-10, 10)] * 7, pymoo(G9())),
    "gardner1": ([(0, 6)] * 2, gardner1),
    "gardner2": ([(0, 6)] * 2, gardner2),
    "gramacy": ([(0, 1)] * 2, gramacy),
    "pressure-vessel": ([(0.0625, 6.1875)] * 2 + [(10, 200)] * 2, pressure_vessel),
    "speed-reducer": (
        [(2.6, 3.6), (0.7, 0.8), (17, 28), (7.3, 8.3), (7.3, 8.3), (2.9, 3.9), (5, 5.5)],
        speed_reducer,
    ),
    "spring": ([(0.05, 2), (0.25, 1.3), (2, 15)], spring),
    "welded-beam": ([(0.125, 10)] + [(0.1, 10)] * 3, welded_beam),
}


def row(name, draw):
    bounds, evaluate = PROBLEMS[name]
    x = [low + (high - low) * draw.random() for low, high in bounds]
    value, slacks = evaluate(x)
    return ";".join([name, *(" ".join(map(repr, numbers)) for numbers in (x, [value], slacks))])


def main():
    draw = random.Random(20231)
    rows = [row(name, draw) for name in PROBLEMS for _ in range(POINTS)]
    OUT.write_text("problem;x;value;slacks\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
