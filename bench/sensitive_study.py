#!/usr/bin/env python3
"""Why detection does not follow the norm of the Jacobian: the sensitive samples of the paper's Figure 3, computed apart from our code.

    pip install numpy scipy
    python bench/sensitive_study.py ../shared/data/mnist > study.md      (five classifiers, about five minutes of one core)

Everything is written anew in numpy: the classifier 784-10-10 and its training, the norms in closed form, the tampered copies. Symbols:
p probabilities, h hidden units, x images of 7 x 7 pixels, U the matrix that enlarges them to 28 x 28.
"""

import gzip
import sys
from pathlib import Path

import numpy as np
from scipy.special import softmax
from scipy.stats import norm as normal
from scipy.stats import spearmanr

MEAN, SD = 0.1307, 0.3081
LOW, HIGH = -0.42421, 2.8215
NOISE = 0.04
OBJECTIVES = ["jacobian", "scalar", "probability"]


def read(folder, name):
    pixels = np.frombuffer(gzip.open(folder / f"{name}-images-idx3-ubyte.gz").read(), np.uint8, offset=16).reshape(-1, 784)
    return pixels, np.frombuffer(gzip.open(folder / f"{name}-labels-idx1-ubyte.gz").read(), np.uint8, offset=8).astype(int)


def bilinear(size, coarse):
    """How `size` pixels depend on `coarse` ones along one axis, pixels being areas."""
    matrix = np.zeros((size, coarse))
    for pixel in range(size):
        at = max((pixel + 0.5) * coarse / size - 0.5, 0.0)
        low = int(at)
        matrix[pixel, low] += 1 - (at - low)
        matrix[pixel, min(low + 1, coarse - 1)] += at - low
    return matrix


ENLARGE = np.einsum("ia,jb->ijab", bilinear(28, 7), bilinear(28, 7)).reshape(784, 49)
# What resizing the flat vector of 49 numbers to 28 x 28 gives: rows of equal pixels.
FLAT = np.repeat(bilinear(28, 49), 28, axis=0)


def train(images, labels, seed, epochs=10, batch=64, rate=0.02, momentum=0.5, decay=0.01):
    rng = np.random.default_rng(seed)
    uniform = lambda shape, inputs: (rng.uniform(-1, 1, shape) / np.sqrt(inputs)).astype(np.float32)
    theta = [uniform((10, 784), 784), uniform(10, 784), uniform((10, 10), 10), uniform(10, 10)]
    steps = [np.zeros_like(part) for part in theta]
    count = epochs * -(-len(images) // batch)
    left = count
    for _ in range(epochs):
        order = rng.permutation(len(images))
        for start in range(0, len(images), batch):
            chosen = order[start : start + batch]
            x = images[chosen]
            h = np.maximum(x @ theta[0].T + theta[1], 0)
            error = softmax(h @ theta[2].T + theta[3], axis=1)
            error[np.arange(len(chosen)), labels[chosen]] -= 1
            error /= len(chosen)
            back = (error @ theta[2]) * (h > 0)
            gradient = [back.T @ x + decay * theta[0], back.sum(0), error.T @ h + decay * theta[2], error.sum(0)]
            for part, step, slope in zip(theta, steps, gradient):
                step *= momentum
                step += slope
                part -= rate * left / count * step
            left -= 1
    return [part.astype(float) for part in theta]


class Network:
    def __init__(self, theta):
        self.w1, self.b1, self.w2, self.b2 = theta

    def flow(self, images):
        h = np.maximum(images @ self.w1.T + self.b1, 0)
        return h, softmax(h @ self.w2.T + self.b2, axis=1)

    def measures(self, images):
        """The three norms at images of 784 pixels, and what first order says of the label's change."""
        h, p = self.flow(images)
        rows = np.arange(len(p))
        order = np.argsort(p, 1)
        winner, second = order[:, -1], order[:, -2]
        log = np.eye(10)[None] - p[:, None, :]
        margin = np.log(p[rows, winner] / p[rows, second])
        difference = (np.eye(10)[winner] - np.eye(10)[second])[:, None, :]

        def size(by_logit):
            by_hidden = np.einsum("bki,ij->bkj", by_logit, self.w2) * (h > 0)[:, None, :]
            squares = lambda a: (a**2).sum((1, 2))
            return np.sqrt(squares(by_logit) * (1 + (h**2).sum(1)) + squares(by_hidden) * (1 + (images**2).sum(1)))

        return {
            "jacobian": size(log),
            "scalar": size(log[rows, winner][:, None, :]),
            "probability": size(p[:, :, None] * log),
            "margin": margin,
            "first order": normal.cdf(-margin / (NOISE * size(difference))),
            "label": winner,
            "active": h > 0,
        }


class Copies:
    """Tampered copies, as they see enlarged 7 x 7 images."""

    def __init__(self, network, seed, count):
        rng = np.random.default_rng(seed)
        self.network = network
        noisy = lambda weights: weights + NOISE * rng.standard_normal(weights.shape)
        parts = [(noisy(network.w1) @ ENLARGE, noisy(network.w2)) for _ in range(count)]
        self.w1, self.w2 = (np.array(part) for part in zip(*parts))

    def detect(self, x):
        """One row a copy, one column a 7 x 7 image: whether the label differs."""
        truth = self.network.flow(x @ ENLARGE.T)[1].argmax(1)
        h = np.maximum(np.einsum("mhi,bi->mbh", self.w1, x, optimize=True) + self.network.b1, 0)
        logits = np.einsum("mkh,mbh->mbk", self.w2, h, optimize=True) + self.network.b2
        return logits.argmax(2) != truth[None]


def greedy(detected, count):
    left, order = np.ones(len(detected), bool), []
    for _ in range(count):
        gain = (detected & left[:, None]).sum(0)
        gain[order] = -1
        order.append(int(gain.argmax()))
        left &= ~detected[:, order[-1]]
    return order


def coverage(active, count):
    """Each time the image with most hidden units that no chosen one has active; anew when all are covered."""
    left, order = np.ones(active.shape[1], bool), []
    for _ in range(count):
        gain = (active & left).sum(1)
        gain[order] = -1
        if gain.max() <= 0:
            left[:] = True
            gain = active.sum(1)
            gain[order] = -1
        order.append(int(gain.argmax()))
        left &= ~active[order[-1]]
    return order


def by_label(labels, values, count):
    """The best of every label, then the second best, …"""
    ranks = {}
    place = []
    for i in np.argsort(-values):
        ranks[labels[i]] = ranks.get(labels[i], -1) + 1
        place.append((ranks[labels[i]], len(place), i))
    return [i for _, _, i in sorted(place)[:count]]


def rules(measures, name, own, count=8):
    return {
        "first 8": list(range(count)),
        "largest norm": list(np.argsort(-measures[name])[:count]),
        "one a label": by_label(measures["label"], measures[name], count),
        "active units": coverage(measures["active"], count),
        "smallest margin": list(np.argsort(measures["margin"])[:count]),
        "greedy, own copies": greedy(own, count),
    }


def near(digit, count, rng):
    """Candidates near a digit as in the authors' later code: −0.2 to 0.7 around it, cosine at least 0.9."""
    x = np.clip(digit + rng.uniform(-0.2, 0.7, (count, 49)), LOW, HIGH)
    cosine = x @ digit / np.linalg.norm(x, axis=1) / np.linalg.norm(digit)
    return x[cosine >= 0.9] if (cosine >= 0.9).any() else x


def study(network, digits, seed, table):
    rng = np.random.default_rng(seed)
    copies, own = Copies(network, 100 + seed, 1000), Copies(network, 200 + seed, 300)
    enlarged = lambda x: network.measures(x @ ENLARGE.T)
    add = lambda key, value: table.setdefault(key, []).append(value)
    draw = {
        "uniform": lambda count: rng.uniform(LOW, HIGH, (count, 49)),
        "digits": lambda count: digits[rng.choice(len(digits), count, False)],
    }
    for source, candidates in draw.items():
        x = candidates(2000)
        measures, rate = enlarged(x), copies.detect(x).mean(0)
        for name in OBJECTIVES + ["margin", "first order"]:
            add(("correlation", name, source), spearmanr(measures[name], rate)[0])
        for name in OBJECTIVES:
            best = lambda x: x[enlarged(x)[name].argmax()]
            pool = np.array([best(candidates(200)) for _ in range(100)])
            measures, detected = enlarged(pool), copies.detect(pool)
            add(("set", name, source, "one sample"), detected.mean())
            add(("set", name, source, "8 drawn"), (1 - (1 - detected.mean(1)) ** 8).mean())
            for rule, chosen in rules(measures, name, own.detect(pool)).items():
                add(("set", name, source, rule), detected[:, chosen].any(1).mean())
    for what, matrix in [("no optimization", None), ("flattened image", FLAT), ("the image", ENLARGE)]:
        score = lambda x: rng.random(len(x)) if matrix is None else network.measures(x @ matrix.T)["scalar"]
        pool = []
        for _ in range(100):
            x = near(digits[rng.integers(len(digits))], 200, rng)
            pool.append(x[score(x).argmax()])
        # The released script writes 0.3081 (255 x + 0.1307) as the pixel and normalizes it again: black below zero, darker above.
        for kept, x in [("as found", np.array(pool)), ("as saved", np.maximum(pool, 0) - MEAN / SD)]:
            share = copies.detect(x).mean(1)
            for count in (1, 8, 10):
                add(("released", what, kept, count), (1 - (1 - share) ** count).mean())


def show(table):
    cell = lambda key: f"{np.mean(table[key]):.2f} ± {np.std(table[key], ddof=1):.2f}"
    print("\nRank correlation of a measure with the share of copies that one image detects (2000 images).\n")
    print("| | uniform images | digits |\n| --- | ---: | ---: |")
    for name in OBJECTIVES + ["margin", "first order"]:
        print(f"| {name} | {cell(('correlation', name, 'uniform'))} | {cell(('correlation', name, 'digits'))} |")
    print("\nDetection with 8 of 100 samples, each the best of 200 candidates, by how the 8 are taken.\n")
    names = [(name, source) for source in ("uniform", "digits") for name in OBJECTIVES]
    print("| | " + " | ".join(f"{name}, {source}" for name, source in names) + " |\n| --- |" + " ---: |" * len(names))
    for rule in dict.fromkeys(key[3] for key in table if key[0] == "set"):
        print(f"| {rule} | " + " | ".join(cell(("set", name, source, rule)) for name, source in names) + " |")
    print("\nThe steps of the authors' later code: candidates near one digit, N of 100 samples drawn for every copy.\n")
    print("| maximized over | samples | N = 1 | N = 8 | N = 10 |\n| --- | --- | ---: | ---: | ---: |")
    for what, kept in dict.fromkeys(key[1:3] for key in table if key[0] == "released"):
        print(f"| {what} | {kept} | " + " | ".join(cell(("released", what, kept, n)) for n in (1, 8, 10)) + " |")


def main():
    folder = Path(sys.argv[1])
    classifiers = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    (pixels, labels), (test, truth) = read(folder, "train"), read(folder, "t10k")
    scaled = lambda pixels: (pixels / 255 - MEAN) / SD
    images = scaled(pixels).astype(np.float32)
    middle = pixels.reshape(-1, 28, 28).astype(float)
    coarse = (middle[:, 1::4, 1::4] + middle[:, 1::4, 2::4] + middle[:, 2::4, 1::4] + middle[:, 2::4, 2::4]) / 4
    digits, table, accuracy = scaled(coarse.reshape(-1, 49)), {}, []
    for seed in range(1, classifiers + 1):
        network = Network(train(images, labels, seed))
        accuracy.append((network.flow(scaled(test))[1].argmax(1) == truth).mean())
        study(network, digits, seed, table)
    print(f"{classifiers} classifiers of accuracy {np.mean(accuracy):.3f}, 1000 tampered copies each; mean ± sd over classifiers.")
    show(table)


if __name__ == "__main__":
    main()
