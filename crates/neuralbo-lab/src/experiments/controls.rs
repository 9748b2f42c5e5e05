//! Controls: what the paper's method owes to optima in the centre of the box and to negative rewards.

use std::collections::BTreeMap;

use super::synthetic;
use crate::problems::{Control, by_name};
use crate::report::average::{Shown, finals, runs_of};
use crate::report::format::{mean_sd, number};
use crate::report::methods::mean_loss;
use crate::report::{Document, ReportTable, Reported, Section, TableCell};
use crate::runner::{BoxLocation, Experiment, Profile, RunTrace, Size, known_methods};
use crate::stats::mean;

/// The functions of Figure 1.
const FUNCTIONS: [&str; 3] = ["ackley", "levy", "michalewicz"];
/// Those whose rewards are negative and whose optimum is in or near the centre.
const CENTRAL: [&str; 2] = ["ackley", "levy"];

/// Methods on functions with variants: what one choice of the paper's method owes to the centre of the box.
struct ControlSet {
    name: &'static str,
    title: &'static str,
    /// What is compared and why.
    about: &'static str,
    functions: &'static [&'static str],
    dims: &'static [usize],
    variants: &'static [Control],
    /// Runs of the paper profile.
    runs: u32,
    methods: &'static [&'static str],
}

/// The text's method with the ν of all controls.
const LETTER: &str = "neuralbo-paper:nu=0.1";

/// All controls; the first one is the experiment of the page.
const SETS: [ControlSet; 6] = [
    ControlSet {
        name: "controls",
        title: "Controls: optima away from the centre, rewards of the other sign",
        about: "A network without biases that is fitted to raw rewards is positively homogeneous: it is 0 in the centre of the box. Where \
                all rewards are negative that is its maximum, and the search goes to the centre, whatever the data say. Ackley's optimum \
                is in the centre, Levy's near it.",
        functions: &FUNCTIONS,
        dims: &[20, 50, 100],
        variants: &[Control::Moved, Control::Offset],
        runs: 10,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,rewards=standard,constant=yes",
            "neuralbo-faithful",
            "neuralbo",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-shuffled",
        title: "Control: shuffled rewards",
        about: "Before each fit the rewards are permuted, so that the model learns their values but not where they were observed. A method \
                that learns from its observations does not improve any more; one that goes to the centre of the box does not notice.",
        functions: &CENTRAL,
        dims: &[20, 50, 100],
        variants: &[Control::Moved],
        runs: 5,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,rewards=shuffled",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-nu",
        title: "Control: exploration and dimension",
        about: "The draw is negative in every direction, and the centre its maximum, as long as |ȳ|/(ν‖x‖) exceeds about c√d.",
        functions: &CENTRAL,
        dims: &[10, 20, 50, 100],
        variants: &[],
        runs: 5,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=1",
            "neuralbo-paper:nu=10",
            "centre",
        ],
    },
    ControlSet {
        name: "controls-corrections",
        title: "Control: units of the rewards and a constant input",
        about: "Both corrections alone and together, and rewards relative to the best one, which are never positive.",
        functions: &CENTRAL,
        dims: &[20],
        variants: &[Control::Moved, Control::Offset],
        runs: 5,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,rewards=standard",
            "neuralbo-paper:nu=0.1,rewards=relative",
            "neuralbo-paper:nu=0.1,constant=yes",
            "neuralbo-paper:nu=0.1,rewards=standard,constant=yes",
            "neuralbo-paper:nu=0.1,rewards=relative,constant=yes",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-maximizer",
        title: "Control: how the draw is maximized",
        about: "The best of a list of points is not the maximum of the draw. Line 4 of Algorithm 1 draws each point's value by itself.",
        functions: &CENTRAL,
        dims: &[20, 50],
        variants: &[Control::Moved],
        runs: 5,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,refined=no",
            "neuralbo-paper:nu=0.1,sampling=independent",
            "neuralbo-paper:nu=0.1,sampling=independent,refined=no",
            "centre",
            "random",
        ],
    },
    ControlSet {
        name: "controls-inputs",
        title: "Control: scaling of the inputs",
        about: "In [0, 1]^d the point where the network is 0 is a corner of the box, not its centre.",
        functions: &CENTRAL,
        dims: &[20, 50],
        variants: &[Control::Moved],
        runs: 5,
        methods: &[
            LETTER,
            "neuralbo-paper:nu=0.1,inputs=ball",
            "neuralbo-paper:nu=0.1,inputs=unit",
            "centre",
            "random",
        ],
    },
];

/// The sets as experiments. The cases are those of the synthetic functions; originals and controls are set
/// side by side, not ranked together.
pub static CONTROLS: [Reported; SETS.len()] = [
    reported::<0>(),
    reported::<1>(),
    reported::<2>(),
    reported::<3>(),
    reported::<4>(),
    reported::<5>(),
];

const fn reported<const SET: usize>() -> Reported {
    Reported {
        ranking: None,
        ..Reported::new(
            Experiment {
                methods: || known_methods(SETS[SET].methods),
                ..Experiment::new(
                    SETS[SET].name,
                    |profile| SETS[SET].size(profile),
                    synthetic::open,
                )
            },
            SETS[SET].title,
            synthetic::differences,
            |document, section| SETS[SET].report(document, section),
        )
    }
}

impl ControlSet {
    fn size(&self, profile: Profile) -> Size {
        match profile {
            Profile::Quick => Size::new(self.problems(&[5]), 1, 6),
            Profile::Standard => Size::new(self.problems(self.dims), 3, 200),
            Profile::Paper => Size::new(self.problems(self.dims), self.runs, 200),
        }
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        let results = section.results;
        let shown = Shown::new(results, mean_loss);
        let families = families(&results.problems());
        document.text(self.about);
        if !self.variants.is_empty() {
            document.text(
                "`@moved` moves the optimum by 0.4 of half the box in every coordinate; `@offset` subtracts a constant that reverses the \
                 sign of the mean. A method that searches is as good on both as on the original; a method that goes to the centre is as \
                 good as `centre`.",
            );
        }
        document.table(table(&shown, &families));
        document.table(places(&shown));
    }

    /// Every function in every dimension: original, then its variants.
    fn problems(&self, dims: &[usize]) -> Vec<String> {
        let mut problems = Vec::new();
        for name in self.functions {
            for dim in dims {
                let original = format!("{name}-{dim}");
                let names = self.variants.iter().map(|variant| variant.name());
                let variants = names.map(|name| format!("{original}@{name}"));
                problems.extend([original.clone()].into_iter().chain(variants));
            }
        }
        problems
    }
}

/// A function without its dimension, and which variant of it.
type Family = (String, Option<Control>);
/// By dimension: the problem's name, what its values lack to the original's, and the value in the centre of the box.
type Members = BTreeMap<usize, FamilyMember>;

struct FamilyMember {
    problem: String,
    /// Added to a value, gives that of the original.
    offset: f64,
    centre: f64,
}

/// The families in the order of their first member.
fn families(problems: &[&str]) -> Vec<(Family, Members)> {
    let mut families: Vec<(Family, Members)> = Vec::new();
    for name in problems {
        let Some((family, dim, member)) = member(name) else {
            continue;
        };
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, members)) => drop(members.insert(dim, member)),
            None => families.push((family, [(dim, member)].into())),
        }
    }
    families
}

fn member(name: &str) -> Option<(Family, usize, FamilyMember)> {
    let (original, control) = Control::split(name).ok()?;
    let (function, dim) = original.rsplit_once('-')?;
    let (problem, offset) = (by_name(name, None).ok()?, Control::restoring(name).ok()?);
    let middle = |(low, high)| 0.5 * (low + high);
    let centre: Vec<f64> = problem.bounds().into_iter().map(middle).collect();
    let member = FamilyMember {
        problem: name.to_owned(),
        offset,
        centre: problem.value(&centre) + offset,
    };
    Some(((function.to_owned(), control), dim.parse().ok()?, member))
}

fn table(shown: &Shown<'_>, families: &[(Family, Members)]) -> ReportTable {
    let dims: Vec<String> = families.first().map_or_else(Vec::new, |(_, members)| {
        members.keys().map(usize::to_string).collect()
    });
    let caption = format!(
        "Final best true values, mean of the runs, d = {}, on the scale of the original function (smaller is better). Bold: within 1 % of the \
         value in the centre of the box in every dimension.",
        dims.join(" / ")
    );
    let columns = ["function", "variant", "value in the centre", "initial best"];
    let mut table = ReportTable::new(caption, &columns).with(&shown.methods);
    for ((function, control), members) in families {
        let variant = control.map_or("original", Control::name);
        let centre = joined(members, |member| Some(member.centre));
        let methods = shown
            .methods
            .iter()
            .map(|method| cell(shown, members, method));
        let cells = [initial(shown, members).into()].into_iter().chain(methods);
        table.row(&[function, variant, &centre], cells);
    }
    table
}

/// The runs of a method on a problem.
fn runs<'a>(shown: &'a Shown<'_>, problem: &str, method: &str) -> Option<&'a Vec<&'a RunTrace>> {
    let (_, methods) = shown.problems.iter().find(|(name, _)| *name == problem)?;
    runs_of(methods, method)
}

fn cell(shown: &Shown<'_>, members: &Members, method: &str) -> TableCell {
    let value = |member: &FamilyMember| {
        runs(shown, &member.problem, method).map(|runs| mean(&finals(runs)) + member.offset)
    };
    let near = |member: &FamilyMember| {
        let tolerance = 0.01 * member.centre.abs().max(1.0);
        value(member).is_some_and(|value| (value - member.centre).abs() <= tolerance)
    };
    let central = !members.is_empty() && members.values().all(near);
    TableCell::marked(joined(members, value), central)
}

/// A number of each dimension, a dash where there is none.
fn joined(members: &Members, value: impl Fn(&FamilyMember) -> Option<f64>) -> String {
    let text = |member| value(member).map_or("–".into(), number);
    let texts: Vec<String> = members.values().map(text).collect();
    texts.join(" / ")
}

/// The best of the shared initial points, which all methods begin with.
fn initial(shown: &Shown<'_>, members: &Members) -> String {
    joined(members, |member| {
        let mut methods = shown.methods.iter();
        let any = methods.find_map(|method| runs(shown, &member.problem, method))?;
        let first: Vec<f64> = any.iter().filter_map(|trace| trace.best_at(0)).collect();
        Some(mean(&first) + member.offset)
    })
}

/// Where the methods looked.
fn places(shown: &Shown<'_>) -> ReportTable {
    let mut table = ReportTable::new(
        "Where the methods look: of the points they chose, the share of coordinates at a bound of the box, and the root mean square \
         of the coordinates with the box scaled to [−1, 1] (0: the centre; 0.58: uniform points; 1: a corner). Mean ± sd of the runs.",
        &["problem", "method", "at a bound"],
    )
    .with(["distance from the centre", "best value"]);
    for (problem, methods) in &shown.problems {
        for (method, runs) in methods {
            let of = |value: fn(&BoxLocation) -> f64| -> Vec<f64> {
                let places = runs.iter().filter_map(|trace| trace.header.place.as_ref());
                places.map(value).collect()
            };
            let texts = [
                mean_sd(&of(|place| place.at_bounds)),
                mean_sd(&of(|place| place.from_centre)),
                mean_sd(&finals(runs)),
            ];
            table.row(&[problem, method], texts);
        }
    }
    table
}
