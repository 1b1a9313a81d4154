//! The line behind the opening fence of a code block: language, title and flags.

use crate::render::components::code_block::{CodeBlock, LineMark};
use crate::render::highlight;

/// The block of `code` whose opening fence carries `info`. After the language, in any order: `title="…"` or bare words
/// as the title, `icon="…"`, `{1,3-5}` or `highlight={…}`, `focus={…}`, `lines`, `wrap`, `expandable`.
pub fn code_block(info: &str, code: &str) -> CodeBlock {
    let mut block = CodeBlock::default();
    let info = info.trim();
    let language = info.split([' ', '\t', '{']).next().unwrap_or("");
    if !language.is_empty() && !language.contains('=') {
        block.language = Some(language.to_owned());
    }
    block.lines = highlight::lines(block.language.as_deref(), code);
    let mut words: Vec<&str> = Vec::new();
    let (mut highlighted, mut focused) = (Vec::new(), Vec::new());
    for token in Tokens(info[block.language.as_ref().map_or(0, String::len)..].trim()) {
        match token {
            Token::Pair("title" | "filename", value) => block.title = Some(value.to_owned()),
            Token::Pair("icon", value) => block.icon = Some(value.to_owned()),
            Token::Pair("highlight", value) | Token::Set(value) => {
                highlighted.extend(line_numbers(value));
            }
            Token::Pair("focus", value) => focused.extend(line_numbers(value)),
            Token::Pair(_, _) => {}
            Token::Word("lines") => block.numbered = true,
            Token::Word("wrap") => block.wrap = true,
            Token::Word("expandable") => block.expandable = true,
            Token::Word("twoslash" | "diff") => {}
            Token::Word(word) => words.push(word.trim_matches('"')),
        }
    }
    if block.title.is_none() && !words.is_empty() {
        block.title = Some(words.join(" "));
    }
    block
        .marked(LineMark::Focus, focused)
        .marked(LineMark::Highlight, highlighted)
}

enum Token<'a> {
    Word(&'a str),
    Pair(&'a str, &'a str),
    Set(&'a str),
}

struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let text = self.0.trim_start();
        if text.is_empty() {
            return None;
        }
        if let Some(set) = text.strip_prefix('{') {
            let end = set.find('}').unwrap_or(set.len());
            self.0 = set.get(end + 1..).unwrap_or("");
            return Some(Token::Set(&set[..end]));
        }
        let end = text
            .find([' ', '\t', '=', '{'])
            .unwrap_or(text.len())
            .max(1);
        let end = text
            .char_indices()
            .map(|(i, _)| i)
            .chain([text.len()])
            .find(|i| *i >= end)
            .unwrap_or(text.len());
        let word = &text[..end];
        let Some(value) = text[end..].strip_prefix('=') else {
            self.0 = &text[end..];
            return Some(Token::Word(word));
        };
        let (open, close) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => (1, quote),
            Some('{') => (1, '}'),
            _ => (0, ' '),
        };
        let end = value[open..]
            .find(close)
            .map_or(value.len(), |at| open + at);
        self.0 = value.get(end + 1..).unwrap_or("");
        Some(Token::Pair(
            word,
            value[open..end].trim_matches(['"', '\'']),
        ))
    }
}

/// The numbers in `1,3-5`. A range is cut at 10,000 lines.
fn line_numbers(set: &str) -> impl Iterator<Item = usize> + '_ {
    set.split(',').flat_map(|part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let from: usize = from.trim().parse().unwrap_or(1);
        let to: usize = to.trim().parse().unwrap_or(0);
        from..to.saturating_add(1).min(from.saturating_add(10_000))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_info(info: &str, language: Option<&str>, title: Option<&str>, highlighted: &[usize]) {
        let block = code_block(info, "1\n2\n3\n4\n5\n");
        assert_eq!(
            (block.language.as_deref(), block.title.as_deref()),
            (language, title),
            "{info}"
        );
        let marked: Vec<usize> = (1..=5)
            .filter(|i| block.lines[i - 1].mark == LineMark::Highlight)
            .collect();
        assert_eq!(marked, highlighted, "{info}");
    }

    #[test]
    fn meta_in_any_order() {
        check_info("", None, None, &[]);
        check_info("bash", Some("bash"), None, &[]);
        check_info(
            "js my file.js {1,3-4}",
            Some("js"),
            Some("my file.js"),
            &[1, 3, 4],
        );
        check_info(
            "js lines title=\"A b\" highlight={2} wrap",
            Some("js"),
            Some("A b"),
            &[2],
        );
        check_info("ts{2}", Some("ts"), None, &[2]);
        check_info("title=\"only\"", None, Some("only"), &[]);
        check_info("py é= ü {9-999999999999}", Some("py"), Some("ü"), &[]);
    }
}
