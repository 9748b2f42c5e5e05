"""What the charts draw: lines that never get worse, names of axes and choices, whole numbers, colours with one meaning."""

import csv
import re
from typing import Any

import pytest
from conftest import Tab, make_tab
from playwright.sync_api import Browser, expect
from routes import completes, route
from studies import COMPILER
from test_charts import figure

STATES = ["state-complete", "state-running", "state-pruned", "state-failed"]


def drawn(place: Any) -> dict[str, Any]:
    """The labels with their places, axes and layers that a figure has painted last."""
    canvas = place.locator("canvas.plot")
    canvas.evaluate("async c => { for (let i = 0; i < 300 && !c.drawn; i += 1) await new Promise(requestAnimationFrame) }")
    return canvas.evaluate(
        """({drawn: {labels, axes, box, targets, spec, sx, sy}}) => ({
            labels: {x: labels.x.map((l) => l.text), y: labels.y.map((l) => l.text)}, places: labels, axes, box,
            names: [spec.x.label, spec.y.label],
            shown: targets.map((t) => [t.x, t.y]),
            layers: spec.layers.map(({kind, colour, shape, state, x, y, alpha}) => ({kind, colour, shape, state, x, y, alpha})),
        })"""
    )


def assert_labels_fit(painted: dict[str, Any], width: float) -> None:
    """No label is cut by the edge or lies on another one."""
    for axis in ("x", "y"):
        assert painted["places"][axis], painted["names"]
        assert all(0 <= label["left"] and label["right"] <= width + 1 for label in painted["places"][axis]), painted["places"][axis]
    rows: dict[float, list[dict[str, Any]]] = {}
    for label in painted["places"]["x"]:
        rows.setdefault(label["row"], []).append(label)
    for row in rows.values():
        row.sort(key=lambda label: label["left"])
        assert all(a["right"] < b["left"] for a, b in zip(row, row[1:])), row
    heights = sorted(label["row"] for label in painted["places"]["y"])
    assert all(b - a > 9 for a, b in zip(heights, heights[1:])), heights


def layers(painted: dict[str, Any], **look: Any) -> list[dict[str, Any]]:
    return [layer for layer in painted["layers"] if all(layer.get(name) == value for name, value in look.items())]


@pytest.mark.parametrize("name", ["tuning", COMPILER, "bounded", "seeds-1"])
def test_the_best_so_far_never_runs_back_and_never_gets_worse(tab: Tab, name: str) -> None:
    tab.open(route(name))
    [line] = layers(drawn(figure(tab, "Progress")), kind="line")
    assert len(line["x"]) > 20
    assert line["x"] == sorted(line["x"])
    best = [value for value in line["y"] if value is not None]
    assert best == sorted(best, reverse=True)


def test_the_best_so_far_is_that_of_the_trials(tab: Tab, made: dict) -> None:
    """Trials of parallel workers end out of order."""
    tab.open(route(COMPILER))
    [line] = layers(drawn(figure(tab, "Progress")), kind="line")
    values = [t["values"]["runtime"] for t in made["compiler"][1:]]
    assert line["y"][:-1] == [min(values[: i + 1]) for i in range(len(values))]


def test_pruned_and_failed_trials_are_part_of_the_progress(tab: Tab, made: dict) -> None:
    tab.open(route("tuning"))
    painted = drawn(figure(tab, "Progress"))
    for state in ("pruned", "failed"):
        [layer] = layers(painted, state=state)
        assert layer["x"] == [t["number"] for t in made["tuning"][1:] if t["state"] == state]
    assert {"pruned", "failed", "best so far"} <= set(figure(tab, "Progress").locator(".legend li").all_inner_texts())


@pytest.mark.parametrize(("name", "page"), [("one", ""), (COMPILER, ""), ("front", "/front"), ("tuning", "/curves")])
def test_trials_and_steps_have_whole_ticks(tab: Tab, name: str, page: str) -> None:
    tab.open(route(name, page))
    whole = [p for p in map(drawn, tab.page.locator("figure:has(canvas.plot):visible").all()) if p["names"][0] in ("trial", "step")]
    assert whole
    for painted in whole:
        assert painted["labels"]["x"] and all(re.fullmatch(r"[\d,]+", label) for label in painted["labels"]["x"])


def test_slices_name_their_axes_choices_and_marks(tab: Tab) -> None:
    tab.open(route(COMPILER, "/relations"))
    tab.model()
    painted = {name: drawn(figure(tab, name)) for name in ("level", "tile", "seed_scale")}
    for name, chart in painted.items():
        assert chart["names"] == [name, "runtime"]
    labels = painted["level"]["labels"]["x"]
    assert labels[:6] == ["O0", "O1", "O2", "O3", "Os", "Ofast"] and labels[6].startswith("O3 -march")
    assert painted["tile"]["labels"]["x"] == ["1", "2", "3", "4"]
    assert len(painted["seed_scale"]["labels"]["x"]) >= 3
    domains = [chart["axes"]["y"]["domain"] for chart in painted.values()]
    assert domains[0] == domains[1] == domains[2]
    legend = figure(tab, "tile").locator(".legend li").all_inner_texts()
    assert legend[:3] == ["complete", "best", "model"]


@pytest.mark.parametrize("size", [(1280, 850), (390, 844)])
@pytest.mark.parametrize(
    ("name", "page"),
    [
        (COMPILER, ""),
        (COMPILER, "/relations"),
        ("tuning", "/relations"),
        ("tuning", "/relations?view=contour"),
        ("front-of-3", "/front"),
        ("large", ""),
        ("one", "/relations"),
    ],
)
def test_labels_are_whole_and_apart(browser: Browser, dashboard, name: str, page: str, size: tuple[int, int]) -> None:
    tab = make_tab(browser, dashboard.url, viewport={"width": size[0], "height": size[1]})
    tab.open(route(name, page))
    tab.model()
    for place in tab.page.locator("figure:has(canvas.plot:visible)").all():
        place.scroll_into_view_if_needed()
        assert_labels_fit(drawn(place), place.locator("canvas.plot").evaluate("c => c.clientWidth"))
    tab.page.context.close()


def test_values_off_the_scale_are_counted_and_marked_at_the_edge(tab: Tab, made: dict) -> None:
    tab.open(route(COMPILER))
    progress = figure(tab, "Progress")
    painted = drawn(progress)
    far = sum(t["values"]["runtime"] > painted["axes"]["y"]["domain"][1] for t in made["compiler"][1:])
    assert far == 2
    expect(progress.locator(".legend")).to_contain_text("2 off the scale, at the edge")
    assert sum(y == painted["box"]["top"] for _, y in painted["shown"]) == far
    tab.open(route(COMPILER, "/relations?view=distribution"))
    spread = figure(tab, "Empirical distribution of the values")
    expect(spread.locator(".legend")).to_contain_text("2 off the scale, at the edge")
    painted = drawn(spread)
    assert sum(x == painted["box"]["right"] for x, _ in painted["shown"]) == far


def test_last_reports_of_pruned_trials_are_shown_only_on_request(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/relations"))
    pruned = sum(t["state"] == "pruned" for t in made["tuning"][1:])
    assert layers(drawn(figure(tab, "lr")), state="pruned") == []
    tab.page.get_by_label("last reports of pruned trials").check()
    [layer] = layers(drawn(figure(tab, "lr")), state="pruned")
    assert len(layer["x"]) == pruned
    assert "pruned" in figure(tab, "lr").locator(".legend").inner_text()


def test_parallel_coordinates_take_last_reports_for_values_only_on_request(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/relations?view=parallel"))
    ended = [t for t in made["tuning"][1:] if t["state"] in ("complete", "pruned")]
    final = sorted(completes(made["tuning"]), key=lambda t: t["values"]["loss"], reverse=True)
    tab.page.get_by_text("Brush by numbers").click()
    tab.page.get_by_label("loss from").fill(str(final[20]["values"]["loss"]))
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Tab")
    status = tab.page.locator(".note[role=status]")
    expect(status).to_contain_text("21 of 1,000 lines")
    tab.page.get_by_label("last reports of pruned trials").check()
    kept = sum(t["values"]["loss"] >= final[20]["values"]["loss"] for t in ended)
    assert kept > 21
    expect(status).to_contain_text(f"{kept} of 1,000 lines")


def test_what_an_axis_must_hold_does_not_make_values_outliers(tab: Tab) -> None:
    """The model's mean at many points beside a few values."""
    tab.open("#/")
    domain = tab.page.evaluate(
        """async () => {
            const { valueAxis } = await import("/assets/chart/scale.js");
            return valueAxis([1, 2, 3, 4, 5, 6, 40], { label: "v", include: Array(180).fill(3).concat(50) }).domain;
        }"""
    )
    assert domain[0] < 1 and domain[1] > 50


def test_a_tooltip_has_the_parameters(tab: Tab, made: dict) -> None:
    tab.open(route("tuning"))
    progress = figure(tab, "Progress")
    progress.locator("canvas.plot").focus()
    tab.page.keyboard.press("ArrowRight")
    tip = progress.locator(".tip")
    expect(tip).to_contain_text("trial 0")
    expect(tip).to_contain_text(f"layers {made['tuning'][1]['params']['layers']}\n")


def test_trials_at_the_same_time_have_lanes_of_their_own(tab: Tab, made: dict) -> None:
    tab.open(route(COMPILER, "/timeline"))
    lanes = 0
    for worker in range(3):
        ends: list[float] = []
        for t in sorted(made["compiler"][1:], key=lambda t: t["started_ms"]):
            if t["worker"] == f"node-{worker}":
                free = next((i for i, end in enumerate(ends) if end <= t["started_ms"]), len(ends))
                ends[free : free + 1] = [t["finished_ms"]]
        lanes += len(ends)
    assert lanes > 3
    expect(tab.page.locator("canvas.plot")).to_have_attribute("aria-label", re.compile(f"60 trials of 3 workers in {lanes} lanes"))


def test_ranks_are_those_of_the_values(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/relations?view=rank&x=lr&y=dropout"))
    rank = figure(tab, "Rank")
    rank.get_by_role("button", name="Table").click()
    order = sorted(completes(made["tuning"]), key=lambda t: t["values"]["loss"])
    for place in range(5):
        cells = rank.locator("tbody tr").nth(place).locator("td").all_inner_texts()
        assert cells[:2] == [str(place + 1), str(order[place]["number"])]


def test_the_distribution_is_that_of_the_values(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/relations?view=distribution"))
    [line] = layers(drawn(figure(tab, "Empirical distribution of the values")), kind="line")
    values = sorted(t["values"]["loss"] for t in completes(made["tuning"]))
    assert line["x"][1:] == values
    assert line["y"][1:] == pytest.approx([(i + 1) / len(values) for i in range(len(values))])


def test_a_rectangle_in_one_pair_of_objectives_fades_the_others(tab: Tab, made: dict) -> None:
    tab.open(route("front-of-3", "/front"))
    first = figure(tab, "throughput against loss")
    first.scroll_into_view_if_needed()
    box = first.locator("canvas.plot").bounding_box()
    tab.page.mouse.move(box["x"] + 60, box["y"] + 20)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 60, steps=4)
    tab.page.mouse.up()
    expect(first.locator(".note")).to_contain_text("of the front are inside the rectangles")
    axes = drawn(first)["axes"]
    goals = ("loss", "throughput", "energy")
    trials = [[t["values"][goal] for goal in goals] for t in made["front3"][1:]]

    def inside(values: list[float]) -> bool:
        return all(low <= v <= high for v, (low, high) in zip(values, (axes["x"]["domain"], axes["y"]["domain"])))

    bright = [layer for layer in drawn(figure(tab, "energy against loss"))["layers"] if layer["kind"] == "points"]
    kept = sum(len(layer["x"]) for layer in bright if layer["alpha"] != 0.15 and layer["shape"] != "square")
    assert 0 < kept == sum(map(inside, trials)) < len(trials)
    members = tab.page.locator("section.card tbody tr").count()
    expect(first.locator(".note")).to_contain_text(f"{members} of ")
    first.get_by_role("button", name="Reset zoom").click()
    expect(first.locator(".note")).to_contain_text("Drag a rectangle")


def test_the_front_has_the_parameters_of_its_trials(tab: Tab, made: dict) -> None:
    tab.open(route("front", "/front"))
    heads = tab.page.locator("section.card th").all_inner_texts()
    assert heads == ["Trial", "loss", "throughput", "width", "depth", "quantize"]
    row = tab.page.locator("section.card tbody tr").first.locator("td").all_inner_texts()
    params = made["front"][1 + int(row[0])]["params"]
    assert row[3:] == [str(params["width"]), str(params["depth"]), str(params["quantize"]).lower()]
    tab.open(route("front"))
    assert drawn(figure(tab, "throughput against loss"))["names"] == ["loss (lower is better)", "throughput (higher is better)"]


def test_bars_of_importance_share_an_axis(tab: Tab) -> None:
    tab.open(route("tuning", "/importance"))
    axes = tab.page.locator(".bar-axis").all_inner_texts()
    assert len(axes) >= 2 and len(set(axes)) == 1
    full = float(re.findall(r"[\d.]+", axes[0])[-1])
    for bar in tab.page.locator(".bars").first.locator("li:not(.bar-axis)").all():
        share = float(re.search(r"[\d.]+", bar.locator(".bar-text").inner_text()).group())
        width = bar.locator(".fill").bounding_box()["width"] / bar.locator(".bar-box").bounding_box()["width"]
        assert abs(width - share / full) < 0.02


def test_a_name_with_a_comma_is_compared(tab: Tab, made: dict) -> None:
    tab.open("#/compare?studies=tuning")
    chosen = tab.page.get_by_role("checkbox", name=COMPILER)
    chosen.check()
    expect(tab.page.locator(".legend")).to_contain_text(COMPILER)
    tab.page.reload()
    tab.settle()
    assert chosen.is_checked()
    assert tab.page.locator(".notice.bad").count() == 0
    for line in layers(drawn(figure(tab, "Best so far")), kind="line"):
        assert line["x"] == sorted(line["x"]) and line["y"] == sorted(line["y"], reverse=True)


def test_the_list_says_budget_direction_and_pruned_trials_and_is_sorted(tab: Tab, made: dict) -> None:
    tab.open("#/")
    assert "60 / 2,000" in tab.page.get_by_role("row", name=COMPILER).inner_text()
    pruned = sum(t["state"] == "pruned" for t in made["tuning"][1:])
    row = tab.page.get_by_role("row").filter(has=tab.page.get_by_role("link", name="tuning", exact=True))
    assert f"{pruned} pruned" in row.inner_text() and "minimize" in row.text_content()
    tab.page.get_by_role("button", name="Study").click()
    names = tab.page.locator("tbody td:first-child").all_inner_texts()
    assert names == sorted(names, key=str.lower)


def test_the_csv_is_the_filtered_table(tab: Tab, made: dict) -> None:
    matched = sum(t["params"]["lr"] < 0.001 and t["params"]["layers"] > 6 for t in completes(made["tuning"]))
    assert 3 < matched < 60
    tab.open(route("tuning", "/trials"))
    tab.page.get_by_label("Filter by expression").fill("lr < 0.001 and layers > 6")
    tab.page.get_by_label("complete").check()
    expect(tab.page.locator(".note[role=status]")).to_have_text(f"{matched} of 1,000 trials")
    tab.page.locator("th", has_text="Trial").click(position={"x": 4, "y": 10})
    expect(tab.page.locator("th", has_text="Trial")).to_have_attribute("aria-sort", "ascending")
    with tab.page.expect_download() as download:
        tab.page.get_by_role("link", name="Download CSV").click()
    with download.value.path().open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == matched
    shown = tab.page.locator("tbody tr[data-i] td:first-child").all_inner_texts()
    assert [row["number"] for row in rows][: len(shown)] == shown
    assert all(float(row["lr"]) < 0.001 and int(row["layers"]) > 6 and row["state"] == "complete" for row in rows)


def test_attributes_are_columns(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/trials?sort=number&desc="))
    tab.page.get_by_text("Columns", exact=True).click()
    tab.page.get_by_label("accuracy").check()
    heads = tab.page.locator("thead th").all_inner_texts()
    first = next(t for t in made["tuning"][1:] if t.get("attributes"))
    cell = tab.page.locator(f"tbody tr[data-i='{first['number']}'] td").nth(heads.index("accuracy"))
    expect(cell).to_have_text(str(first["attributes"]["accuracy"]))


LUMINANCE = """(names) => {
    const style = getComputedStyle(document.documentElement);
    const part = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return Object.fromEntries(names.map((name) => {
        const hex = style.getPropertyValue(`--${name}`).trim().slice(1);
        const rgb = [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
        const [r, g, b] = rgb.map((c) => part(c / 255));
        return [name, {rgb, light: 0.2126 * r + 0.7152 * g + 0.0722 * b}];
    }));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_stand_out_and_have_one_meaning(browser: Browser, dashboard, scheme: str) -> None:
    tab = make_tab(browser, dashboard.url, color_scheme=scheme)
    tab.open("#/")
    names = ["card", "text", "muted", "best", "model", *STATES]
    found = tab.page.evaluate(LUMINANCE, names)

    def contrast(a: str, b: str) -> float:
        low, high = sorted((found[a]["light"], found[b]["light"]))
        return (high + 0.05) / (low + 0.05)

    # The bounds of WCAG 2: 4.5 for text, 3 for marks. A running trial is a light square that has no other meaning.
    assert contrast("text", "card") > 7 and contrast("muted", "card") > 4.5
    for name in ("best", "model", "state-complete", "state-pruned", "state-failed"):
        assert contrast(name, "card") > 3, name
    marks = ["best", "model", *STATES]
    for i, one in enumerate(marks):
        for other in marks[i + 1 :]:
            apart = sum((a - b) ** 2 for a, b in zip(found[one]["rgb"], found[other]["rgb"])) ** 0.5
            assert apart > 60, (one, other, apart)
    tab.page.context.close()
