//! The colors of code: one pass over the text, by tables for each language.
//!
//! The lexers here know words, strings, comments, numbers and a little of what stands around a name; they do not parse.
//! That is enough to read by, and hundreds of times faster than a general engine of regular expressions, which serves
//! the languages without a lexer.

mod grammars;
mod languages;
mod lexers;

use std::ops::Range;

/// Maximum length of a block that is highlighted; longer ones stay plain.
const MAX_BYTES: usize = 200 << 10;

/// Kind of a piece of code, for its color.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum TokenKind {
    /// Nothing in particular.
    #[default]
    Plain,
    /// A word of the language.
    Keyword,
    /// A string.
    String,
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// A constant, as `true`.
    Constant,
    /// The name of a function.
    Function,
    /// The name of a type.
    Type,
    /// A variable or parameter.
    Variable,
    /// A property or key.
    Property,
    /// A tag of markup.
    Tag,
    /// An attribute of markup.
    Attribute,
    /// An operator.
    Operator,
    /// Brackets, commas.
    Punctuation,
    /// A line that a patch adds.
    Inserted,
    /// A line that a patch takes away.
    Deleted,
}

impl TokenKind {
    /// The class of its span; none for plain text.
    pub fn class(self) -> Option<&'static str> {
        Some(match self {
            Self::Plain => return None,
            Self::Keyword => "t-k",
            Self::String => "t-s",
            Self::Comment => "t-c",
            Self::Number => "t-n",
            Self::Constant => "t-b",
            Self::Function => "t-f",
            Self::Type => "t-t",
            Self::Variable => "t-v",
            Self::Property => "t-p",
            Self::Tag => "t-g",
            Self::Attribute => "t-a",
            Self::Operator => "t-o",
            Self::Punctuation => "t-u",
            Self::Inserted => "t-i",
            Self::Deleted => "t-d",
        })
    }
}

/// The pieces of a text that are not plain, in order, without overlap; each lies on character boundaries.
pub type Spans = Vec<(Range<usize>, TokenKind)>;

/// Lexer of a language.
pub trait Highlighter: Sync {
    /// The pieces of `code`.
    fn spans(&self, code: &str) -> Spans;
}

/// The lexer of the language that authors call `name`.
pub fn lexer(name: &str) -> Option<&'static dyn Highlighter> {
    languages::find(&name.to_ascii_lowercase())
}

/// Returns true if there is a grammar, and no lexer, for the language that authors call `name`.
pub fn has_grammar(name: &str) -> bool {
    lexer(name).is_none() && grammars::find(&name.to_ascii_lowercase()).is_some()
}

/// Returns true if `name` is a language, or a name for code without one.
pub fn is_known(name: &str) -> bool {
    const PLAIN: &[&str] = &[
        "ansi",
        "ascii",
        "code",
        "csv",
        "log",
        "math",
        "katex",
        "mermaid",
        "mmd",
        "none",
        "output",
        "plain",
        "plaintext",
        "raw",
        "text",
        "tree",
        "txt",
    ];
    PLAIN.contains(&name.to_ascii_lowercase().as_str())
        || lexer(name).is_some()
        || has_grammar(name)
}

/// Highlights a text by a grammar, given its language and the text.
pub type ByGrammar<'a> = &'a dyn Fn(&str, &str) -> Spans;

/// The pieces of `code` by the grammar of the language `name`; nothing without one. This is slow (0.4 MB/s); the bodies of pages ask a query that keeps the answers.
pub fn by_grammar(name: &str, code: &str) -> Spans {
    let grammar = grammars::find(&name.to_ascii_lowercase());
    grammar.map_or_else(Spans::new, |grammar| grammar.spans(code))
}

/// The pieces of a line, in order.
pub type Tokens = Vec<(TokenKind, String)>;

/// The lines of `code` in the language `name`. What has no lexer is left to `by_grammar`.
pub fn lines(name: Option<&str>, code: &str, by_grammar: ByGrammar<'_>) -> Vec<Tokens> {
    let code = code.strip_suffix('\n').unwrap_or(code);
    let spans = match name.filter(|_| code.len() <= MAX_BYTES) {
        Some(name) => match lexer(name) {
            Some(lexer) => lexer.spans(code),
            None => by_grammar(name, code),
        },
        None => Spans::new(),
    };
    let mut lines = Vec::new();
    let mut line = Tokens::new();
    let mut push = |kind: TokenKind, text: &str| {
        let mut parts = text.split('\n');
        if let Some(first) = parts.next().filter(|first| !first.is_empty()) {
            line.push((kind, first.to_owned()));
        }
        for part in parts {
            lines.push(std::mem::take(&mut line));
            if !part.is_empty() {
                line.push((kind, part.to_owned()));
            }
        }
    };
    let mut at = 0;
    for (span, kind) in spans {
        push(TokenKind::Plain, &code[at..span.start]);
        push(kind, &code[span.clone()]);
        at = span.end;
    }
    push(TokenKind::Plain, &code[at..]);
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows the pieces as `class:text`.
    #[track_caller]
    fn check_pieces(language: &str, code: &str, expected: &str) {
        let lines = lines(Some(language), code, &by_grammar);
        let shown: Vec<String> = lines
            .iter()
            .flatten()
            .filter_map(|(kind, text)| Some(format!("{}:{text}", &kind.class()?[2..])))
            .collect();
        assert_eq!(shown.join(" "), expected, "{language}");
        let whole: Vec<String> = lines
            .iter()
            .map(|line| line.iter().map(|(_, text)| text.as_str()).collect())
            .collect();
        assert_eq!(whole.join("\n"), code, "nothing is lost");
    }

    #[test]
    fn the_languages_of_documentation_have_their_colors() {
        check_pieces(
            "js",
            "const a = f(`x${1}`); // c",
            "k:const o:= f:f u:( s:`x${1}` u:); c:// c",
        );
        check_pieces("ts", "let x: User = null", "k:let u:: t:User o:= b:null");
        check_pieces(
            "tsx",
            "return <A b=\"c\">hi</A>",
            "k:return u:< g:A a:b o:= s:\"c\" u:> u:</ g:A u:>",
        );
        check_pieces(
            "json",
            "{\"a\": [1, true, \"b\"]}",
            "u:{ p:\"a\" u:: u:[ n:1 u:, b:true u:, s:\"b\" u:]}",
        );
        check_pieces(
            "python",
            "@x\ndef f(a):\n  \"\"\"d\n  e\"\"\"\n  return None # c",
            "f:@x k:def f:f u:( u:): s:\"\"\"d s:  e\"\"\" k:return b:None c:# c",
        );
        check_pieces(
            "bash",
            "$ curl -X POST \"$URL\" # c",
            "c:$ f:curl a:-X s:\" v:$URL s:\" c:# c",
        );
        check_pieces(
            "yaml",
            "a: \"b\" # c\n- d: 1\n  e: true",
            "p:a u:: s:\"b\" c:# c u:- p:d u:: n:1 p:e u:: b:true",
        );
        check_pieces(
            "rust",
            "fn f<'a>(x: &'a str) -> u8 { 'x' }",
            "k:fn f:f o:< v:'a o:> u:( u:: o:& v:'a t:str u:) o:-> t:u8 u:{ s:'x' u:}",
        );
        check_pieces(
            "go",
            "func F() error { return nil }",
            "k:func f:F u:() t:error u:{ k:return b:nil u:}",
        );
        check_pieces("sql", "SELECT a FROM b -- c", "k:SELECT k:FROM c:-- c");
        check_pieces(
            "html",
            "<a href=\"x\">y</a><!-- c -->",
            "u:< g:a a:href o:= s:\"x\" u:> u:</ g:a u:> c:<!-- c -->",
        );
        check_pieces(
            "css",
            ".a { color: #fff; }",
            "g:.a u:{ p:color u:: n:#fff u:; u:}",
        );
        check_pieces("toml", "[a]\nb = \"c\" # d", "g:[a] p:b o:= s:\"c\" c:# d");
        check_pieces(
            "http",
            "GET /a HTTP/1.1\nHost: b",
            "k:GET b:HTTP/1.1 p:Host u:: s: b",
        );
        check_pieces("diff", "-a\n+b\n@@ c", "d:-a i:+b g:@@ c");
        check_pieces("klingon", "const a", "");
    }

    #[test]
    fn unfinished_code_loses_nothing() {
        for language in [
            "js", "json", "python", "bash", "yaml", "rust", "html", "css", "toml", "sql", "diff",
            "http",
        ] {
            for code in [
                "\"", "'", "`${", "/*", "<!--", "<a b=", "\"\"\"", "é\"é", "#", "\\", "$", "a:\\",
                "@", "-", "''",
            ] {
                let lines = lines(Some(language), code, &by_grammar);
                let whole: String = lines
                    .iter()
                    .flatten()
                    .map(|(_, text)| text.as_str())
                    .collect();
                assert_eq!(whole, code, "{language}");
            }
        }
    }

    /// The ids and aliases of Shiki 3.23.0, without the languages that have no code.
    const SHIKI: &str = "\
        1c 1c-query abap actionscript-3 ada adoc angular-html angular-ts apache apex apl applescript ara asciidoc \
        asm astro awk ballerina bash bat batch be beancount berry bibtex bicep bird bird2 blade bsl c c# c++ c3 \
        cadence cairo cdc cjs clarity clj clojure closure-templates cmake cmd cobol codeowners codeql coffee \
        coffeescript common-lisp console coq cpp cql crystal cs csharp css csv cts cue cypher d dart dax desktop \
        diff docker dockerfile dotenv dream-maker edge elisp elixir elm emacs-lisp erb erl erlang f f# f03 f08 f18 \
        f77 f90 f95 fennel fish fluent for fortran-fixed-form fortran-free-form fs fsharp fsl ftl gd gdresource \
        gdscript gdshader genie gherkin git-commit git-rebase gjs gleam glimmer-js glimmer-ts glsl gn gnuplot go gql \
        graphql groovy gts hack haml handlebars haskell haxe hbs hcl hjson hlsl hs html html-derivative http hurl \
        hxml hy imba ini jade java javascript jinja jison jl js json json5 jsonc jsonl jsonnet jssm jsx julia just \
        kdl kotlin kql kt kts kusto latex lean lean4 less liquid lisp lit llvm log logo lua luau make makefile \
        markdown marko matlab mbt mbti md mdc mdx mediawiki mermaid mips mipsasm mjs mmd mojo moonbit move mts nar \
        narrat nextflow nextflow-groovy nf nginx nim nix nu nushell objc objective-c objective-cpp ocaml odin \
        openscad pascal perl perl6 php pkl plsql po polar postcss pot potx powerquery powershell prisma prolog \
        properties proto protobuf ps ps1 pug puppet purescript py python ql qml qmldir qss r racket raku razor rb \
        reg regex regexp rel riscv ron rosmsg rs rst ruby rust sas sass scad scala scheme scss sdbl sh shader \
        shaderlab shell shellscript shellsession smalltalk solidity soy sparql spl splunk sql ssh-config stata styl \
        stylus surql surrealql svelte swift system-verilog systemd talon talonscript tasl tcl templ terraform tex tf \
        tfvars toml tres ts ts-tags tscn tsp tsv tsx turtle twig typ typescript typespec typst v vala vb verilog \
        vhdl vim viml vimscript vue vue-html vue-vine vy vyper wasm wenyan wgsl wiki wikitext wit wl wolfram xml xsl \
        yaml yml zenscript zig zsh 文言 \
    ";

    #[test]
    fn each_language_of_shiki_is_known() {
        let unknown: Vec<&str> = SHIKI
            .split_whitespace()
            .filter(|name| !is_known(name))
            .collect();
        assert_eq!(unknown, Vec::<&str>::new());
    }

    #[test]
    fn languages_with_an_alias_or_a_table_have_their_colors() {
        for (language, code, expected) in [
            ("shellscript", "export A=1 # b", "k:export n:1 c:# b"),
            (
                "prisma",
                "model A { id Int @id } // b",
                "k:model u:{ t:Int f:@id u:} c:// b",
            ),
            (
                "bicep",
                "param a string = 'b'",
                "k:param t:string o:= s:'b'",
            ),
            (
                "gherkin",
                "Feature: a\n  Given \"b\"",
                "k:Feature u:: k:Given s:\"b\"",
            ),
            (
                "hlsl",
                "float4 a = float4(1, 0); // b",
                "t:float4 o:= t:float4 u:( n:1 u:, n:0 u:); c:// b",
            ),
            (
                "vb",
                "Dim a As Integer = 1 ' b",
                "k:Dim k:As t:Integer n:1 c:' b",
            ),
            (
                "kusto",
                "T | where a > 1 | summarize count() by b",
                "k:where n:1 k:summarize k:count k:by",
            ),
            ("cypher", "MATCH (n) RETURN n.a", "k:MATCH k:RETURN"),
            ("apache", "ServerName a.example", "k:ServerName"),
            (
                "wasm",
                "(module (func $a (param i32))) ;; b",
                "u:( k:module u:( k:func o:$ u:( k:param t:i32 u:))) c:;; b",
            ),
        ] {
            check_pieces(language, code, expected);
        }
    }
}
