"""Charts answer to pointer and keys, and can be read as tables."""

import re

from conftest import Tab
from playwright.sync_api import expect
from routes import route, shown


def figure(tab: Tab, name: str):
    return tab.page.locator("figure", has=tab.page.get_by_role("heading", name=name))


def expect_drawn(tab: Tab, canvas) -> None:
    """Waits until a canvas holds more than a few colours: it is drawn in the frame after its label is set."""
    colours = "const s = new Set(); for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);"
    script = f"c => {{ const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; {colours} return s.size > 3 }}"
    tab.page.wait_for_function(script, arg=canvas.element_handle())


def test_a_point_is_walked_to_and_opened_by_keys(tab: Tab, made: dict) -> None:
    tab.open(route("tuning"))
    progress = figure(tab, "Progress")
    progress.locator("canvas.plot").focus()
    first = next(t for t in made["tuning"][1:] if t["state"] == "complete")
    # Pruned and failed trials before it are walked through, too.
    for _ in range(first["number"] + 1):
        tab.page.keyboard.press("ArrowRight")
    tip = progress.locator(".tip")
    expect(tip).to_contain_text(f"trial {first['number']}\nloss {shown(first['values']['loss'], 6)}")
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator(".trial-head h2")).to_have_text(f"Trial {first['number']}")


def test_hovering_names_the_trial_and_a_click_opens_it(tab: Tab) -> None:
    tab.open(route("one"))
    canvas = figure(tab, "Progress").locator("canvas.plot")
    box = canvas.bounding_box()
    for share in range(30, 80, 2):
        for height in range(20, 80, 4):
            tab.page.mouse.move(box["x"] + box["width"] * share / 100, box["y"] + box["height"] * height / 100)
            if figure(tab, "Progress").locator(".tip").is_visible():
                break
        else:
            continue
        break
    expect(figure(tab, "Progress").locator(".tip")).to_contain_text("1.07e-20")
    tab.page.mouse.down()
    tab.page.mouse.up()
    expect(tab.page.locator(".trial-head h2")).to_have_text("Trial 0")


def test_a_chart_can_be_read_as_a_table(tab: Tab, made: dict) -> None:
    tab.open(route("tuning"))
    progress = figure(tab, "Progress")
    progress.get_by_role("button", name="Table").click()
    expect(progress.locator("canvas.plot")).to_be_hidden()
    first = next(t for t in made["tuning"][1:] if t["state"] == "complete")
    assert progress.locator("tbody tr").first.locator("td").all_inner_texts()[:2] == [
        str(first["number"]),
        shown(first["values"]["loss"], 6),
    ]


def test_dragging_zooms_and_a_button_shows_all_again(tab: Tab) -> None:
    tab.open(route("tuning"))
    progress = figure(tab, "Progress")
    box = progress.locator("canvas.plot").bounding_box()
    tab.page.mouse.move(box["x"] + 200, box["y"] + 60)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 500, box["y"] + 200, steps=4)
    tab.page.mouse.up()
    expect(progress.get_by_role("button", name="Reset zoom")).to_be_visible()
    progress.get_by_role("button", name="Reset zoom").click()
    expect(progress.get_by_role("button", name="Reset zoom")).to_be_hidden()


def test_a_log_scale_is_chosen_where_it_helps(tab: Tab) -> None:
    tab.open(route("large"))
    assert not tab.page.get_by_label("log scale").is_disabled()
    tab.open(route("tuning"))
    box = tab.page.get_by_label("log scale")
    before = box.is_checked()
    box.click()
    assert box.is_checked() is not before


def test_slices_have_one_chart_a_parameter(tab: Tab) -> None:
    tab.open(route("tuning", "/relations"))
    assert tab.page.locator(".grid figure").count() == 7
    expect_drawn(tab, tab.page.locator(".grid canvas.plot").first)


def test_contours_show_mean_and_uncertainty_of_two_chosen_parameters(tab: Tab) -> None:
    tab.open(route("tuning", "/relations?view=contour"))
    tab.page.get_by_label("Up").select_option("dropout")
    tab.settle()
    for name in ("Mean of the model", "Uncertainty of the model"):
        canvas = figure(tab, name).locator("canvas.plot")
        expect(canvas).to_have_attribute("aria-label", re.compile("over lr and dropout"))
        expect_drawn(tab, canvas)


def test_brushing_keeps_the_lines_one_asks_for(tab: Tab, made: dict) -> None:
    tab.open(route("tuning", "/relations?view=parallel"))
    tab.page.get_by_text("Brush by numbers").click()
    tab.page.get_by_label("dropout from").fill("0.5")
    tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Tab")
    kept = sum(t["params"]["dropout"] >= 0.5 for t in made["tuning"][1:])
    expect(tab.page.locator(".note[role=status]")).to_contain_text(f"{kept} of 1,000 lines")
    tab.page.get_by_role("button", name="Show all lines").click()
    expect(tab.page.locator(".note[role=status]")).to_contain_text("1,000 of 1,000 lines")


def test_importance_ranks_what_the_objective_depends_on(tab: Tab) -> None:
    tab.open(route("tuning", "/importance"))
    names = tab.page.locator(".bars").first.locator(".bar-name").all_inner_texts()
    assert names[0] == "lr" and len(names) == 7
