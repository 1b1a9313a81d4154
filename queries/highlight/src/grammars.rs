//! The languages that have no lexer of their own: grammars of regular expressions, run by syntect.
//!
//! Hundreds of times slower than a lexer, so the result for a block is cached by the caller
//! ([`crate::render`]). The grammars are a constant of the program (those of bat, by two-face),
//! unpacked when the first is wanted.

use std::ops::Range;
use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::{Highlighter, Spans};
use crate::TokenKind;

/// Blocks whose lines, each squared in bytes, sum to more are left plain: an expression that goes back and forth takes
/// that long. 64 KB of lines of 100 bytes stay below it, and so do two lines of 2,000.
const MAX_EFFORT: usize = 8 << 20;

/// Blocks longer than this, in bytes, are left plain.
const MAX_BYTES: usize = 64 << 10;

static SET: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// Names of languages that authors use, where their grammar has another name.
const ALIASES: &[(&str, &str)] = &[
    ("actionscript-3", "as"),
    ("ada", "adb"),
    ("apache", "htaccess"),
    ("apacheconf", "htaccess"),
    ("asciidoc", "adoc"),
    ("asm", "asm"),
    ("assembly", "asm"),
    ("bat", "bat"),
    ("batch", "bat"),
    ("clj", "clojure"),
    ("cljs", "clojure"),
    ("cmd", "bat"),
    ("coffeescript", "coffee"),
    ("common-lisp", "lisp"),
    ("crontab", "crontab"),
    ("elisp", "lisp"),
    ("emacs-lisp", "lisp"),
    ("erl", "erlang"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("f", "f"),
    ("f18", "f90"),
    ("f90", "f90"),
    ("fennel", "lisp"),
    ("fortran", "f90"),
    ("fortran-fixed-form", "f"),
    ("fortran-free-form", "f90"),
    ("fs", "f#"),
    ("fsharp", "f#"),
    ("gdscript", "gd"),
    ("git-commit", "COMMIT_EDITMSG"),
    ("git-rebase", "git-rebase-todo"),
    ("gitignore", "gitignore"),
    ("glsl", "glsl"),
    ("hs", "haskell"),
    ("hy", "lisp"),
    ("jinja", "j2"),
    ("jinja2", "j2"),
    ("jl", "julia"),
    ("latex", "tex"),
    ("lean4", "lean"),
    ("log", "log"),
    ("luau", "lua"),
    ("m", "objective-c"),
    ("make", "makefile"),
    ("matlab", "matlab"),
    ("mips", "asm"),
    ("mipsasm", "asm"),
    ("mk", "makefile"),
    ("nextflow", "groovy"),
    ("nextflow-groovy", "groovy"),
    ("nf", "groovy"),
    ("nginx", "nginx"),
    ("nginxconf", "nginx"),
    ("objective-c++", "mm"),
    ("objective-cpp", "mm"),
    ("objectivec", "objective-c"),
    ("ocaml", "ml"),
    ("pascal", "pas"),
    ("perl6", "pl"),
    ("pl", "perl"),
    ("prolog", "erlang"),
    ("proto", "proto"),
    ("proto3", "proto"),
    ("protobuf", "proto"),
    ("puppet", "pp"),
    ("raku", "pl"),
    ("regex", "re"),
    ("regexp", "re"),
    ("riscv", "asm"),
    ("rst", "rst"),
    ("scheme", "scm"),
    ("sol", "sol"),
    ("solidity", "sol"),
    ("ssh-config", "ssh_config"),
    ("system-verilog", "sv"),
    ("systemverilog", "sv"),
    ("v", "verilog"),
    ("vim", "vim"),
    ("viml", "vim"),
    ("vimscript", "vim"),
    ("wikitext", "mediawiki"),
];

/// The grammar of a language.
pub(super) struct Grammar(&'static SyntaxReference);

/// The grammar for the lower-case `name`; none for plain text and for unknown names.
pub(super) fn find(name: &str) -> Option<Grammar> {
    let plain = matches!(
        name,
        "" | "text" | "txt" | "plain" | "plaintext" | "none" | "output" | "mermaid"
    );
    let token = match ALIASES.iter().find(|(alias, _)| *alias == name) {
        Some((_, token)) => token,
        None => name,
    };
    if plain {
        return None;
    }
    let syntax = SET.find_syntax_by_token(token)?;
    (syntax.name != "Plain Text").then_some(Grammar(syntax))
}

impl Highlighter for Grammar {
    fn spans(&self, code: &str) -> Spans {
        let effort = code.lines().map(|line| line.len() * line.len());
        if code.len() > MAX_BYTES || effort.sum::<usize>() > MAX_EFFORT {
            return Spans::new();
        }
        let mut state = ParseState::new(self.0);
        let mut stack = ScopeStack::new();
        let mut spans = Spans::new();
        let mut start = 0;
        for line in code.split_inclusive('\n') {
            // The grammars want every line to end.
            let ended;
            let text = if line.ends_with('\n') {
                line
            } else {
                ended = format!("{line}\n");
                &ended
            };
            // A grammar that is at fault colors nothing from there.
            let Ok(changes) = state.parse_line(text, &SET) else {
                return spans;
            };
            let mut at = 0;
            for (to, change) in &changes {
                put(
                    &mut spans,
                    start + at..start + (*to).min(line.len()),
                    &stack,
                );
                at = (*to).min(line.len());
                if stack.apply(change).is_err() {
                    return spans;
                }
            }
            put(&mut spans, start + at..start + line.len(), &stack);
            start += line.len();
        }
        spans
    }
}

fn put(spans: &mut Spans, range: Range<usize>, stack: &ScopeStack) {
    if range.start >= range.end {
        return;
    }
    let kind = kind_of(stack);
    if kind == TokenKind::Plain {
        return;
    }
    match spans.last_mut() {
        Some((last, known)) if *known == kind && last.end == range.start => last.end = range.end,
        _ => spans.push((range, kind)),
    }
}

/// Returns the kind of a piece by the innermost scope that has one.
fn kind_of(stack: &ScopeStack) -> TokenKind {
    let kind = |scope: &Scope| {
        let known = KINDS.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
        known.map(|(_, kind)| *kind)
    };
    let found = stack.as_slice().iter().rev().find_map(kind);
    found.unwrap_or(TokenKind::Plain)
}

/// Scopes by their first words. The first that fits counts, so the narrower stand before the wider.
static KINDS: LazyLock<Vec<(Scope, TokenKind)>> = LazyLock::new(|| {
    let table = [
        // Code within a string, and one language within another, begin again.
        ("meta.interpolation", TokenKind::Plain),
        ("meta.embedded", TokenKind::Plain),
        ("source", TokenKind::Plain),
        ("text", TokenKind::Plain),
        ("comment", TokenKind::Comment),
        ("punctuation.definition.comment", TokenKind::Comment),
        ("punctuation.definition.string", TokenKind::String),
        ("punctuation.definition.variable", TokenKind::Variable),
        ("punctuation.definition.annotation", TokenKind::Function),
        ("punctuation.definition.keyword", TokenKind::Keyword),
        ("punctuation.definition.heading", TokenKind::Keyword),
        ("punctuation", TokenKind::Punctuation),
        ("string.other.link", TokenKind::Property),
        ("string.unquoted.plain", TokenKind::Plain),
        ("string", TokenKind::String),
        ("constant.numeric", TokenKind::Number),
        ("constant.character.escape", TokenKind::Constant),
        ("constant.other.symbol", TokenKind::Constant),
        ("constant", TokenKind::Constant),
        ("keyword.operator.word", TokenKind::Keyword),
        ("keyword.operator", TokenKind::Operator),
        ("keyword", TokenKind::Keyword),
        ("storage.type.function.arrow", TokenKind::Operator),
        ("storage", TokenKind::Keyword),
        ("entity.name.function", TokenKind::Function),
        ("entity.name.tag", TokenKind::Tag),
        ("entity.name.section", TokenKind::Tag),
        ("entity.name.constant", TokenKind::Constant),
        ("entity.name.label", TokenKind::Constant),
        ("entity.name.namespace", TokenKind::Type),
        ("entity.name", TokenKind::Type),
        ("entity.other.attribute-name", TokenKind::Attribute),
        ("entity.other.inherited-class", TokenKind::Type),
        ("support.function", TokenKind::Function),
        ("support.constant", TokenKind::Constant),
        ("support.type.property-name", TokenKind::Property),
        ("support.variable", TokenKind::Variable),
        ("support", TokenKind::Type),
        ("variable.function", TokenKind::Function),
        ("variable.annotation", TokenKind::Function),
        ("variable.language", TokenKind::Constant),
        ("variable.other.constant", TokenKind::Constant),
        ("variable.other.member", TokenKind::Property),
        ("variable.other.property", TokenKind::Property),
        ("variable.parameter", TokenKind::Variable),
        ("variable", TokenKind::Variable),
        ("markup.heading", TokenKind::Keyword),
        ("markup.inserted", TokenKind::Inserted),
        ("markup.deleted", TokenKind::Deleted),
        ("markup.raw", TokenKind::String),
        ("markup.underline.link", TokenKind::Property),
    ];
    let scope = |(name, kind): &(&str, TokenKind)| Some((Scope::new(name).ok()?, *kind));
    table.iter().filter_map(scope).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows the pieces as `class:text`.
    #[track_caller]
    fn check_pieces(language: &str, code: &str, expected: &str) {
        let grammar = find(language).unwrap_or_else(|| panic!("{language} has no grammar"));
        let shown: Vec<String> = grammar
            .spans(code)
            .into_iter()
            .filter_map(|(range, kind)| Some(format!("{}:{}", &kind.class()?[2..], &code[range])))
            .collect();
        assert_eq!(shown.join(" "), expected, "{language}");
    }

    #[test]
    fn languages_without_a_lexer_have_their_colors() {
        check_pieces("lua", "local x = 'a' -- c", "k:local v:x o:= s:'a' c:-- c");
        check_pieces(
            "elixir",
            "def f, do: :a # c",
            "k:def f:f u:, b:do: u:: b:a c:# c",
        );
        check_pieces(
            "haskell",
            "f :: Int -> Int -- c",
            "f:f k::: k:Int k:-> k:Int c:-- c",
        );
        check_pieces(
            "make",
            "all: a\n\tcc -o a # c",
            "f:all o:: s:a f:cc u: - v:o c:# c",
        );
        check_pieces(
            "proto3",
            "message A { string b = 1; } // c",
            "k:message t:A u:{ t:string v:b o:= n:1 u:; u:} c:// c",
        );
        check_pieces(
            "latex",
            "\\section{A} % c",
            "u:\\ f:section u:{ g:A u:} c:% c",
        );
        check_pieces(
            "nginx",
            "server { listen 80; } # c",
            "k:server k:listen v:  s:80 v:; c:# c",
        );
        check_pieces(
            "r",
            "x <- c(1, TRUE) # c",
            "o:<- f:c u:( n:1 u:, b:TRUE u:) c:# c",
        );
        check_pieces("elixir", "\"a #{b} c\"", "s:\"a  u:#{ u:} s: c\"");
    }

    #[test]
    fn every_alias_has_its_grammar() {
        for (alias, _) in ALIASES {
            assert!(find(alias).is_some(), "{alias}");
        }
        for name in [
            "awk", "bat", "clojure", "cmake", "crystal", "csv", "d", "elixir", "elm", "erlang",
            "groovy", "haskell", "julia", "less", "lua", "nginx", "nim", "nix", "objc", "perl",
            "r", "rego", "scala", "sol", "tcl", "zig",
        ] {
            assert!(
                super::super::lexer(name).is_some() || find(name).is_some(),
                "{name}"
            );
        }
    }

    #[test]
    fn plain_text_has_none() {
        for name in ["", "text", "plaintext", "txt", "klingon", "mermaid"] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    /// Code that makes regular expressions backtrack. Each takes a moment; without the bounds of
    /// length some would take minutes.
    #[test]
    fn hostile_code_ends() {
        for language in [
            "haskell", "perl", "scala", "latex", "asciidoc", "nim", "elixir",
        ] {
            for part in [
                "(", "\"", "a ", "{[(", "<a b=", "\\", "/*", "''", "=:", "\t \t",
            ] {
                let long = part.repeat(2_000 / part.len());
                let code = format!("{long}\n{long}\n");
                let spans = by(language, &code);
                assert!(spans.iter().all(|(range, _)| range.end <= code.len()));
            }
            let too_long = "a".repeat(3_000);
            assert_eq!(by(language, &too_long), Spans::new());
        }
    }

    fn by(language: &str, code: &str) -> Spans {
        super::super::by_grammar(language, code)
    }

    #[test]
    fn pieces_lie_on_boundaries_of_characters() {
        for code in ["é = 'é' -- é", "-- é\né", "'é", "\"é\né"] {
            for (range, _) in by("lua", code) {
                assert!(code.get(range).is_some());
            }
        }
    }
}
