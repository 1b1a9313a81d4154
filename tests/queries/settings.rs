//! Settings: each that is decoded either changes what the site shows or says that it does not.

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostic::Code;
use base::path::SitePath;
use config::fields::{description, field_of, fields};
use config::reference::Document;
use config::site::known_fields;
use config::unused::{UNUSED, Unused, Values};
use mdx::front_matter;
use queries::frame::{PageOptions, RepositoryLinks, not_found_html, page_html};
use queries::site::{card_look, page_card, page_twin, route_table, site_diagnostics};
use serde_json::Value;
use theme::search::SearchSource;

use crate::manual;
use crate::support::{TestSite, shown};
use samples::{FILES, PAGES, docs_with_page, samples};

mod samples;
mod schema;

/// What is drawn of a star inside of `before` and `after`.
#[track_caller]
fn star(html: &str, before: &str) -> String {
    let (_, rest) = html
        .split_once(before)
        .unwrap_or_else(|| panic!("{before}: {html}"));
    let (_, svg) = rest.split_once("<svg").expect("an icon");
    svg.split("</svg>").next().expect("its end").to_owned()
}

#[test]
fn texts_that_stand_by_themselves_use_the_icons_of_the_site() {
    let spec = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"get": {
        "summary": "A", "x-docs": {"content": "Mark1 <Icon icon=\"star\" /> text"}, "responses": {}}}}}"##;
    let page = "---\ntitle: Start\n---\n\nMark2 <Icon icon=\"star\" /> text\n\n<Frame caption='Mark4 <Icon icon=\"star\" /> text'>![x](/x.png)</Frame>\n";
    let mut drawn = Vec::new();
    for library in ["fontawesome", "lucide", "tabler"] {
        let docs = format!(
            r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "icons": {{"library": "{library}"}},
            "banner": {{"content": "Mark3 <Icon icon=\"star\" /> text"}},
            "navigation": {{"groups": [{{"group": "G", "pages": ["start"]}}, {{"group": "API", "openapi": "api.json"}}]}}}}"##
        );
        let site = TestSite::new(&[
            ("docs.json", &*docs),
            ("start.mdx", page),
            ("api.json", spec),
        ]);
        let outputs = site.outputs();
        let (start, operation) = (&outputs["/start"], &outputs["/api-reference/a"]);
        let of_page = star(start, "Mark2");
        assert_eq!(star(start, "Mark3"), of_page, "the banner with {library}");
        assert_eq!(star(start, "Mark4"), of_page, "a caption with {library}");
        assert_eq!(
            star(operation, "Mark1"),
            of_page,
            "x-docs.content with {library}"
        );
        drawn.push(of_page);
    }
    drawn.dedup();
    assert_eq!(drawn.len(), 3, "each library has its own star");
}

/// Fields that are read where this test does not look, with the place.
const READ_ELSEWHERE: &[(&str, &str)] =
    &[("/search/synonyms", "the index of the shell asks for them")];

/// Fields with words that come to the same, with the reason.
const ALIKE: &[(&str, &str)] = &[
    (
        "icon/style",
        "a style that the free libraries do not have is drawn as the nearest that they have",
    ),
    (
        "rules/servers-missing",
        "pages are the same, however a rule is graded: authors are told",
    ),
];

/// What readers see of the site, and what authors are told of it but for what is missing or has no effect.
struct SiteOutput {
    outputs: BTreeMap<String, String>,
    diagnostics: String,
}

fn shown_with(site: &mut TestSite, docs: &Value) -> SiteOutput {
    site.add("docs.json", docs.to_string());
    everything_shown(site)
}

fn everything_shown(site: &TestSite) -> SiteOutput {
    let mut outputs = site.outputs();
    outputs.remove("the diagnostics");
    outputs.remove("the report");
    let (db, site) = (&site.db, site.site);
    let options = PageOptions {
        base_url: Some("https://docs.example".to_owned()),
        assistant: Some("/api/sites/a/assistant".to_owned()),
        mcp: Some("/mcp".to_owned()),
        cards: true,
        search: Some(SearchSource::Service("/api/sites/a/search".to_owned())),
        repository: Some(RepositoryLinks {
            edit: Some("https://git.example/edit/{path}".to_owned()),
            issue: Some("https://git.example/new?title={title}&body={body}".to_owned()),
        }),
        vendors: true,
        ..PageOptions::default()
    };
    for (route, page) in &route_table(db, site).pages {
        outputs.insert(
            format!("{route} at its address"),
            page_html(db, site, *page, &options).html,
        );
    }
    for (route, page) in &route_table(db, site).pages {
        outputs.insert(format!("{route} as Markdown"), page_twin(db, site, *page));
        let card = (card_look(db, site), page_card(db, *page));
        outputs.insert(format!("{route} as a card"), format!("{card:?}"));
    }
    outputs.insert(
        "404".to_owned(),
        not_found_html(db, site, "/nowhere", &options),
    );
    let mut found = site_diagnostics(db, site);
    found.retain(|found| {
        !matches!(
            found.code,
            Code::MissingField | Code::UnusedField | Code::UnknownField
        )
    });
    let diagnostics = shown(&found);
    SiteOutput {
        outputs,
        diagnostics,
    }
}

/// `value` without what stands at `pointer`.
fn without(value: &Value, pointer: &str) -> Value {
    let mut value = value.clone();
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    let name = name.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(parent) {
        Some(Value::Object(members)) => drop(members.remove(&name)),
        Some(Value::Array(items)) => drop(items.remove(name.parse().expect("a number"))),
        other => panic!("{pointer}: {other:?}"),
    }
    value
}

fn is_listed(field: &str, listed: &Unused) -> bool {
    let (mut names, mut pattern) = (field.split('/'), listed.field.split('/'));
    pattern.all(|part| names.next().is_some_and(|name| part == "*" || part == name))
}

#[test]
fn each_setting_has_an_effect_or_says_that_it_has_none() {
    let mut site = TestSite::new(FILES);
    let (mut known, mut present) = (BTreeSet::new(), BTreeSet::new());
    let (mut effective, mut told) = (BTreeSet::new(), BTreeSet::new());
    // Words that a field can have, with those that show something that it does not show without the field.
    let mut idle_words: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for sample in samples() {
        let document = Document::new(&SitePath::new("docs.json").unwrap(), sample.clone());
        let whole = shown_with(&mut site, &sample);
        for (pointer, words) in known_fields(&document) {
            let field = field_of(&pointer);
            known.insert(field.clone());
            if sample.pointer(&pointer).is_none() {
                continue;
            }
            present.insert(field.clone());
            let less = shown_with(&mut site, &without(&sample, &pointer));
            if less.outputs != whole.outputs {
                effective.insert(field.clone());
            }
            if less.diagnostics != whole.diagnostics {
                told.insert(field.clone());
            }
            let mut as_without: Vec<&str> = Vec::new();
            for word in words {
                let mut other = sample.clone();
                *other.pointer_mut(&pointer).expect("it is there") = word.into();
                if shown_with(&mut site, &other).outputs == less.outputs {
                    as_without.push(word);
                }
            }
            let idle = as_without.into_iter().collect();
            let known = idle_words
                .entry(field)
                .or_insert_with(|| BTreeSet::clone(&idle));
            known.retain(|word| idle.contains(word));
        }
    }
    let mut report = String::new();
    let listing = |field: &String| {
        let mut listed = UNUSED.iter();
        listed.find(|listed| is_listed(field, listed) && matches!(listed.values, Values::All))
    };
    // Whether such a field has an effect is told by its words.
    let is_of_words = |field: &String| {
        let mut listed = UNUSED.iter().filter(|listed| is_listed(field, listed));
        listed.any(|listed| !matches!(listed.values, Values::All))
    };
    for field in &known {
        let below = format!("{field}/");
        let inner: Vec<&String> = known
            .iter()
            .filter(|inner| inner.starts_with(&below))
            .collect();
        // Each part of it has no effect, and says so.
        if !inner.is_empty() && inner.iter().all(|inner| listing(inner).is_some()) {
            continue;
        }
        let listed = listing(field);
        let is_elsewhere = READ_ELSEWHERE
            .iter()
            .any(|(elsewhere, _)| elsewhere == field);
        let is_effective = effective.contains(field) || told.contains(field);
        if !present.contains(field) {
            report.push_str(&format!("{field}: no sample has it\n"));
        } else if listed.is_some() && effective.contains(field) {
            report.push_str(&format!(
                "{field}: it has an effect, and is listed as one without\n"
            ));
        } else if listed.is_none() && !is_effective && !is_elsewhere && !is_of_words(field) {
            report.push_str(&format!("{field}: it has no effect, and is not listed\n"));
        }
        let mut idle = idle_words.get(field).cloned().unwrap_or_default();
        for listed in UNUSED.iter().filter(|listed| is_listed(field, listed)) {
            for word in &idle_words[field] {
                if listed.values.hold(&Value::from(*word)) {
                    idle.remove(word);
                }
            }
            if let Values::Words(words) = listed.values
                && let Some(word) = words.iter().find(|word| !idle_words[field].contains(*word))
            {
                report.push_str(&format!("{field}: `{word}` has an effect, and is listed\n"));
            }
        }
        let is_alike = ALIKE.iter().any(|(alike, _)| field.ends_with(alike));
        if idle.len() > 1 && !is_alike {
            report.push_str(&format!(
                "{field}: these are the same as nothing: {idle:?}\n"
            ));
        }
    }
    assert_eq!(report, "");
}

/// What is said of the settings of `docs` that have no effect.
fn said_of(docs: &Value) -> Vec<String> {
    let site = TestSite::new(&[("docs.json", docs.to_string())]);
    let found = site_diagnostics(&site.db, site.site).into_iter();
    let found = found.filter(|found| found.code == Code::UnusedField);
    found.map(|found| found.message).collect()
}

#[test]
fn each_setting_without_effect_is_said_once() {
    let mut said = BTreeSet::new();
    for sample in samples() {
        let messages = said_of(&sample);
        let unique: BTreeSet<String> = messages.iter().cloned().collect();
        assert_eq!(messages.len(), unique.len(), "{messages:#?}");
        said.extend(unique);
    }
    for listed in UNUSED {
        let name = listed.field[1..].replace('/', ".");
        let said_so = match listed.never {
            Some(why) => format!("is not supported: {why}"),
            None => "has no effect yet".to_owned(),
        };
        let word = match listed.values {
            Values::All => {
                let (before, after) = name.split_once(['…', '*']).unwrap_or((&name, ""));
                let is_of = |message: &&String| {
                    message.starts_with(&format!("`{before}"))
                        && message.ends_with(&format!("{after}` {said_so}"))
                };
                assert!(said.iter().any(|message| is_of(&message)), "{name}");
                continue;
            }
            Values::Words(words) => words[0],
        };
        let mut docs = docs_with_page();
        let mut at = &mut docs;
        for key in listed.field[1..].split('/') {
            at = &mut at[key];
        }
        *at = word.into();
        assert_eq!(
            said_of(&docs),
            [format!("`{name}: {word}` has no effect yet")]
        );
    }
}

#[test]
fn each_field_of_a_frontmatter_has_an_effect_or_says_that_it_has_none() {
    let mut site = TestSite::new(FILES);
    site.add("docs.json", docs_with_page().to_string());
    let path = SitePath::new("sample.mdx").unwrap();
    let text = |lines: &[&str]| format!("---\n{}\n---\n\n## Part\n\nWords.\n", lines.join("\n"));
    let absent = serde_json::to_value(front_matter::FrontMatter::default()).unwrap();
    let mut unset: BTreeSet<&String> = absent.as_object().unwrap().keys().collect();
    let (mut idle, mut effective) = (BTreeSet::new(), BTreeSet::new());
    for lines in PAGES {
        let parsed = front_matter::parse(&path, &text(lines));
        let set = serde_json::to_value(&parsed.value).unwrap();
        unset.retain(|field| set[*field] == absent[*field]);
        site.add("sample.mdx", text(lines));
        let whole = everything_shown(&site).outputs;
        for (i, line) in lines.iter().enumerate() {
            let (field, _) = line.split_once(": ").expect("a field");
            let less: Vec<&str> = [&lines[..i], &lines[i + 1..]].concat();
            site.add("sample.mdx", text(&less));
            match everything_shown(&site).outputs == whole {
                true => idle.insert(field),
                false => effective.insert(field),
            };
        }
    }
    // Whatever is not known, and what stands below the frontmatter.
    assert_eq!(
        unset.into_iter().collect::<Vec<_>>(),
        ["other", "title_heading"],
        "no sample has these"
    );
    idle.retain(|field| !effective.contains(field));
    let listed: BTreeSet<&str> = front_matter::UNUSED.iter().copied().collect();
    assert_eq!(idle, listed);
}

/// Type of a field, by a value that it has.
fn type_of(value: &Value, words: &[&str]) -> String {
    match value {
        _ if !words.is_empty() => words.join(", "),
        Value::String(_) => "text".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Array(_) => "list".to_owned(),
        Value::Object(_) | Value::Null => "object".to_owned(),
    }
}

#[test]
fn each_setting_is_described() {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for sample in samples() {
        let document = Document::new(&SitePath::new("docs.json").unwrap(), sample.clone());
        for (pointer, words) in known_fields(&document) {
            if let Some(value) = sample.pointer(&pointer) {
                let field = field_of(&pointer);
                known.entry(field).or_insert_with(|| type_of(value, &words));
            }
        }
    }
    let missing = known.keys().filter(|field| description(field).is_none());
    assert_eq!(missing.collect::<Vec<_>>(), [&""; 0]);
    let mut page = "---\ntitle: docs.json\ndescription: \"Every field of the configuration: type, and what \
        it does.\"\n---\n\n{/* Written by tests/queries/settings.rs from queries/config/src/fields.txt. */}\n\n\
        `theme`, `name`, `colors.primary` and `navigation` are required. Any object can be kept in another \
        file: `{ \"$ref\": \"./navigation.json\" }`. How elements of the navigation go together: \
        [Navigation and docs.json](/write/navigation).\n"
        .to_owned();
    let mut section = "";
    for (pointer, about) in fields() {
        let top = pointer[1..].split('/').next().unwrap_or_default();
        if top != section {
            section = top;
            page.push_str(&format!("\n## `{top}`\n"));
        }
        let of = known
            .get(pointer)
            .unwrap_or_else(|| panic!("{pointer} is no field"));
        let name = pointer[1..].replace("/…/", "/").replace('/', ".");
        let unused = UNUSED.iter().find(|listed| is_listed(pointer, listed));
        let unused = unused.filter(|listed| matches!(listed.values, Values::All));
        let note = match unused {
            Some(Unused {
                never: Some(why), ..
            }) => format!(" *Without effect: {why}.*"),
            Some(_) => " *Without effect so far.*".to_owned(),
            None => String::new(),
        };
        let about = manual::escaped(about);
        page.push_str(&format!(
            "\n<ResponseField name=\"{name}\" type=\"{of}\">\n  {about}{note}\n</ResponseField>\n"
        ));
    }
    manual::check("reference/docs-json.mdx", &page);
}

/// Frontmatter of one line.
fn with_line(name: &str, value: &str) -> String {
    format!("---\n{name}: {value}\n---\n\nWords.\n")
}

/// Name of a key as a page writes it: YAML quotes none of them.
fn sample_name(name: &str) -> String {
    name.replace('…', "image")
}

#[test]
fn each_field_of_a_frontmatter_is_described() {
    let path = SitePath::new("sample.mdx").unwrap();
    let absent = front_matter::FrontMatter::default();
    let lines = PAGES.iter().copied().flatten();
    let mut read: BTreeSet<&str> = lines
        .map(|line| line.split_once(": ").unwrap().0)
        .map(|name| if name == "og:title" { "og:…" } else { name })
        .collect();
    read.insert("twitter:…");
    let described: Vec<&str> = front_matter::fields().map(|field| field.name).collect();
    assert_eq!(described.iter().copied().collect::<BTreeSet<_>>(), read);
    assert_eq!(described.len(), read.len(), "one is described twice");

    let mut page = "---\ntitle: Frontmatter\ndescription: \"Every key at the top of a page: type, what it \
        does, and an example.\"\n---\n\n{/* Written by tests/queries/settings.rs from \
        queries/mdx/src/front_matter/fields.txt. */}\n\nFrontmatter is YAML between two lines of three \
        hyphens, on the first lines of a page. All keys are optional. Quote values that hold `: ` or `#`. \
        Keys that are not in this list are kept for other tools and change nothing.\n\n\
        ```mdx webhooks.mdx\n---\ntitle: Webhooks\ndescription: Receive events as they happen.\nicon: bell\n\
        ---\n\nThe text of the page.\n```\n"
        .to_owned();
    let mut group = "";
    for field in front_matter::fields() {
        let name = sample_name(field.name);
        let parsed = front_matter::parse(&path, &with_line(&name, field.example));
        let mut found = parsed.diagnostics;
        found.retain(|found| found.code != Code::UnusedField);
        assert_eq!(found, [], "{name}: {}", field.example);
        assert!(parsed.value.other.is_empty(), "{name} is not read");
        assert!(parsed.value != absent, "{name} is not read");
        assert!(front_matter::description(&name) == Some(field.about));
        if field.group != group {
            group = field.group;
            page.push_str(&format!("\n## {group}\n"));
        }
        let about = manual::escaped(field.about);
        let note = match front_matter::UNUSED.contains(&field.name) {
            true => " *Without effect so far.*",
            false => "",
        };
        page.push_str(&format!(
            "\n<ResponseField name=\"{}\" type=\"{}\">\n  {about}{note}\n\n  Example: `{}: {}`\n</ResponseField>\n",
            field.name, field.kind, name, field.example
        ));
    }
    manual::check("reference/frontmatter.mdx", &page);
}

#[test]
fn the_type_of_each_field_of_a_frontmatter_is_as_described() {
    let path = SitePath::new("sample.mdx").unwrap();
    for field in front_matter::fields() {
        // A value of another type, and what is reported of it.
        let (other, wanted) = match field.kind {
            "true or false" => ("3", "`true` or `false`"),
            "number" => ("[a]", "a number"),
            "list" => ("{a: b}", "a list"),
            // `Contextual` reads it, with the types of `docs.json`.
            "object" => continue,
            "address" => ("javascript:alert(1)", "an `https://` address"),
            _ => ("[a]", "text"),
        };
        let name = sample_name(field.name);
        let found = front_matter::parse(&path, &with_line(&name, other)).diagnostics;
        let found: Vec<&str> = (found.iter())
            .filter(|found| found.code == Code::InvalidFrontMatterField)
            .map(|found| found.message.as_str())
            .collect();
        assert_eq!(found.len(), 1, "{name}: {other}");
        assert!(
            found[0].starts_with(&format!("`{name}` should be {wanted}")),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn each_word_of_a_field_of_a_frontmatter_has_an_effect() {
    let words_of = |name: &str| {
        let field = front_matter::fields().find(|field| field.name == name);
        field.unwrap().kind.split(", ").collect::<Vec<_>>()
    };
    let mut site = TestSite::new(FILES);
    site.add("docs.json", docs_with_page().to_string());
    let mut shown_as = BTreeSet::new();
    for mode in words_of("mode").into_iter().chain(["none such"]) {
        site.add("sample.mdx", with_line("mode", mode));
        assert!(shown_as.insert(site.outputs()["/sample"].clone()), "{mode}");
    }
    for word in words_of("authMethod") {
        assert!(config::api::AuthMethod::from_name(word).is_some(), "{word}");
    }
    let docs = serde_json::json!({ "api": { "playground": { "display": "none" } } });
    let document = Document::new(&SitePath::new("docs.json").unwrap(), docs);
    let display = &known_fields(&document)["/api/playground/display"];
    assert_eq!(words_of("playground"), *display);
}
