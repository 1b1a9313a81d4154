//! Severities of rules for specifications: `api.rules` of `docs.json`, and the table `[rules]` of a
//! `quire.toml` beside it.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::DeTable;

use crate::decode::{Decode, Log, Node, words};
use base::diagnostic::{Advice, Code, Diagnostic, Near, Parsed, Severity, near};
use base::path::SitePath;
use base::place::{Part, Place};

words! {
    /// Severity of a rule for specifications.
    pub enum RuleLevel { Off = "off", Info = "info", Warning = "warning", Error = "error" }
}

impl RuleLevel {
    /// The level that `word` means; remarks are called so where diagnostics are counted.
    fn from_word(word: &str) -> Option<Self> {
        let word = match word {
            "remark" => "info",
            word => word,
        };
        let mut all = Self::ALL.iter();
        all.find(|(known, _)| *known == word)
            .map(|(_, level)| *level)
    }
}

/// Codes that say that a document cannot be read: its contents are unknown, so these cannot be
/// turned off.
const ALWAYS: [Code; 6] = [
    Code::InvalidJson,
    Code::InvalidYaml,
    Code::MissingSpec,
    Code::TruncatedFile,
    Code::UnreadableFile,
    Code::UnsupportedVersion,
];

/// Severities of rules by code; others have the severity of their code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(pub BTreeMap<Code, RuleLevel>);

/// Error in the name of a rule, with a suggestion.
struct NoRule {
    message: String,
    advice: Option<Advice>,
}

/// The rule of this name.
fn rule_named(name: &str) -> Result<Code, NoRule> {
    let code = Code::from_name(name);
    if let Some(code) = code.filter(|code| !ALWAYS.contains(code)) {
        return Ok(code);
    }
    let names = Code::ALL.iter().map(|code| code.name());
    let near = near(name, names).filter(|near| near.word != name);
    Err(NoRule {
        message: match code {
            Some(_) => {
                format!("`{name}` cannot be graded: a document that it is said of is not read")
            }
            None => format!("`{name}` is not a rule"),
        },
        advice: near.map(Near::advice),
    })
}

impl Rules {
    /// Grades a diagnostic; `None` if its rule is off.
    pub fn grade<P>(&self, mut diagnostic: Diagnostic<P>) -> Option<Diagnostic<P>> {
        diagnostic.severity = match self.0.get(&diagnostic.code) {
            None => return Some(diagnostic),
            Some(RuleLevel::Off) => return None,
            Some(RuleLevel::Info) => Severity::Info,
            Some(RuleLevel::Warning) => Severity::Warning,
            Some(RuleLevel::Error) => Severity::Error,
        };
        Some(diagnostic)
    }

    /// The rules of the `quire.toml` at `path` with the content `text`. Other tables are those of the daemon.
    pub fn of_toml(path: &SitePath, text: &str) -> Parsed<Self> {
        let mut rules = Self::default();
        let mut diagnostics = Vec::new();
        let mut say = |code, span: Range<usize>, message: String, advice: Option<Advice>| {
            let place = Place::in_text(path, text, span.start, span.len().max(1));
            diagnostics.push(Diagnostic::new(code, place, message).advise(advice));
        };
        // What is wrong in one table costs no other.
        let (file, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let message = error.message().lines().next().unwrap_or_default();
            let message = format!("not valid TOML: {message}");
            say(
                Code::InvalidToml,
                error.span().unwrap_or_default(),
                message,
                None,
            );
        }
        let named = file.get_ref().get("rules");
        let table = named.and_then(|named| named.get_ref().as_table());
        if let (Some(named), None) = (named, table) {
            let hint = "write a table: `[rules]`, and below it `tag-undefined = \"off\"`";
            let message = "`rules` must be a table".to_owned();
            say(Code::InvalidField, named.span(), message, Some(hint.into()));
        }
        for (name, level) in table.into_iter().flatten() {
            let code = match rule_named(name.get_ref()) {
                Ok(code) => code,
                Err(NoRule { message, advice }) => {
                    say(Code::UnknownField, name.span(), message, advice);
                    continue;
                }
            };
            let word = level.get_ref().as_str();
            match word.and_then(RuleLevel::from_word) {
                Some(level) => drop(rules.0.insert(code, level)),
                None => {
                    let known = RuleLevel::ALL.iter().map(|(word, _)| *word);
                    let near = word.and_then(|word| near(word, known.clone()));
                    let known: Vec<String> = known.map(|word| format!("`{word}`")).collect();
                    let (name, level_text) = (name.get_ref(), &text[level.span()]);
                    let message = format!(
                        "`{name}` must be one of {}, not {level_text}",
                        known.join(", ")
                    );
                    say(
                        Code::InvalidField,
                        level.span(),
                        message,
                        near.map(Near::advice),
                    );
                }
            }
        }
        Parsed {
            value: rules,
            diagnostics,
        }
    }
}

impl Decode for Rules {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        let mut rules = BTreeMap::new();
        for (name, member) in node.members(log)? {
            let code = match rule_named(name) {
                Ok(code) => code,
                Err(NoRule { message, advice }) => {
                    log.report(
                        Code::UnknownField,
                        &member.pointer,
                        Part::Key,
                        message,
                        advice,
                    );
                    continue;
                }
            };
            let named = member.value.as_str().and_then(RuleLevel::from_word);
            if let Some(level) = named.or_else(|| RuleLevel::decode(&member, log)) {
                rules.insert(code, level);
            }
        }
        Some(Self(rules))
    }
}
