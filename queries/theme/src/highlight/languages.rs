//! The table of languages: what they are called, and what is particular about each.

use super::Highlighter;
use super::lexers::{Css, Data, Diff, Http, Markup, Words};

/// The highlighter for the lower-case `name`.
pub(super) fn find(name: &str) -> Option<&'static dyn Highlighter> {
    Some(match name {
        "js" | "javascript" | "mjs" | "cjs" | "jsx" | "node" | "nodejs" => &JAVASCRIPT,
        "ts" | "typescript" | "tsx" | "mts" | "cts" => &TYPESCRIPT,
        "json" | "jsonc" | "json5" | "jsonl" | "ndjson" | "geojson" => &JSON,
        "py" | "python" | "python3" | "pycon" => &PYTHON,
        "bash" | "sh" | "shell" | "zsh" | "console" | "shellsession" | "terminal" | "curl"
        | "fish" | "commandline" => &SHELL,
        "yaml" | "yml" => &YAML,
        "toml" | "ini" | "env" | "dotenv" | "properties" | "conf" => &TOML,
        "rs" | "rust" => &RUST,
        "go" | "golang" => &GO,
        "java" => &JAVA,
        "kt" | "kotlin" => &KOTLIN,
        "swift" => &SWIFT,
        "c" | "h" | "cpp" | "c++" | "cc" | "hpp" | "objc" | "objective-c" => &C,
        "cs" | "csharp" | "c#" | "dotnet" => &CSHARP,
        "php" => &PHP,
        "rb" | "ruby" => &RUBY,
        "dart" | "flutter" => &DART,
        "sql" | "postgres" | "postgresql" | "mysql" | "plsql" => &SQL,
        "graphql" | "gql" => &GRAPHQL,
        "hcl" | "terraform" | "tf" => &HCL,
        "dockerfile" | "docker" => &DOCKERFILE,
        "powershell" | "ps1" | "pwsh" => &POWERSHELL,
        "html" | "htm" | "blade" | "handlebars" | "hbs" | "liquid" | "xml" | "svg" | "vue"
        | "svelte" | "astro" | "xhtml" | "mdx" | "md" | "markdown" => &MARKUP,
        "css" | "scss" | "sass" | "less" => &CSS,
        "http" | "https" => &HTTP,
        "diff" | "patch" => &DIFF,
        _ => return None,
    })
}

static MARKUP: Markup = Markup;
static CSS: Css = Css;
static HTTP: Http = Http;
static DIFF: Diff = Diff;
static JSON: Data = Data {
    separator: b':',
    comment: "//",
    is_json: true,
};
static YAML: Data = Data {
    separator: b':',
    comment: "#",
    is_json: false,
};
static TOML: Data = Data {
    separator: b'=',
    comment: "#",
    is_json: false,
};

// Word lists are sorted: they are searched by halving.
#[rustfmt::skip]
static JAVASCRIPT: Words = Words {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"'",
    multiline: &["`"],
    keywords: &[
        "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default",
        "delete", "do", "else", "export", "extends", "finally", "for", "from", "function", "get", "if", "import",
        "in", "instanceof", "let", "new", "of", "return", "set", "static", "super", "switch", "this", "throw", "try",
        "typeof", "var", "void", "while", "with", "yield",
    ],
    constants: &["Infinity", "NaN", "false", "null", "true", "undefined"],
    types: &[],
    has_jsx: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static TYPESCRIPT: Words = Words {
    keywords: &[
        "abstract", "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "declare",
        "default", "delete", "do", "else", "enum", "export", "extends", "finally", "for", "from", "function", "get",
        "if", "implements", "import", "in", "infer", "instanceof", "interface", "is", "keyof", "let", "namespace",
        "new", "of", "private", "protected", "public", "readonly", "return", "satisfies", "set", "static", "super",
        "switch", "this", "throw", "try", "type", "typeof", "var", "void", "while", "with", "yield",
    ],
    types: &[
        "any", "bigint", "boolean", "never", "number", "object", "string", "symbol", "unknown",
    ],
    ..JAVASCRIPT
};

#[rustfmt::skip]
static PYTHON: Words = Words {
    line_comments: &["#"],
    quotes: b"\"'",
    multiline: &["\"\"\"", "'''"],
    keywords: &[
        "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif", "else",
        "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ],
    constants: &["False", "None", "True", "self"],
    types: &["bool", "bytes", "dict", "float", "int", "list", "object", "set", "str", "tuple"],
    has_decorators: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static RUST: Words = Words {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"",
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "fn", "for",
        "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static",
        "struct", "super", "trait", "type", "unsafe", "use", "where", "while",
    ],
    constants: &["false", "true"],
    types: &[
        "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64",
        "u8", "usize",
    ],
    has_lifetimes: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static GO: Words = Words {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"'",
    multiline: &["`"],
    keywords: &[
        "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
        "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch",
        "type", "var",
    ],
    constants: &["false", "iota", "nil", "true"],
    types: &[
        "any", "bool", "byte", "error", "float32", "float64", "int", "int16", "int32", "int64", "int8", "rune",
        "string", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr",
    ],
    ..Words::PLAIN
};

#[rustfmt::skip]
static JAVA: Words = Words {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"'",
    multiline: &["\"\"\""],
    keywords: &[
        "abstract", "assert", "break", "case", "catch", "class", "continue", "default", "do", "else", "enum",
        "extends", "final", "finally", "for", "if", "implements", "import", "instanceof", "interface", "new",
        "package", "private", "protected", "public", "record", "return", "static", "super", "switch", "synchronized",
        "this", "throw", "throws", "try", "var", "volatile", "while", "yield",
    ],
    constants: &["false", "null", "true"],
    types: &["boolean", "byte", "char", "double", "float", "int", "long", "short", "void"],
    has_decorators: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static KOTLIN: Words = Words {
    keywords: &[
        "as", "break", "by", "catch", "class", "companion", "constructor", "continue", "data", "do", "else", "enum",
        "finally", "for", "fun", "if", "import", "in", "interface", "internal", "is", "object", "open", "override",
        "package", "private", "protected", "public", "return", "sealed", "super", "suspend", "this", "throw", "try",
        "typealias", "val", "var", "when", "while",
    ],
    types: &[],
    ..JAVA
};

#[rustfmt::skip]
static SWIFT: Words = Words {
    keywords: &[
        "as", "async", "await", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else",
        "enum", "extension", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
        "internal", "is", "let", "mutating", "open", "override", "private", "protocol", "public", "return", "self",
        "static", "struct", "super", "switch", "throw", "throws", "try", "typealias", "var", "where", "while",
    ],
    constants: &["false", "nil", "true"],
    types: &[],
    ..JAVA
};

#[rustfmt::skip]
static C: Words = Words {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"'",
    keywords: &[
        "auto", "break", "case", "catch", "class", "const", "constexpr", "continue", "default", "delete", "do",
        "else", "enum", "explicit", "extern", "for", "friend", "goto", "if", "include", "inline", "namespace", "new",
        "operator", "override", "private", "protected", "public", "register", "return", "sizeof", "static", "struct",
        "switch", "template", "this", "throw", "try", "typedef", "typename", "union", "using", "virtual", "volatile",
        "while",
    ],
    constants: &["NULL", "false", "nullptr", "true"],
    types: &[
        "bool", "char", "double", "float", "int", "long", "short", "signed", "size_t", "unsigned", "void",
    ],
    ..Words::PLAIN
};

#[rustfmt::skip]
static CSHARP: Words = Words {
    keywords: &[
        "abstract", "as", "async", "await", "base", "break", "case", "catch", "class", "const", "continue",
        "default", "do", "else", "enum", "event", "finally", "for", "foreach", "get", "if", "in", "interface",
        "internal", "is", "lock", "namespace", "new", "out", "override", "params", "partial", "private", "protected",
        "public", "readonly", "record", "ref", "return", "sealed", "set", "static", "struct", "switch", "this",
        "throw", "try", "typeof", "using", "var", "virtual", "where", "while", "yield",
    ],
    constants: &["false", "null", "true"],
    types: &[
        "bool", "byte", "char", "decimal", "double", "dynamic", "float", "int", "long", "object", "short", "string",
        "uint", "ulong", "void",
    ],
    ..C
};

#[rustfmt::skip]
static PHP: Words = Words {
    line_comments: &["//", "#"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"'",
    keywords: &[
        "abstract", "as", "break", "case", "catch", "class", "clone", "const", "continue", "default", "do", "echo",
        "else", "elseif", "extends", "final", "finally", "fn", "for", "foreach", "function", "global", "if",
        "implements", "instanceof", "interface", "match", "namespace", "new", "php", "print", "private", "protected",
        "public", "readonly", "require", "require_once", "return", "static", "switch", "throw", "trait", "try",
        "use", "while", "yield",
    ],
    constants: &["FALSE", "NULL", "TRUE", "false", "null", "true"],
    types: &["array", "bool", "float", "int", "mixed", "object", "string", "void"],
    has_dollar_names: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static RUBY: Words = Words {
    line_comments: &["#"],
    quotes: b"\"'",
    keywords: &[
        "BEGIN", "END", "alias", "and", "begin", "break", "case", "class", "def", "do", "else", "elsif", "end",
        "ensure", "for", "if", "in", "module", "next", "not", "or", "puts", "raise", "redo", "require", "rescue",
        "retry", "return", "self", "super", "then", "undef", "unless", "until", "when", "while", "yield",
    ],
    constants: &["false", "nil", "true"],
    types: &[],
    ..Words::PLAIN
};

#[rustfmt::skip]
static DART: Words = Words {
    keywords: &[
        "abstract", "as", "assert", "async", "await", "break", "case", "catch", "class", "const", "continue",
        "default", "do", "else", "enum", "export", "extends", "final", "finally", "for", "get", "if", "implements",
        "import", "in", "is", "late", "library", "mixin", "new", "on", "part", "required", "rethrow", "return",
        "set", "static", "super", "switch", "this", "throw", "try", "var", "while", "with", "yield",
    ],
    types: &["bool", "double", "dynamic", "int", "num", "void"],
    ..JAVA
};

#[rustfmt::skip]
static SQL: Words = Words {
    line_comments: &["--"],
    block_comment: Some(("/*", "*/")),
    quotes: b"'",
    keywords: &[
        "add", "all", "alter", "and", "as", "asc", "begin", "between", "by", "cascade", "case", "check", "column",
        "commit", "constraint", "create", "cross", "database", "default", "delete", "desc", "distinct", "drop",
        "else", "end", "exists", "extension", "foreign", "from", "full", "function", "grant", "group", "having",
        "if", "in", "index", "inner", "insert", "into", "is", "join", "key", "left", "like", "limit", "not",
        "offset", "on", "or", "order", "outer", "over", "partition", "policy", "primary", "references", "replace",
        "returning", "returns", "right", "rollback", "row", "schema", "select", "set", "table", "then", "to",
        "trigger", "union", "unique", "update", "using", "values", "view", "when", "where", "with",
    ],
    constants: &["false", "null", "true"],
    types: &[
        "bigint", "boolean", "date", "int", "integer", "json", "jsonb", "numeric", "serial", "text", "timestamp",
        "timestamptz", "uuid", "varchar",
    ],
    ignores_case: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static GRAPHQL: Words = Words {
    line_comments: &["#"],
    quotes: b"\"",
    multiline: &["\"\"\""],
    keywords: &[
        "directive", "enum", "extend", "fragment", "implements", "input", "interface", "mutation", "on", "query",
        "scalar", "schema", "subscription", "type", "union",
    ],
    constants: &["false", "null", "true"],
    has_dollar_names: true,
    has_decorators: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static HCL: Words = Words {
    line_comments: &["#", "//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"",
    keywords: &[
        "data", "dynamic", "for", "for_each", "in", "locals", "module", "output", "provider", "resource",
        "terraform", "variable",
    ],
    constants: &["false", "null", "true"],
    ..Words::PLAIN
};

#[rustfmt::skip]
static DOCKERFILE: Words = Words {
    line_comments: &["#"],
    quotes: b"\"'",
    keywords: &[
        "ADD", "ARG", "AS", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "ONBUILD",
        "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
    ],
    has_dollar_names: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static POWERSHELL: Words = Words {
    line_comments: &["#"],
    block_comment: Some(("<#", "#>")),
    quotes: b"\"'",
    keywords: &[
        "begin", "break", "catch", "continue", "do", "else", "elseif", "end", "exit", "finally", "for", "foreach",
        "function", "if", "in", "param", "process", "return", "switch", "throw", "try", "until", "while",
    ],
    has_dollar_names: true,
    has_flags: true,
    ignores_case: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static SHELL: Words = Words {
    line_comments: &["#"],
    quotes: b"\"'",
    keywords: &[
        "break", "case", "continue", "do", "done", "elif", "else", "esac", "exit", "export", "fi", "for", "function",
        "if", "in", "local", "return", "set", "source", "then", "unset", "until", "while",
    ],
    constants: &["false", "true"],
    has_dollar_names: true,
    has_flags: true,
    is_shell: true,
    ..Words::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lists_are_sorted() {
        for words in [
            &JAVASCRIPT,
            &TYPESCRIPT,
            &PYTHON,
            &RUST,
            &GO,
            &JAVA,
            &KOTLIN,
            &SWIFT,
            &C,
            &CSHARP,
            &PHP,
            &RUBY,
            &DART,
            &SQL,
            &GRAPHQL,
            &HCL,
            &DOCKERFILE,
            &POWERSHELL,
            &SHELL,
        ] {
            for list in [words.keywords, words.constants, words.types] {
                assert!(list.is_sorted(), "{list:?}");
            }
        }
    }
}
