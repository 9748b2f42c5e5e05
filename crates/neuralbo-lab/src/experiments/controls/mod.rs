//! Controls: what the paper's method owes to optima in the centre of the box and to negative rewards.

mod sets;

use std::collections::BTreeMap;

use super::synthetic;
use crate::problems::{Control, by_name};
use crate::report::average::{Shown, finals, runs_of};
use crate::report::format::{mean_sd, number};
use crate::report::methods::mean_loss;
use crate::report::{Document, ReportTable, Reported, Section, TableCell};
use crate::runner::{
    BoxLocation, Experiment, LabError, LabSettings, Profile, RunTrace, Size, Suite, known_methods,
};
use crate::stats::mean;
use sets::{ControlSet, SETS};

/// The sets as experiments. The cases are those of the synthetic functions; originals and controls are set
/// side by side, not ranked together.
pub static CONTROLS: [Reported; SETS.len()] = [
    reported::<0>(),
    reported::<1>(),
    reported::<2>(),
    reported::<3>(),
    reported::<4>(),
    reported::<5>(),
    reported::<6>(),
    reported::<7>(),
    reported::<8>(),
    reported::<9>(),
    reported::<10>(),
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
                    |settings| SETS[SET].open(settings),
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

    fn open(&self, settings: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
        synthetic::open(&LabSettings {
            noise: settings.noise.or(Some(self.noise)),
            ..settings.clone()
        })
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        let results = section.results;
        let shown = Shown::new(results, mean_loss);
        let families = families(&results.problems());
        document.text(self.about);
        document.text(variants(&families));
        document.table(table(&shown, &families));
        document.table(places(&shown));
    }

    /// Every function in every dimension: original, then its variants.
    fn problems(&self, dims: &[usize]) -> Vec<String> {
        let mut problems = Vec::new();
        for name in self.functions {
            for dim in dims {
                let original = format!("{name}-{dim}");
                let variants = self.variants.iter();
                let variants = variants.map(|variant| format!("{original}@{variant}"));
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

/// What the variants are that were run in their usual doses.
fn variants(families: &[(Family, Members)]) -> String {
    let usual = Control::ALL.into_iter();
    let ran = usual.filter(|usual| {
        families
            .iter()
            .any(|((_, control), _)| *control == Some(*usual))
    });
    let sentences: Vec<String> = ran
        .map(|control| format!("`@{control}`: {}.", control.about()))
        .collect();
    match sentences.is_empty() {
        true => String::new(),
        false => format!(
            "{} A method that goes to the centre of the box has the value of `centre` on each.",
            sentences.join(" ")
        ),
    }
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
        let variant = control.map_or("original".to_owned(), |control| control.to_string());
        let centre = joined(members, |member| Some(member.centre));
        let methods = shown
            .methods
            .iter()
            .map(|method| cell(shown, members, method));
        let cells = [initial(shown, members).into()].into_iter().chain(methods);
        table.row(&[function, &variant, &centre], cells);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_problems_and_methods_that_exist() {
        for set in SETS {
            for problem in set.problems(set.dims) {
                assert_eq!(by_name(&problem, None).unwrap().name(), problem);
                assert!(member(&problem).is_some(), "{problem}");
            }
            let known = known_methods(set.methods);
            let known: Vec<String> = known.iter().map(ToString::to_string).collect();
            assert_eq!(known, set.methods, "{}", set.name);
        }
    }

    /// Regression: the text about `@offset` was there whatever was run.
    #[test]
    fn only_variants_that_were_run_are_explained() {
        let text = |problems: &[&str]| variants(&families(problems));
        assert_eq!(text(&["ackley-5"]), "");
        let moved = text(&["ackley-5", "ackley-5@moved"]);
        assert!(
            moved.contains("`@moved`") && !moved.contains("`@offset`"),
            "{moved}"
        );
        assert_eq!(text(&["ackley-5", "ackley-5@moved-0.05"]), "");
    }
}
