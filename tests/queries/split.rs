//! The cut of a document is the same however it was reached: seeded edits of bytes and lines, followed one after the other
//! and cut anew, in both formats.

use base::data::split::{Format, SplitDocument};
use base::path::SitePath;
use queries::base::content::TextBytes;

use crate::random_numbers::Random;

const YAML: &str = r"openapi: 3.1.0
info:
  title: Museum # words
  description: |
    Some words: of
      prose.
paths:
  /tickets/{id}:
    parameters:
    - name: id
      in: path
    get:
      summary: 'It''s one'
      tags: [a, b]
    put: {summary: x}
  '/visits':
    $ref: '#/components/pathItems/V'
  /empty: {}

components:
  schemas:
    A:
      type: object
      properties: {b: {$ref: '#/components/schemas/B'}}
    B: true
tags:
- name: a
- name: b
";

fn json() -> String {
    let value = base::data::yaml::parse_document(YAML).unwrap().value;
    serde_json::to_string_pretty(&value).unwrap()
}

/// Pieces that change the structure, the validity or the meaning of what is around them.
const PIECES: &[&str] = &[
    "x",
    " ",
    "\n",
    ":",
    ": ",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    "#",
    "- ",
    "  ",
    "\t",
    "&a ",
    "*a",
    "<<: ",
    "? ",
    "|",
    "---\n",
    "1",
    "null",
    "\n  /new:\n    get: {}\n",
    "\n    z: 1",
    ",\"k\":1",
    "\u{e9}",
    "\u{feff}",
    "\r",
];

fn edited(text: &str, dice: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = dice.below(bytes.len() + 1);
    let piece = PIECES[dice.below(PIECES.len())].as_bytes();
    match dice.below(4) {
        0 => {
            let end = (at + 1 + dice.below(6)).min(bytes.len());
            bytes.drain(at.min(end)..end);
        }
        1 => {
            let end = (at + dice.below(4)).min(bytes.len());
            bytes.splice(at.min(end)..end, piece.iter().copied());
        }
        2 => {
            bytes.splice(at..at, piece.iter().copied());
        }
        // A line twice, or not at all.
        _ => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            let line = dice
                .below(lines.len().max(1))
                .min(lines.len().saturating_sub(1));
            if dice.below(2) == 0 {
                lines.insert(line, lines[line]);
            } else {
                lines.remove(line);
            }
            return lines.concat();
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn shown(document: &SplitDocument) -> String {
    let slices = document.slices.iter();
    let slices: Vec<String> = slices.map(|s| format!("{} {}", s.key, s.json)).collect();
    format!("{}\n{:?}", slices.join("\n"), document.problems)
}

#[test]
fn following_edits_gives_the_cut_of_the_new_text() {
    let mut followed = 0;
    for seed in 1..=if cfg!(debug_assertions) { 40 } else { 400 } {
        let mut dice = Random::new(seed);
        for (name, format, start) in [
            ("a.yaml", Format::Yaml, YAML.to_owned()),
            ("a.json", Format::Json, json()),
        ] {
            let path = SitePath::new(name).unwrap();
            let split = |text: &str| SplitDocument::split(&path, format, text.as_bytes().into());
            let mut text = start.clone();
            let mut document = split(&text);
            assert!(document.is_incremental());
            for step in 0..60 {
                // Half of the edits are taken back, so that documents do not only rot.
                let next = if dice.below(2) == 0 {
                    start.clone()
                } else {
                    edited(&text, &mut dice)
                };
                let bytes: TextBytes = next.as_bytes().into();
                let was = document.is_incremental();
                document = document.edited(bytes);
                followed += usize::from(was && document.is_incremental());
                let fresh = split(&next);
                assert_eq!(
                    shown(&document),
                    shown(&fresh),
                    "{name}, seed {seed}, step {step}:\n{text}\n=>\n{next}"
                );
                text = next;
            }
        }
    }
    assert!(followed > 500, "only {followed} edits were followed");
}
