"""A simulator with an outcome constraint: the lightest beam whose stress stays below 160 MPa.

    python examples/python/simulator_with_limit.py

The stress is not known before a beam has been simulated, so it cannot be a constraint of the space: it is an outcome constraint, and
every trial measures it together with the mass. The lightest beam lies on the border of what is allowed, where mass and stress meet.
"""

from __future__ import annotations

import neuralbo

SPACE = neuralbo.Space({"width": neuralbo.Float(5.0, 80.0), "height": neuralbo.Float(10.0, 120.0)})
LIMIT = 160.0


def simulate(beam: dict[str, float]) -> dict[str, float]:
    """Mass in kg, stress in MPa and slenderness of a cantilever of 1 m under 500 N."""
    width, height = beam["width"], beam["height"]
    mass = 7.85e-6 * width * height * 1000.0
    stress = 6.0 * 500.0 * 1000.0 / (width * height**2)
    return {"mass": mass, "stress": stress, "slenderness": height / width}


def main() -> None:
    result = neuralbo.minimize(
        simulate,
        SPACE,
        objectives=["mass:minimize"],
        outcome_constraints=[f"stress <= {LIMIT}", "slenderness <= 6"],
        n_trials=40,
        seed=1,
    )
    best = result.best
    assert best is not None, "no feasible trial"
    print(f"mass {best.measured['mass']:.3f} kg, stress {best.measured['stress']:.1f} MPa, {result.x}")
    # width·height² = 18750 and height = 6·width: the exact answer is a width of (18750/36)^(1/3) = 8.046 mm.
    exact = 7.85e-3 * 6.0 * (18750.0 / 36.0) ** (2.0 / 3.0)
    assert best.measured["stress"] <= LIMIT and best.measured["mass"] <= 1.01 * exact, (best, exact)


if __name__ == "__main__":
    main()
