//! Formulas that KaTeX draws, held against ours.
//!
//! `tests/oracle/formulas.mjs` wrote down which of 564 formulas KaTeX draws. All of them are drawn here too, but those of
//! [`REFUSED`], each with its reason.

use std::path::Path;

use formula::formula;

/// Formulas that KaTeX draws and we refuse, with the reason.
const REFUSED: &[(&str, &str)] = &[(
    "\\@ifnextchar x{y}{z}",
    "looks ahead in the source: a word for authors of macros, not of formulas",
)];

#[test]
fn formulas_that_katex_draws_are_drawn() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/oracle/formulas.tsv");
    let list = std::fs::read_to_string(path).unwrap();
    let (mut drawn, mut refused, mut lenient) = (0, Vec::new(), Vec::new());
    for line in list.lines() {
        let mut cells = line.splitn(3, '\t');
        let verdict = cells.next().unwrap();
        let source = cells.nth(1).unwrap();
        match (verdict, formula(source, true)) {
            ("drawn", Ok(_)) => drawn += 1,
            ("drawn", Err(error)) => refused.push((source, error)),
            (_, Ok(_)) => lenient.push(source),
            (_, Err(_)) => {}
        }
    }
    let known = |source: &str| REFUSED.iter().any(|(known, _)| *known == source);
    let unknown: Vec<String> = (refused.iter())
        .filter(|(source, _)| !known(source))
        .map(|(source, error)| format!("{source}\n    {error}"))
        .collect();
    assert!(
        unknown.is_empty(),
        "{} of {} are refused:\n{}",
        unknown.len(),
        drawn + refused.len(),
        unknown.join("\n")
    );
    assert_eq!(refused.len(), REFUSED.len(), "a known one is drawn now");
    // A formula is read as far as it can be: of those that KaTeX refuses no more are counted than there are.
    assert!(lenient.len() <= 15, "{lenient:#?}");
}
