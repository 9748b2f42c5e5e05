//! Properties of whole figures.

use proptest::prelude::*;
use roxmltree::{Document, Node};

use super::*;

fn number(node: &Node, name: &str) -> f64 {
    let value = node.attribute(name);
    value.map_or(0.0, |text| text.parse().unwrap())
}

fn named<'a>(document: &'a Document, name: &'static str) -> Vec<Node<'a, 'a>> {
    let nodes = document.descendants();
    nodes.filter(|node| node.has_tag_name(name)).collect()
}

/// The first element of a class.
fn classed<'a>(document: &'a Document, class: &str) -> Node<'a, 'a> {
    let mut nodes = document.descendants();
    nodes
        .find(|node| node.attribute("class") == Some(class))
        .unwrap()
}

/// The curves, guide, bands and dots of the first panel.
fn drawn<'a>(document: &'a Document, name: &'static str) -> Vec<Node<'a, 'a>> {
    let plot = classed(document, "plot");
    let nodes = plot.children();
    nodes.filter(|node| node.has_tag_name(name)).collect()
}

fn svg_of(log: bool, series: PlotSeries) -> String {
    Figure::new("t", [panel(log, series)], "").to_svg()
}

fn corners(node: &Node) -> Vec<(f64, f64)> {
    let pair = |text: &str| {
        let (x, y) = text.split_once(',').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    let attribute = node.attribute("points").unwrap().split(' ');
    attribute.map(pair).collect()
}

fn panel(log: bool, series: PlotSeries) -> Panel {
    Panel::new(
        "p",
        PlotAxis::linear("x"),
        PlotAxis::new("y", log),
        [series],
    )
}

#[test]
fn text_of_any_kind_keeps_the_document_well_formed() {
    let nasty = "a < b & \"c\" > 'd' ]]> \u{7}";
    let (x, y) = (PlotAxis::linear(nasty), PlotAxis::log(nasty));
    let panel = Panel::new(nasty, x, y, [PlotSeries::line(nasty, vec![(0.0, 1.0)])]);
    let svg = Figure::new(nasty, [panel], nasty).to_svg();
    let document = Document::parse(&svg).unwrap();
    let nasty = |node: &&Node| {
        node.text()
            .is_some_and(|text| text.starts_with("a < b & \"c\""))
    };
    let seen = named(&document, "text").iter().filter(nasty).count();
    assert_eq!(seen, 6, "title, panel title, two axes, legend and note");
}

#[test]
fn gaps_interrupt_curves_and_bands() {
    let values = [1.0, 2.0, f64::NAN, 1.0, 3.0, f64::INFINITY, 2.0];
    let points = values.iter().zip(0..).map(|(y, x)| (f64::from(x), *y));
    let band = values.iter().map(|y| (y - 0.5, y + 0.5)).collect();
    let series = PlotSeries::line("a", points.collect()).with_band(band);
    let svg = svg_of(false, series);
    let document = Document::parse(&svg).unwrap();
    let counts = ["polyline", "polygon", "circle"].map(|name| drawn(&document, name).len());
    assert_eq!(counts, [2, 2, 1], "the last point is alone");
}

#[test]
fn a_guide_is_drawn_below_the_curves_and_not_named() {
    let axis = |label: &str| PlotAxis::linear(label).range(0.0, 1.0);
    let line = PlotSeries::line("a", vec![(0.0, 0.5), (1.0, 0.5)]);
    let panel = Panel::new("p", axis("x"), axis("y"), [line]).guide((0.0, 0.0), (1.0, 1.0));
    let svg = Figure::new("t", [panel], "").to_svg();
    let document = Document::parse(&svg).unwrap();
    let lines = drawn(&document, "polyline");
    let found = (lines.len(), lines[0].attribute("class"));
    assert_eq!(found, (2, Some("guide")));
    let plot = classed(&document, "plot");
    let ends = [
        (0.0, number(&plot, "height")),
        (number(&plot, "width"), 0.0),
    ];
    assert_eq!(corners(&lines[0]), ends);
}

#[test]
fn bands_that_reach_zero_go_down_to_the_frame_on_a_log_axis() {
    let series = PlotSeries::line("a", vec![(0.0, 1.0), (1.0, 10.0)])
        .with_band(vec![(-0.5, 2.0), (5.0, 15.0)]);
    let svg = svg_of(true, series);
    let document = Document::parse(&svg).unwrap();
    let band = corners(&named(&document, "polygon")[0]).into_iter();
    let height = number(&classed(&document, "plot"), "height");
    assert_eq!(band.map(|corner| corner.1).fold(0.0, f64::max), height);
}

#[test]
fn the_legend_names_each_series_once_and_inside_the_page() {
    let names = "neuralbo,neuralbo-paper (ν = 0.1),gp-ucb,gp-ts,gp-ei,dngo,random forest,random";
    let methods: Vec<&str> = names.split(',').collect();
    for columns in [1, 3] {
        let series = |method: &&str| PlotSeries::line(*method, vec![(0.0, 1.0), (1.0, 2.0)]);
        let axis = PlotAxis::linear;
        let panel = |_| Panel::new("p", axis("x"), axis("y"), methods.iter().map(series));
        let svg = Figure::new("t", (0..columns).map(panel), "").to_svg();
        let document = Document::parse(&svg).unwrap();
        let legend = classed(&document, "legend");
        let entries: Vec<Node> = legend
            .children()
            .filter(|node| node.has_tag_name("text"))
            .collect();
        let texts: Vec<&str> = entries.iter().map(|node| node.text().unwrap()).collect();
        assert_eq!(texts, methods);
        let end = |node: &Node| {
            number(node, "x") + series::text_width(node.text().unwrap(), page::LEGEND)
        };
        let width = number(&document.root_element(), "width");
        assert!(entries.iter().all(|node| 12.0 + end(node) <= width));
    }
}

#[test]
fn chosen_looks_are_kept_whatever_the_place_in_the_legend() {
    let series =
        |looks| PlotSeries::line("b", vec![(0.0, 1.0), (1.0, 2.0)]).with_looks(Some(looks));
    let colours = |looks: usize| {
        let svg = svg_of(false, series(looks));
        let document = Document::parse(&svg).unwrap();
        let legend = classed(&document, "legend");
        let mut samples = legend.children();
        let sample = samples.find(|node| node.has_tag_name("polyline"));
        [drawn(&document, "polyline")[0], sample.unwrap()]
            .map(|node| node.attribute("stroke").unwrap().to_owned())
    };
    assert_eq!(colours(3), [series::Style(3).colour(); 2]);
    assert_ne!(colours(0), colours(3));
}

/// Regression: a method without looks of its own got those of its place in the legend, which another method of the figure had.
#[test]
fn series_without_looks_do_not_get_those_of_others() {
    let series = |label: &str, looks| {
        PlotSeries::line(label, vec![(0.0, 1.0), (1.0, 2.0)]).with_looks(looks)
    };
    let all = [
        series("a", Some(1)),
        series("b", None),
        series("c", Some(0)),
        series("d", None),
    ];
    let axis = PlotAxis::linear;
    let svg = Figure::new("t", [Panel::new("p", axis("x"), axis("y"), all)], "").to_svg();
    let document = Document::parse(&svg).unwrap();
    let samples = classed(&document, "legend").children();
    let colours: Vec<&str> = samples
        .filter_map(|node| node.attribute("stroke"))
        .collect();
    assert_eq!(
        colours,
        [1, 2, 0, 3].map(|looks| series::Style(looks).colour())
    );
}

#[test]
fn a_figure_without_data_is_still_a_document() {
    let empty = panel(true, PlotSeries::line("a", vec![]));
    for figure in [Figure::new("", [], ""), Figure::new("t", [empty], "")] {
        assert!(Document::parse(&figure.to_svg()).is_ok());
    }
}

#[test]
fn shares_of_nothing_are_zero_and_repeated_values_are_one_step() {
    let none = PlotSeries::ecdf("a", &[], 0.0, 1.0);
    assert_eq!(none.points(), [(0.0, 0.0), (1.0, 0.0)]);
    let some = PlotSeries::ecdf("a", &[2.0, 2.0, 0.5, 9.0], 1.0, 5.0);
    assert_eq!(some.points(), [(1.0, 0.25), (2.0, 0.75), (5.0, 0.75)]);
}

fn points() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let coordinate = prop_oneof![4 => -1e3..1e3f64, 1 => 1e-9..1e9f64, 1 => prop::num::f64::ANY];
    prop::collection::vec((coordinate.clone(), coordinate), 0..40)
}

proptest! {
    #[test]
    fn every_corner_is_inside_its_panel(points in points(), log in any::<bool>(), steps in any::<bool>()) {
        let band = points.iter().map(|&(_, y)| (y - 1.0, y + 1.0)).collect();
        let series = if steps { PlotSeries::steps("a", points) } else { PlotSeries::line("a", points) };
        let svg = svg_of(log, series.with_band(band));
        let document = Document::parse(&svg).unwrap();
        let plot = classed(&document, "plot");
        let (width, height) = (number(&plot, "width"), number(&plot, "height"));
        for node in plot.children().filter(|node| node.attribute("points").is_some()) {
            for (x, y) in corners(&node) {
                prop_assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y), "({x}, {y})");
            }
        }
    }

    #[test]
    fn a_chosen_range_never_leads_to_huge_coordinates(points in points()) {
        let axis = || PlotAxis::linear("a").range(0.0, 1.0);
        let svg = Figure::new("t", [Panel::new("p", axis(), axis(), [PlotSeries::line("a", points)])], "").to_svg();
        let document = Document::parse(&svg).unwrap();
        for node in drawn(&document, "polyline") {
            prop_assert!(corners(&node).iter().all(|(x, y)| x.abs() <= 1000.0 && y.abs() <= 1000.0));
        }
    }
}
