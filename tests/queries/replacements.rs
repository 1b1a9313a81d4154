//! What diagnostics propose to write instead: each proposal is carried out, and mends what it is of.

use std::collections::BTreeMap;

use base::diagnostic::Code;
use queries::site::report::{Report, reports};
use queries::site::{Edit, edited};

use crate::cases;
use crate::support::TestSite;

type Files = BTreeMap<String, Vec<u8>>;

fn reports_of(files: &Files) -> Vec<Report> {
    let site = TestSite::new(&files.clone().into_iter().collect::<Vec<_>>());
    reports(&site.db, site.site)
}

/// Diagnostics by file, code and message, each with its number: places move with the text.
fn counted(reports: &[Report]) -> BTreeMap<(String, Code, String), usize> {
    let mut counts = BTreeMap::new();
    for report in reports {
        let found = &report.diagnostic;
        let key = (
            report.located.path.to_string(),
            found.code,
            found.message.clone(),
        );
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// `files` with the edits of `report`.
fn mended(files: &Files, report: &Report) -> Files {
    let path = report.located.path.as_str();
    let text = String::from_utf8(files[path].clone()).unwrap();
    let text = edited(&text, &report.edits).unwrap();
    let mut files = files.clone();
    files.insert(path.to_owned(), text.into_bytes());
    files
}

/// Carries out each proposal by itself; returns the codes of those that there were, and what is wrong with them.
fn check(name: &str, files: &Files) -> (Vec<Code>, String) {
    let before = reports_of(files);
    let (mut codes, mut failures) = (Vec::new(), String::new());
    let proposals = before.iter().filter(|report| !report.edits.is_empty());
    for report in proposals {
        codes.push(report.diagnostic.code);
        let mut left = counted(&before);
        let after = counted(&reports_of(&mended(files, report)));
        let own = counted(std::slice::from_ref(report));
        for key in own.keys() {
            *left.get_mut(key).unwrap() -= 1;
        }
        for (key, count) in &after {
            let known = left.get(key).copied().unwrap_or_default();
            if *count > known {
                failures += &format!(
                    "{name}: {}{:?}: new: {key:?}\n",
                    report.text(false),
                    report.edits
                );
            }
        }
    }
    (codes, failures)
}

/// Codes whose "did you mean" is about a part of their place, or about more than it.
const ONLY_HINTS: &[(&str, Code, &str)] = &[
    (
        "asyncapi-errors",
        Code::MissingSpec,
        "the name is not near enough",
    ),
    (
        "description-links",
        Code::BrokenLink,
        "the place is the whole description",
    ),
    (
        "mdx-endpoint",
        Code::PathParameterUnused,
        "the place is the tag of the field",
    ),
    (
        "openapi-rules",
        Code::DiscriminatorMapping,
        "the name is the end of a reference",
    ),
    (
        "openapi-rules",
        Code::ExtensionUnknown,
        "the place is the extension",
    ),
    (
        "openapi-rules",
        Code::LinkExpression,
        "the name is a part of an expression",
    ),
    (
        "openapi-rules",
        Code::LinkParameter,
        "the place is the expression of the parameter",
    ),
    (
        "openapi-rules",
        Code::RequiredUndefined,
        "the place is the whole list",
    ),
    (
        "openapi-rules",
        Code::ScopeUndefined,
        "the place is the scheme",
    ),
    (
        "openapi-rules",
        Code::SpecFieldUnknown,
        "the right field is there as well",
    ),
    (
        "operation-pages",
        Code::UnresolvedOperation,
        "the path has several operations",
    ),
    (
        "overlay-errors",
        Code::SpecFieldUnknown,
        "the right field is there as well",
    ),
    (
        "page-menu",
        Code::InvalidFrontMatterField,
        "the place is the key around the list",
    ),
    (
        "sign-headings",
        Code::BrokenAnchor,
        "another number is no slip",
    ),
];

#[test]
fn every_replacement_mends_its_diagnostic_and_breaks_nothing() {
    let mut failures = String::new();
    let mut codes = Vec::new();
    for (name, folder) in cases::folders() {
        let (of_case, wrong) = check(&name, &cases::files(&folder.join("site")));
        codes.extend(of_case);
        failures += &wrong;
    }
    assert_eq!(failures, "");
    codes.sort();
    codes.dedup();
    let names: Vec<&str> = codes.iter().map(|code| code.name()).collect();
    // Each kind of place: of JSON, YAML, TOML, frontmatter and text.
    assert_eq!(
        names,
        [
            "invalid-field",
            "unknown-field",
            "missing-page",
            "missing-spec",
            "spec-value-invalid",
            "unresolved-operation",
            "unresolved-channel",
            "unknown-component",
            "broken-link",
            "broken-anchor",
            "missing-file",
            "unknown-prop",
        ]
    );
}

#[test]
fn a_hint_that_names_a_word_can_be_carried_out() {
    let (mut without, mut exempt) = (String::new(), Vec::new());
    for (name, folder) in cases::folders() {
        let is_exempt = |code: Code| {
            ONLY_HINTS
                .iter()
                .any(|one| (one.0, one.1) == (&*name, code))
        };
        for report in reports_of(&cases::files(&folder.join("site"))) {
            let hint = report.diagnostic.hint.as_deref().unwrap_or_default();
            if !hint.starts_with("did you mean") || !report.edits.is_empty() {
                continue;
            }
            match is_exempt(report.diagnostic.code) {
                true => exempt.push((name.clone(), report.diagnostic.code)),
                false => without += &format!("{name}: {}", report.text(false)),
            }
        }
    }
    assert_eq!(without, "");
    for (name, code, reason) in ONLY_HINTS {
        let is_met = exempt.contains(&((*name).to_owned(), *code));
        assert!(is_met, "{name} has no {}: {reason}", code.name());
    }
}

/// Checks that the only proposal for a file with the text `before` makes it `after`.
#[track_caller]
fn check_layout(path: &str, before: &str, after: &str) {
    let mut files: Files = [
        ("docs.json", r##"{"name": "A", "theme": "mint", "colors": {"primary": "#123456"}, "navigation": {"pages": ["index"]}}"##),
        ("index.mdx", "---\ntitle: A\n---\n\n## Words\n"),
        ("other.mdx", "---\ntitle: B\n---\n\n## Words\n"),
        ("api.yaml", "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths:\n  /pets:\n    get: {responses: {'200': {description: A}}}\n"),
    ]
    .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
    .into();
    files.insert(path.to_owned(), before.as_bytes().to_vec());
    let found = reports_of(&files);
    let proposals: Vec<&Report> = found
        .iter()
        .filter(|report| !report.edits.is_empty())
        .collect();
    let [proposal] = proposals[..] else {
        panic!("{proposals:?}")
    };
    let mended = mended(&files, proposal);
    assert_eq!(String::from_utf8_lossy(&mended[path]), after);
}

#[test]
fn replacements_keep_the_layout_of_their_file() {
    // Quotes, comments, line ends and the byte order mark stay.
    for (before, after) in [
        ("openapi: GET /pet # it", "openapi: GET /pets # it"),
        ("openapi: 'GET /pet'", "openapi: 'GET /pets'"),
        (
            "\"openapi\":   \"get /pet\"  # it",
            "\"openapi\":   \"GET /pets\"  # it",
        ),
        ("openapi: api.yaml GET /pet", "openapi: api.yaml GET /pets"),
        ("sidebartitle: B", "sidebarTitle: B"),
        ("'sidebartitle' : B", "'sidebarTitle' : B"),
    ] {
        for (start, end) in [("", "\n"), ("\u{feff}", "\r\n")] {
            let page = |line: &str| {
                format!("{start}---{end}title: A{end}{line}{end}---{end}{end}Text.{end}")
            };
            check_layout("index.mdx", &page(before), &page(after));
        }
    }
    for (before, after) in [
        ("[A](/othr#words)", "[A](/other#words)"),
        ("[A](othr 'B')", "[A](/other 'B')"),
        ("[B](/other) [A](/othe)", "[B](/other) [A](/other)"),
        ("<a href='#wrds'>A</a>", "<a href='#words'>A</a>"),
        (
            "é [A](#words-of) [B](#words-off)\n\n## Words of",
            "é [A](#words-of) [B](#words-of)\n\n## Words of",
        ),
        ("<Crad title=\"A\" />", "<Card title=\"A\" />"),
        (
            "<Crad>\r\n  <Card title='>'/>\r\n</Crad >",
            "<Card>\r\n  <Card title='>'/>\r\n</Card >",
        ),
        ("> <Card titel=\"A\" />", "> <Card title=\"A\" />"),
    ] {
        let page = |body: &str| format!("---\ntitle: A\n---\n\n## Words\n\n{body}\n");
        check_layout("index.mdx", &page(before), &page(after));
    }
    let config = |field: &str| {
        format!(
            "\u{feff}{{\r\n\t\"name\" : \"A\",\r\n \"theme\":\"mint\",\"colors\":{{\"primary\":\"#123456\"}}, {field},\r\n\"navigation\": {{\"pages\": [\"index\"]}}}}"
        )
    };
    check_layout(
        "docs.json",
        &config("\"favicn\" :\"/a.svg\""),
        &config("\"favicon\" :\"/a.svg\""),
    );
    let api = |field: &str| {
        format!(
            "openapi: 3.1.0\ninfo:\n  title: A\n  version: '1'\n  {field}: A # it\npaths: {{}}\n"
        )
    };
    check_layout("api.yaml", &api("'descripton'"), &api("'description'"));
    check_layout(
        "quire.toml",
        "[rules]\r\n\"tag-undefind\" = \"off\" # it\r\n",
        "[rules]\r\n\"tag-undefined\" = \"off\" # it\r\n",
    );
    check_layout(
        "quire.toml",
        "[rules]\ntag-undefined = 'of'\n",
        "[rules]\ntag-undefined = 'off'\n",
    );
}

#[test]
fn edits_that_overlap_or_lie_outside_are_refused() {
    let edit = |line, column, end_column, text: &str| Edit {
        line,
        column,
        end_column,
        text: text.to_owned(),
    };
    let text = "aé\r\nb";
    let both = [edit(2, 1, 2, "c"), edit(1, 2, 3, "e")];
    assert_eq!(edited(text, &both).as_deref(), Some("ae\r\nc"));
    assert_eq!(edited(text, &[edit(1, 1, 3, ""), edit(1, 2, 3, "e")]), None);
    assert_eq!(edited(text, &[edit(3, 1, 2, "")]), None);
    assert_eq!(edited(text, &[edit(2, 1, 9, "")]), None);
    assert_eq!(edited(text, &[edit(0, 1, 1, "")]), None);
}
