//! Questions that look something up: an identifier, or an operation by its method and path.

use crate::index::weights::Weights;

/// Returns true if the question looks something up: it has an identifier or a path, or asks for a
/// reference.
pub(super) fn looks_up(query: &str) -> bool {
    query.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| "?!,;\"'".contains(c));
        let plain = word.to_ascii_lowercase();
        let is_camel = word
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        is_camel
            || word.contains(REFERENCE_SIGNS)
            || REFERENCE_WORDS.contains(&plain.as_str())
            || METHODS.contains(&word)
    })
}

/// Minimum number of words of a question that is a sentence.
const SENTENCE: usize = 4;

/// Words that questions begin with, in languages that write them first.
const ASKING: &[&str] = &[
    "how",
    "what",
    "why",
    "when",
    "where",
    "which",
    "who",
    "whose",
    "can",
    "could",
    "does",
    "do",
    "did",
    "is",
    "are",
    "should",
    "will",
    "would",
    "must",
    "may",
    "has",
    "have",
    "wie",
    "was",
    "warum",
    "wann",
    "wo",
    "wer",
    "welche",
    "welcher",
    "welches",
    "kann",
    "comment",
    "pourquoi",
    "quand",
    "où",
    "quel",
    "quelle",
    "est-ce",
    "puis-je",
    "peut-on",
    "cómo",
    "qué",
    "cuándo",
    "dónde",
    "cuál",
    "puedo",
    "como",
    "quando",
    "onde",
    "qual",
    "posso",
    "come",
    "perché",
    "dove",
    "hoe",
    "waarom",
    "wanneer",
    "waar",
    "как",
    "что",
    "почему",
    "когда",
    "где",
];

/// Returns true if `query` is a question in a sentence, by its mark or its first word.
pub(super) fn asks(query: &str) -> bool {
    let first = query.split_whitespace().next().unwrap_or_default();
    let first = first.to_lowercase();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric());
    let words = query.split_whitespace().count();
    words >= SENTENCE && (query.contains(['?', '？', '؟']) || ASKING.contains(&first))
}

/// The signs of an identifier or a path.
pub const REFERENCE_SIGNS: &[char] = &['/', '_', '(', '{', '$', '`'];

/// The words that ask for a reference.
pub const REFERENCE_WORDS: &[&str] = &["api", "apis", "reference", "sdk", "endpoint", "endpoints"];

/// The methods by which operations are asked for, in the order in which those of one path are found: first what reads, then
/// what makes, changes and removes.
pub const METHODS: &[&str] = &[
    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE",
];

/// A question that is the path of an operation.
pub(super) struct WantedOperation<'q> {
    method: Option<String>,
    segments: Vec<&'q str>,
}

impl<'q> WantedOperation<'q> {
    /// Reads `METHOD /path`, a path, or an absolute URL; `None` for any other question.
    pub(super) fn of(query: &'q str) -> Option<Self> {
        let mut words = query.split_whitespace();
        let first = words.next()?;
        let is_method = METHODS
            .iter()
            .any(|method| method.eq_ignore_ascii_case(first));
        let (method, target) = match is_method {
            true => (Some(first.to_ascii_uppercase()), words.next()?),
            false => (None, first),
        };
        let path = match target.split_once("://") {
            Some((_, rest)) => rest.split_once('/').map(|(_, path)| path)?,
            None => target.strip_prefix('/')?,
        };
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        let wanted = Self {
            method,
            segments: segments.collect(),
        };
        (words.next().is_none() && !wanted.segments.is_empty()).then_some(wanted)
    }

    /// The place of an operation among others that are the one as much: that of its method. What is no such operation comes
    /// last.
    pub(super) fn place(&self, operation: Option<&(String, String)>) -> usize {
        let like = operation.filter(|operation| self.share(operation) > 0.0);
        like.map_or(METHODS.len() + 1, |(method, _)| {
            let known = METHODS.iter().position(|known| known == method);
            known.unwrap_or(METHODS.len())
        })
    }

    /// Returns the degree of match of an operation: 1 as it is written, less with values in place
    /// of parameters or what a server adds before the path; 0 if it is another one.
    pub(super) fn likeness(&self, operation: &(String, String), weights: &Weights) -> f32 {
        match self.share(operation) {
            0.0 => 0.0,
            share => weights.partly_operation + (1.0 - weights.partly_operation) * share,
        }
    }

    /// Returns the share of the path that an operation has as it is written; 0 if it is another one.
    fn share(&self, (method, path): &(String, String)) -> f32 {
        if self.method.as_ref().is_some_and(|wanted| wanted != method) {
            return 0.0;
        }
        let path = path.split('?').next().unwrap_or_default();
        let known: Vec<&str> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .collect();
        // A prefix of the path of an operation may be the path of its server.
        let Some(more) = self.segments.len().checked_sub(known.len()) else {
            return 0.0;
        };
        if known.is_empty() {
            return 0.0;
        }
        let mut fixed = 0;
        for (wanted, known) in self.segments[more..].iter().zip(&known) {
            match known.contains('{') {
                _ if wanted == known => fixed += 1,
                true => {}
                false => return 0.0,
            }
        }
        fixed as f32 / self.segments.len() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_its_mark_or_begins_like_one() {
        for query in [
            "How do I rotate keys",
            "keys of a team: rotated when?",
            "¿Cómo puedo rotar claves?",
            "wie rotiere ich Schlüssel",
        ] {
            assert!(asks(query), "{query}");
        }
        for query in [
            "",
            "what is it",
            "Rotates the keys of a team",
            "rotate keys?",
        ] {
            assert!(!asks(query), "{query}");
        }
    }

    #[track_caller]
    fn check(query: &str, operation: &str, expected: f32) {
        let (method, path) = operation.split_once(' ').unwrap();
        let operation = (method.to_owned(), path.to_owned());
        let likeness = WantedOperation::of(query).map_or(0.0, |wanted| {
            wanted.likeness(&operation, &Weights::default())
        });
        assert!((likeness - expected).abs() < 0.001, "{query}: {likeness}");
    }

    #[test]
    fn an_operation_is_found_by_its_path() {
        check("GET /things/{id}", "GET /things/{id}", 1.0);
        check("get /things/{id}", "GET /things/{id}", 1.0);
        check("/things/{id}", "GET /things/{id}", 1.0);
        check("GET /things", "GET /things/{id}", 0.0);
        check("GET /things/{id}", "POST /things/{id}", 0.0);
        check("GET /things/", "GET /things", 1.0);
    }

    #[test]
    fn values_stand_for_parameters() {
        check("GET /things/8f14", "GET /things/{id}", 0.85);
        check(
            "/things/8f14/parts/2?limit=3",
            "GET /things/{id}/parts/{n}",
            0.85,
        );
        check(
            "https://api.example.com/v1/things/8f14",
            "GET /things/{id}",
            0.8,
        );
        check("/a/b", "GET /{x}/{y}", 0.0);
        check("/items/8f14", "GET /things/{id}", 0.0);
    }

    #[test]
    fn other_questions_are_no_operations() {
        for query in [
            "",
            "GET",
            "things",
            "GET things",
            "GET /a and more",
            "https://example.com",
            "/",
        ] {
            assert!(WantedOperation::of(query).is_none(), "{query}");
        }
    }

    #[test]
    fn what_looks_something_up_is_told_from_what_asks() {
        for query in [
            "createClient",
            "rate_limit",
            "api keys",
            "GET a",
            "SDK reference",
            "/a",
            "`a`",
        ] {
            assert!(looks_up(query), "{query}");
        }
        for query in [
            "how do I rotate a key?",
            "Webhooks",
            "getting started, quickly",
            "",
        ] {
            assert!(!looks_up(query), "{query}");
        }
    }
}
