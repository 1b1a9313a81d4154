//! Suggested questions where nothing is found: only questions with results are offered.

use crate::index::{Filter, PinnedIndex, Question};

/// Maximum number of suggested queries.
const MAX_SUGGESTIONS: usize = 3;
/// The most words of a question of which each is tried alone and left out.
const MAX_WORDS: usize = 8;

/// Questions near `question`, which finds nothing, that find something, the nearest first: without quotes, without one of
/// its words, by one of its words.
pub(crate) fn suggestions(index: &PinnedIndex, question: &Question<'_>) -> Vec<String> {
    let plain = question.query.replace(['"', '“', '”', '„'], " ");
    let words: Vec<&str> = plain.split_whitespace().take(MAX_WORDS).collect();
    let mut tried = Vec::new();
    if plain.trim() != question.query.trim() {
        tried.push(words.join(" "));
    }
    if words.len() > 2 {
        for left_out in (0..words.len()).rev() {
            let rest = words.iter().enumerate();
            let rest = rest.filter(|(place, _)| *place != left_out);
            let rest: Vec<&str> = rest.map(|(_, word)| *word).collect();
            tried.push(rest.join(" "));
        }
    }
    if words.len() > 1 {
        let mut longest_first = words.clone();
        longest_first.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        tried.extend(longest_first.into_iter().map(str::to_owned));
    }
    let mut offered: Vec<String> = Vec::new();
    for query in tried {
        if offered.len() == MAX_SUGGESTIONS {
            break;
        }
        let finds = |filter: Filter| {
            let answer = index.search(&Question {
                query: &query,
                semantic: None,
                other: None,
                limit: 1,
                filter,
                sections: false,
                ..question.clone()
            });
            !answer.results.is_empty()
        };
        if !query.is_empty() && !offered.contains(&query) && finds(question.filter.clone()) {
            offered.push(query);
        }
    }
    offered
}
