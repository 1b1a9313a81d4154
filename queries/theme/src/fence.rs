//! The line behind the opening fence of a code block: language, title and flags.

mod notation;

use crate::code_scheme::CodeScheme;
use crate::components::code_block::{self, CodeBlock, CodeLine, LineMark};
use crate::components::diagram::Diagram;
use highlight::ByGrammar;
use notation::What;

/// The block of `code` whose opening fence carries `info`. After the language, in any order: `title="…"` or bare words
/// as the title, `icon="…"`, `{1,3-5}` or `highlight={…}`, `focus={…}`, `theme={…}`, `lines`, `wrap`, `expandable`.
/// `twoslash` is read and needs nothing: its queries are comments, and there is no compiler here to answer them. `diff`
/// says that the code has marks for what comes and goes, which it may have without.
pub fn code_block(info: &str, code: &str, by_grammar: ByGrammar<'_>) -> CodeBlock {
    let mut block = CodeBlock::default();
    let info = info.trim();
    let language = language(info);
    block.language = language.map(str::to_owned);
    let notation = notation::read(code);
    block.lines = code_block::lines(language, &notation.code, by_grammar);
    if matches!(language, Some("diff" | "patch")) {
        mark_patch(&mut block.lines);
    }
    let mut words: Vec<&str> = Vec::new();
    let (mut highlighted, mut focused) = (Vec::new(), Vec::new());
    for token in Tokens(info[language.map_or(0, str::len)..].trim()) {
        match token {
            Token::Pair("title" | "filename", value) => block.title = Some(value.to_owned()),
            Token::Pair("icon", value) => block.icon = Some(value.to_owned()),
            Token::Pair("theme", value) => block.scheme = CodeScheme::of_theme(value),
            Token::Pair("highlight" | "hl_lines", value) | Token::Set(value) => {
                highlighted.extend(line_numbers(value));
            }
            Token::Pair("focus", value) => focused.extend(line_numbers(value)),
            Token::Pair("linenums", _) => block.numbered = true,
            Token::Pair("lines", value) => block.numbered = value != "false",
            Token::Pair("wrap", value) => block.wrap = value != "false",
            Token::Pair("expandable", value) => block.expandable = value != "false",
            Token::Pair(_, _) | Token::Word("twoslash" | "diff") => {}
            Token::Word("lines" | "showLineNumbers" | ":line-numbers") => block.numbered = true,
            Token::Word("wrap") => block.wrap = true,
            Token::Word("expandable") => block.expandable = true,
            Token::Word(word) => words.push(word.trim_matches('"')),
        }
    }
    if block.title.is_none() && !words.is_empty() {
        let title = words.join(" ");
        // VitePress sets it in brackets.
        let inner = title
            .strip_prefix('[')
            .and_then(|title| title.strip_suffix(']'));
        block.title = Some(inner.unwrap_or(&title).to_owned());
    }
    block = block
        .with_marks(LineMark::Highlight, highlighted)
        .focused(focused);
    for note in notation.notes {
        let lines = note.from
            ..note
                .from
                .saturating_add(note.count)
                .min(block.lines.len() + 1);
        block = match note.what {
            What::Mark(mark) => block.with_marks(mark, lines),
            What::Focus => block.focused(lines),
            What::Word(word) => block.with_word(&word, lines),
        };
    }
    block
}

/// The diagram whose opening fence carries `info`: `placement="top-left"`, `actions={false}`.
pub fn diagram(info: &str, source: &str, script_url: String) -> Diagram {
    let mut diagram = Diagram {
        source: source.to_owned(),
        script_url,
        ..Diagram::default()
    };
    for token in Tokens(info.trim()) {
        match token {
            Token::Pair("placement", value) => diagram.placement = Some(value.to_owned()),
            Token::Pair("actions", value) => diagram.actions = Some(value != "false"),
            Token::Word("actions") => diagram.actions = Some(true),
            _ => {}
        }
    }
    diagram
}

/// Returns the end of the quoted text at the start of `value`. Quotes within it may have had
/// backslashes, which Markdown removes from an info string (CommonMark, 2.4): after the end only
/// quotes of whole texts follow.
fn closing_quote(value: &str, quote: char) -> Option<usize> {
    let ends = |at: usize| {
        let rest = &value[at + 1..];
        let before = rest.split(quote).next().unwrap_or_default();
        let opens = before.is_empty() || before.ends_with(['=', ' ', '\t', '{']);
        let count = rest.matches(quote).count();
        (rest.is_empty() || rest.starts_with([' ', '\t', '{']))
            && count.is_multiple_of(2)
            && (count == 0 || opens)
    };
    let inner = value.char_indices().skip(1);
    let mut quotes = inner.filter(|(_, sign)| *sign == quote).map(|(at, _)| at);
    let first = quotes.clone().next();
    quotes.find(|at| ends(*at)).or(first)
}

/// Marks the lines that a patch adds and removes; those that name its files are neither.
fn mark_patch(lines: &mut [CodeLine]) {
    for line in lines {
        let text = line.tokens.first().map_or("", |(_, text)| text);
        line.mark = match text.as_bytes() {
            [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => LineMark::None,
            [b'+', ..] => LineMark::Added,
            [b'-', ..] => LineMark::Removed,
            _ => LineMark::None,
        };
    }
}

/// The language that the info string of a fence begins with.
pub fn language(info: &str) -> Option<&str> {
    let language = info.trim().split([' ', '\t', '{']).next().unwrap_or("");
    let language = language.strip_suffix(":line-numbers").unwrap_or(language);
    (!language.is_empty() && !language.contains('=')).then_some(language)
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
        let (open, end) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => (1, closing_quote(value, quote)),
            Some('{') => (1, closing_brace(value)),
            _ => (0, value.find([' ', '\t'])),
        };
        let end = end.unwrap_or(value.len());
        self.0 = value.get(end + 1..).unwrap_or("");
        let value = &value[open..end];
        Some(Token::Pair(
            word,
            match open {
                0 => value.trim_matches(['"', '\'']),
                _ => value,
            },
        ))
    }
}

/// Returns the offset of the brace that closes the one at the start of `text`.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// The numbers in `1,3-5`. A range is cut at 10,000 lines.
fn line_numbers(set: &str) -> impl Iterator<Item = usize> + '_ {
    set.trim_matches(['[', ']', ' '])
        .split([',', ' '])
        .flat_map(|part| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let from: usize = from.trim().parse().unwrap_or(1);
            let to: usize = to.trim().parse().unwrap_or(0);
            from..to.saturating_add(1).min(from.saturating_add(10_000))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(info: &str, code: &str) -> CodeBlock {
        code_block(info, code, &highlight::by_grammar)
    }

    #[track_caller]
    fn check_info(info: &str, language: Option<&str>, title: Option<&str>, highlighted: &[usize]) {
        let block = block(info, "1\n2\n3\n4\n5\n");
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

    /// Shows lines with their marks: `+` `-` `*` `!` `x`, `o` for focus, and words in brackets.
    #[track_caller]
    fn check_lines(info: &str, code: &str, expected: &str) {
        let block = block(info, code);
        let lines: Vec<String> = block
            .lines
            .iter()
            .map(|line| {
                let mark = match line.mark {
                    LineMark::None => "",
                    LineMark::Highlight => "*",
                    LineMark::Added => "+",
                    LineMark::Removed => "-",
                    LineMark::Warning => "!",
                    LineMark::Error => "x",
                };
                let focus = if line.focused { "o" } else { "" };
                let mut text: String = line.tokens.iter().map(|(_, text)| text.as_str()).collect();
                for word in line.words.iter().rev() {
                    text.insert(word.end, ']');
                    text.insert(word.start, '[');
                }
                format!("{mark}{focus}|{text}")
            })
            .collect();
        assert_eq!(lines.join("\n"), expected, "{info}");
    }

    #[test]
    fn comments_mark_lines() {
        check_lines(
            "js",
            "let a // [!code ++]\nb // [!code --]\nc",
            "+|let a\n-|b\n|c",
        );
        check_lines("py", "# [!code focus:2]\na\nb\nc", "o|a\no|b\n|c");
        check_lines("html", "<a> <!-- [!code highlight:9] -->\nb", "*|<a>\n*|b");
        check_lines(
            "js {1} focus={1-2}",
            "a\nb\nc // [!code ++]",
            "*o|a\no|b\n+|c",
        );
        check_lines("js", "a // [!code warning]\nb // [!code error]", "!|a\nx|b");
        check_lines("js", "// [!code word:aé:1]\naé baé\naé", "|[aé] b[aé]\n|aé");
        check_lines("js", "a // [!code highlight:18446744073709551615]", "*|a");
    }

    #[test]
    fn the_lines_of_a_patch_come_and_go() {
        check_lines(
            "diff",
            "--- a\n+++ b\n-x\n+y\n z",
            "|--- a\n|+++ b\n-|-x\n+|+y\n| z",
        );
    }

    #[test]
    fn the_rest_of_the_meta() {
        let made = block(
            "ts twoslash diff lines={true} wrap expandable theme={\"github-dark\"} icon='js' File",
            "a",
        );
        assert!(made.numbered && made.wrap && made.expandable);
        assert_eq!(made.scheme, Some(CodeScheme::Dark));
        assert_eq!(made.icon.as_deref(), Some("js"));
        assert_eq!(made.title.as_deref(), Some("File"));
        assert_eq!(
            block("ts theme={{ light: \"a\" }} T", "a").title.as_deref(),
            Some("T")
        );
        assert!(!block("ts wrap={false}", "a").wrap);
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
        check_info(
            "js highlight={[1, 3]} title='a b'",
            Some("js"),
            Some("a b"),
            &[1, 3],
        );
        check_info("py é= ü {9-999999999999}", Some("py"), Some("ü"), &[]);
    }
}
