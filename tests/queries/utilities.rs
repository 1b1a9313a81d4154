//! Utility classes, held against Tailwind 3.
//!
//! `tests/oracle/utilities.mjs` wrote down the rules that Tailwind makes of names of its default theme, of values in brackets,
//! of opacities and of variants. Both sides go through the same normal form: custom properties of the generator are
//! resolved within the rule, colors become four channels, shorthands their sides. What still differs is named in
//! [`DIFFERENT`] with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use utility::stylesheet;

mod normal;

use normal::{Declarations, declarations, rules};

/// Why a class has another rule than Tailwind gives it: beginnings of names, and the reason.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "from-",
        "ends in `transparent`, which is drawn as the color seen through",
    ),
    (
        "via-",
        "ends in `transparent`, which is drawn as the color seen through",
    ),
    (
        "ring-offset-",
        "draws the offset by itself, where a ring takes it with it",
    ),
    (
        "shadow-",
        "the shadow asks for its color, where the color names the shadow",
    ),
    ("container", "widths in rem"),
    ("first:hover:", "the order of states"),
    ("ltr:", "a direction is that of the page"),
    ("rtl:", "a direction is that of the page"),
    (
        "max-[",
        "a width is excluded at its bound, as `max-md` has it",
    ),
    ("stroke-", "a width in pixels"),
    (
        "list-image-[",
        "addresses in a property of the author's own are not read",
    ),
    ("hover:*:", "hovered is the element, not its children"),
    (
        "after:!",
        "the mark of importance is on what the variant gives too",
    ),
    (
        "before:!",
        "the mark of importance is on what the variant gives too",
    ),
    (
        "hover:before:!",
        "the mark of importance is on what the variant gives too",
    ),
];

/// Custom properties that Tailwind gives to every element, and those that the theme registers.
fn defaults(list: &str) -> BTreeMap<String, String> {
    let first = list.lines().next().unwrap();
    let body = first
        .strip_prefix("*\t*{")
        .unwrap()
        .strip_suffix('}')
        .unwrap();
    let theirs = (body.split(';')).filter_map(|declaration| declaration.split_once(':'));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("theme/css/utilities.css");
    let sheet = std::fs::read_to_string(path).unwrap();
    let ours = sheet.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("@property ")?.split_once(' ')?;
        let (_, value) = rest.split_once("initial-value:")?;
        Some((name, value.split(';').next()?.trim()))
    });
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let content = [("--tw-content", "\"\"")];
    theirs.chain(ours).chain(content).map(owned).collect()
}

/// Declarations of `sheet`, by the condition and the selector that they hold under.
fn normal(sheet: &str, class: &str, defaults: &BTreeMap<String, String>) -> Declarations {
    // Rules of one place give their properties together.
    let mut bodies: BTreeMap<String, String> = BTreeMap::new();
    for rule in rules(sheet) {
        for place in rule.places(class) {
            let body = bodies.entry(place).or_default();
            body.push_str(rule.body);
            body.push(';');
        }
    }
    (bodies.into_iter())
        .map(|(place, body)| (place, declarations(&body, defaults)))
        .collect()
}

#[test]
#[expect(clippy::print_stderr, reason = "the figures are the result")]
fn utilities_have_the_rules_of_tailwind() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/oracle/utilities.tsv");
    let list = std::fs::read_to_string(path).unwrap();
    let defaults = defaults(&list);
    let (mut same, mut without, mut different) = (0, Vec::new(), Vec::new());
    let mut used = BTreeSet::new();
    for line in list.lines().skip(1) {
        let mut cells = line.split('\t');
        let class = cells.next().unwrap();
        let theirs: String = cells.collect();
        let ours = stylesheet(&BTreeSet::from([class.to_owned()]), "");
        let theirs = normal(&theirs, "&", &defaults);
        let sheet = normal(&ours, class, &defaults);
        if sheet == theirs {
            same += 1;
            continue;
        }
        let reason = DIFFERENT
            .iter()
            .position(|(name, _)| class.starts_with(name));
        if let Some(reason) = reason {
            used.insert(reason);
        } else if ours.is_empty() {
            without.push(class);
        } else {
            different.push(format!(
                "{class}\n  theirs {theirs:?}\n  ours   {sheet:?}\n  {ours}"
            ));
        }
    }
    eprintln!(
        "{same} same, {} without a rule, {} different",
        without.len(),
        different.len()
    );
    assert!(
        without.is_empty() && different.is_empty(),
        "without a rule: {without:#?}\ndifferent:\n{}",
        different.join("\n")
    );
    let unused: Vec<_> = (DIFFERENT.iter().enumerate())
        .filter(|(at, _)| !used.contains(at))
        .map(|(_, (name, _))| name)
        .collect();
    assert!(unused.is_empty(), "the same now: {unused:?}");
}
