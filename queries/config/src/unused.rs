//! Settings that are recognized but have no effect yet. Using one is reported as a diagnostic.
//!
//! The table lists settings that are planned, and settings known from other generators that can
//! never take effect. Useless fields are not listed; they are unknown. A test removes every field
//! of sample configurations one by one and compares what the sites show, so that a setting is
//! either here or has an effect (`tests/queries/settings.rs`).

use std::collections::BTreeSet;

use serde_json::Value;

use crate::decode::Log;
use base::data::pointer;
use base::diagnostic::Code;
use base::place::Part;

/// A field without effect.
#[derive(Clone, Copy, Debug)]
pub struct Unused {
    /// Pointer without indices of items. `*` matches any key; `…` after `/navigation` matches any
    /// element at any depth.
    pub field: &'static str,
    /// Values that have no effect.
    pub values: Values,
    /// Why it will never have an effect; `None` if support is planned.
    pub never: Option<&'static str>,
}

/// Values of a field.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// Any value.
    All,
    /// Words of a choice.
    Words(&'static [&'static str]),
}

impl Values {
    /// Returns true if `value` is one of them.
    pub fn hold(self, value: &Value) -> bool {
        match self {
            Self::All => true,
            Self::Words(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        }
    }
}

const fn all(field: &'static str) -> Unused {
    Unused {
        field,
        values: Values::All,
        never: None,
    }
}

const fn words(field: &'static str, words: &'static [&'static str]) -> Unused {
    Unused {
        field,
        values: Values::Words(words),
        never: None,
    }
}

/// The settings of a service that there is no more.
const fn ended(field: &'static str) -> Unused {
    Unused {
        never: Some("the service has ended"),
        ..all(field)
    }
}

/// The settings of `docs.json` without effect.
pub const UNUSED: &[Unused] = &[
    all("/public"),
    // How the site looks.
    all("/styling/codeblocks/languages/custom"),
    all("/variations"),
    words("/navbar/links/type", &["button"]),
    // What pages offer.
    all("/errors/404/redirect"),
    ended("/integrations/clearbit"),
    ended("/integrations/koala"),
    all("/seo/trailingSlash"),
    // References.
    all("/api/openapi/directory"),
    all("/api/asyncapi/directory"),
    all("/api/asyncapi/overlays"),
    // What every page shows.
    words("/api/url", &["full"]),
    // Elements of the navigation.
    all("/navigation/…/asyncapi/overlays"),
    all("/navigation/…/graphql"),
    all("/navigation/…/sdk"),
    all("/navigation/…/directory"),
    all("/navigation/…/public"),
    all("/navigation/…/name"),
    all("/navigation/…/color"),
    all("/navigation/…/banner"),
    all("/navigation/…/footer"),
    all("/navigation/…/navbar"),
];

/// The keys below which elements of the navigation stand.
pub const CONTAINERS: &[&str] = &[
    "products",
    "languages",
    "versions",
    "tabs",
    "menu",
    "dropdowns",
    "anchors",
    "groups",
    "pages",
    "global",
];

/// Reports each setting without effect, once, where it is written first.
pub fn report(log: &mut Log<'_>) {
    let mut keys = BTreeSet::new();
    gather_keys(&log.document.value, &mut keys);
    for unused in UNUSED {
        let segments: Vec<&str> = unused.field.split('/').skip(1).collect();
        let mut named = segments.iter().filter(|name| !matches!(**name, "*" | "…"));
        // Nearly always: one look at the document stands for one at each field.
        if !named.all(|name| keys.contains(name)) {
            continue;
        }
        let mut search = Search {
            values: unused.values,
            // In the navigation the same field stands in hundreds of places.
            is_first_enough: segments.contains(&"…"),
            steps: Vec::new(),
            results: Vec::new(),
        };
        search.find(&log.document.value, &segments);
        let mut seen = BTreeSet::new();
        for FieldPlace { pointer, name } in search.results {
            if !seen.insert(name.clone()) {
                continue;
            }
            // What is wrong with it has been said; whoever mends that learns of this.
            let place = log.document.place(&pointer, Part::Value);
            if log.diagnostics.iter().any(|found| found.place == place) {
                continue;
            }
            let value = log.document.value.pointer(&pointer).and_then(Value::as_str);
            let (what, part) = match (unused.values, value) {
                (Values::All, _) | (_, None) => (name, Part::Key),
                (_, Some(value)) => (format!("{name}: {value}"), Part::Value),
            };
            let message = match unused.never {
                Some(why) => format!("`{what}` is not supported: {why}"),
                None => format!("`{what}` has no effect yet"),
            };
            log.report(Code::UnusedField, &pointer, part, message, None);
        }
    }
}

/// Adds every key of `value` and of what is in it.
fn gather_keys<'v>(value: &'v Value, keys: &mut BTreeSet<&'v str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| gather_keys(item, keys)),
        Value::Object(members) => {
            for (key, value) in members {
                keys.insert(key);
                gather_keys(value, keys);
            }
        }
        _ => {}
    }
}

/// A place in the configuration where the searched field is set.
struct FieldPlace {
    pointer: String,
    /// Keys from the root to the place, for messages: `navigation.groups.name`.
    name: String,
}

/// A step down the document.
#[derive(Clone, Copy)]
enum Step<'v> {
    Key(&'v str),
    Item(usize),
}

/// A search for one field in the whole configuration. It runs after each edit of the configuration,
/// so only matches allocate a pointer: pointers of all visited elements took a third of the time of
/// such an edit.
struct Search<'v> {
    values: Values,
    is_first_enough: bool,
    /// Steps from the root to the current value.
    steps: Vec<Step<'v>>,
    results: Vec<FieldPlace>,
}

impl<'v> Search<'v> {
    /// Adds the places at or below `value` that `segments` lead to and that hold one of the values, in the order of the
    /// document.
    fn find(&mut self, value: &'v Value, segments: &[&str]) {
        if self.is_first_enough && !self.results.is_empty() {
            return;
        }
        let Some((first, rest)) = segments.split_first() else {
            if self.values.hold(value) {
                self.results.push(self.here());
            }
            return;
        };
        match value {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.step(Step::Item(i), item, segments);
                }
            }
            Value::Object(members) => match *first {
                "*" => {
                    for (key, value) in members {
                        self.step(Step::Key(key), value, rest);
                    }
                }
                "…" => {
                    for (key, value) in members {
                        if rest.first() == Some(&key.as_str()) {
                            self.step(Step::Key(key), value, &rest[1..]);
                        } else if CONTAINERS.contains(&key.as_str()) {
                            self.step(Step::Key(key), value, segments);
                        }
                    }
                }
                key => {
                    if let Some((key, value)) = members.get_key_value(key) {
                        self.step(Step::Key(key), value, rest);
                    }
                }
            },
            _ => {}
        }
    }

    fn step(&mut self, step: Step<'v>, value: &'v Value, segments: &[&str]) {
        self.steps.push(step);
        self.find(value, segments);
        self.steps.pop();
    }

    fn here(&self) -> FieldPlace {
        let (mut pointer, mut name) = (String::new(), String::new());
        for step in &self.steps {
            match *step {
                Step::Item(i) => pointer = pointer::item(&pointer, i),
                Step::Key(key) => {
                    pointer = pointer::child(&pointer, key);
                    if !name.is_empty() {
                        name.push('.');
                    }
                    name.push_str(key);
                }
            }
        }
        FieldPlace { pointer, name }
    }
}
