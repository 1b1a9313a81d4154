//! Generated sites: seeded, so that every run measures the same words.

#[path = "../../tests/random_numbers.rs"]
pub(crate) mod random_numbers;

use std::fmt::Write;

use random_numbers::Random;

const WORDS: &[&str] = &[
    "the",
    "engine",
    "keeps",
    "every",
    "fact",
    "as",
    "a",
    "query",
    "and",
    "recomputes",
    "only",
    "what",
    "an",
    "edit",
    "invalidates",
    "so",
    "pages",
    "appear",
    "at",
    "once",
    "while",
    "authors",
    "write",
    "about",
    "tickets",
    "visits",
    "exhibits",
    "tokens",
    "requests",
    "responses",
    "limits",
    "errors",
    "retries",
    "webhooks",
];

/// How many pages a group has; ten groups make a tab.
const GROUP: usize = 50;

/// A site of `pages` pages of about 5 KB with headings, tables, lists, code, components and links; paths and contents,
/// the configuration first.
pub(crate) fn site(pages: usize, seed: u64) -> Vec<(String, String)> {
    let mut dice = Random::new(seed);
    let mut files = vec![("docs.json".to_owned(), config(pages, "#0a7a5a"))];
    files.extend((0..pages).map(|n| (format!("{}.mdx", path(n)), page(n, pages, &mut dice))));
    files
}

/// The path of page `n` without its extension.
pub(crate) fn path(n: usize) -> String {
    let group = n / GROUP;
    format!("tab-{}/group-{}/page-{n}", group / 10, group % 10)
}

/// The configuration of a site of `pages` pages.
pub(crate) fn config(pages: usize, color: &str) -> String {
    let groups: Vec<String> = (0..pages.div_ceil(GROUP))
        .map(|group| {
            let of_group = group * GROUP..((group + 1) * GROUP).min(pages);
            let listed: Vec<String> = of_group.map(|n| format!("\"{}\"", path(n))).collect();
            format!(
                r#"{{"group":"Group {group}","pages":[{}]}}"#,
                listed.join(",")
            )
        })
        .collect();
    let tabs: Vec<String> = groups
        .chunks(10)
        .enumerate()
        .map(|(n, groups)| format!(r#"{{"tab":"Tab {n}","groups":[{}]}}"#, groups.join(",")))
        .collect();
    format!(
        r#"{{"theme":"mint","name":"Generated","colors":{{"primary":"{color}"}},"navigation":{{"tabs":[{}]}}}}"#,
        tabs.join(",")
    )
}

fn sentence(dice: &mut Random, words: usize) -> String {
    let mut text = String::new();
    for i in 0..words {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(WORDS[dice.below(WORDS.len())]);
    }
    text[..1].to_uppercase() + &text[1..] + "."
}

fn page(n: usize, pages: usize, dice: &mut Random) -> String {
    let mut text = format!(
        "---\ntitle: \"Page {n}\"\ndescription: {}\n---\n",
        sentence(dice, 9)
    );
    for section in 0..5 {
        let link = path(dice.below(pages));
        let _ = write!(
            text,
            "\n## Section {section} of page {n}\n\n{} See [another page](/{link}) and `code`, **bold**.\n\n{}\n",
            sentence(dice, 40),
            sentence(dice, 60)
        );
        if section % 2 == 0 {
            let _ = write!(
                text,
                "\n```js example.js\nconst answer = await fetch(\"/{link}\"); // {n}\nif (!answer.ok) throw new Error(`no ${{answer.status}}`);\n```\n\n- {}\n- {}\n- {}\n",
                sentence(dice, 8),
                sentence(dice, 6),
                sentence(dice, 9)
            );
        } else {
            let _ = write!(text, "\n| Name | Meaning |\n|---|---|\n");
            for _ in 0..5 {
                let _ = writeln!(text, "| {} | {} |", sentence(dice, 2), sentence(dice, 7));
            }
            let _ = write!(
                text,
                "\n<Note>\n  {}\n\n  {}\n</Note>\n",
                sentence(dice, 16),
                sentence(dice, 12)
            );
        }
    }
    text
}
