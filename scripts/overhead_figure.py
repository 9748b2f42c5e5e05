#!/usr/bin/env python3
"""Draws `neuralbo lab overhead --json` outputs as one SVG: CPU time and resident set against observations, both axes logarithmic.

    python3 scripts/overhead_figure.py results/2026-11-15/overhead/*.json > docs/overhead.svg
"""

import json
import math
import sys

STYLES = [("#0072b2", ""), ("#d55e00", "6 3"), ("#009e73", "2 3"), ("#882255", "8 3 2 3"), ("#7f7f7f", "1 2")]
WIDTH, HEIGHT, LEFT, TOP = 300, 220, 60, 40


def ticks(low, high):
    return [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def panel(x0, title, series):
    points = [p for _, line in series for p in line]
    xs, ys = ticks(min(p[0] for p in points), max(p[0] for p in points)), ticks(min(p[1] for p in points), max(p[1] for p in points))

    def place(x, y):
        fx = (math.log10(x) - math.log10(xs[0])) / (math.log10(xs[-1]) - math.log10(xs[0]))
        fy = (math.log10(y) - math.log10(ys[0])) / (math.log10(ys[-1]) - math.log10(ys[0]))
        return x0 + fx * WIDTH, TOP + HEIGHT - fy * HEIGHT

    out = [f'<text x="{x0 + WIDTH / 2}" y="{TOP - 14}" text-anchor="middle" font-weight="bold">{title}</text>',
           f'<rect x="{x0}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#000"/>']
    for x in xs:
        px, _ = place(x, ys[0])
        out.append(f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{TOP}" y2="{TOP + HEIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{px:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{x:g}</text>')
    for y in ys:
        _, py = place(xs[0], y)
        out.append(f'<line x1="{x0}" x2="{x0 + WIDTH}" y1="{py:.1f}" y2="{py:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{x0 - 6}" y="{py + 4:.1f}" text-anchor="end">{y:g}</text>')
    out.append(f'<text x="{x0 + WIDTH / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">observations</text>')
    for (_, line), (colour, dash) in zip(series, STYLES):
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in (place(*p) for p in line))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
        out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>' for px, py in (place(*p) for p in line)]
    return out


def main():
    runs = [json.load(open(path)) for path in sys.argv[1:]]
    label = [f"{run['method']}, d = {run['dim']}" for run in runs]
    cpu = [(name, [(row["observations"], row["cpu_ms"]) for row in run["measurements"]]) for name, run in zip(label, runs)]
    memory = [(name, [(row["observations"], row["resident_kib"] / 1024) for row in run["measurements"]]) for name, run in zip(label, runs)]
    height = TOP + HEIGHT + 60 + 18 * len(runs)
    width = 2 * (LEFT + WIDTH) + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>']
    out += panel(LEFT, "CPU ms per suggestion", cpu) + panel(2 * LEFT + WIDTH + 20, "resident set, MiB", memory)
    for k, (name, (colour, dash)) in enumerate(zip(label, STYLES)):
        y = TOP + HEIGHT + 58 + 18 * k
        out.append(f'<line x1="{LEFT}" x2="{LEFT + 40}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
        out.append(f'<text x="{LEFT + 50}" y="{y}">{name}</text>')
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    main()
