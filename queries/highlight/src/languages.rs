//! The table of languages: what they are called, and what is particular about each.

use super::Highlighter;
use super::lexers::{Css, Data, Diff, Http, Markup, Words};

/// The highlighter for the lower-case `name`.
pub(super) fn find(name: &str) -> Option<&'static dyn Highlighter> {
    Some(match name {
        "js" | "javascript" | "mjs" | "cjs" | "jsx" | "node" | "nodejs" | "gjs" | "glimmer-js"
        | "imba" => &JAVASCRIPT,
        "ts" | "typescript" | "tsx" | "mts" | "cts" | "gts" | "glimmer-ts" | "angular-ts"
        | "ts-tags" | "lit" | "vue-vine" | "twoslash" => &TYPESCRIPT,
        "json" | "jsonc" | "json5" | "jsonl" | "ndjson" | "geojson" | "hjson" | "jison" => &JSON,
        "py" | "python" | "python3" | "pycon" | "mojo" | "genie" => &PYTHON,
        "bash" | "sh" | "shell" | "zsh" | "console" | "shellsession" | "terminal" | "curl"
        | "fish" | "commandline" | "shellscript" | "shell-session" | "bash-session" | "nu"
        | "nushell" => &SHELL,
        "yaml" | "yml" => &YAML,
        "toml" | "ini" | "env" | "dotenv" | "properties" | "conf" | "systemd" | "gdresource"
        | "tscn" | "tres" | "fluent" | "ftl" | "rosmsg" | "qmldir" | "hxml" | "codeowners" => &TOML,
        "rs" | "rust" | "ron" | "cairo" | "move" => &RUST,
        "go" | "golang" | "templ" => &GO,
        "java" | "apex" | "bal" | "ballerina" => &JAVA,
        "kt" | "kotlin" | "pkl" => &KOTLIN,
        "swift" | "cadence" | "cdc" => &SWIFT,
        "c" | "h" | "cpp" | "c++" | "cc" | "hpp" | "objc" | "objective-c" => &C,
        "cs" | "csharp" | "c#" | "dotnet" | "vala" => &CSHARP,
        "php" | "hack" | "ara" => &PHP,
        "rb" | "ruby" => &RUBY,
        "dart" | "flutter" => &DART,
        "sql" | "postgres" | "postgresql" | "mysql" | "plsql" | "surrealql" | "surql"
        | "codeql" | "ql" => &SQL,
        "graphql" | "gql" => &GRAPHQL,
        "hcl" | "terraform" | "tf" => &HCL,
        "dockerfile" | "docker" => &DOCKERFILE,
        "powershell" | "ps1" | "ps" | "pwsh" => &POWERSHELL,
        "html" | "htm" | "blade" | "handlebars" | "hbs" | "liquid" | "xml" | "svg" | "vue"
        | "svelte" | "astro" | "xhtml" | "mdx" | "md" | "markdown" | "mdc" | "angular-html"
        | "vue-html" | "html-derivative" | "marko" | "edge" | "razor" | "cshtml"
        | "closure-templates" | "soy" | "xsl" | "xslt" => &MARKUP,
        "css" | "scss" | "sass" | "less" | "postcss" | "qss" => &CSS,
        "http" | "https" | "hurl" => &HTTP,
        "diff" | "patch" => &DIFF,
        "prisma" | "kdl" | "typespec" | "tsp" | "wit" | "cue" | "smithy" | "thrift" | "capnp" => {
            &SCHEMA
        }
        "bicep" => &BICEP,
        "gherkin" | "cucumber" | "feature" => &GHERKIN,
        "hlsl" | "shaderlab" | "shader" | "gdshader" | "metal" | "openscad" | "scad" => &SHADER,
        "vb" | "vbnet" | "visual-basic" | "vba" | "vbs" => &VISUAL_BASIC,
        "kusto" | "kql" | "dax" | "powerquery" | "splunk" | "spl" => &KUSTO,
        "cypher" | "cql" | "sparql" | "turtle" | "ttl" | "rel" | "tasl" => &CYPHER,
        "abap" | "cobol" | "sas" | "stata" => &ABAP,
        "c3" | "haxe" | "hx" | "moonbit" | "mbt" | "mbti" | "zenscript" | "fsl" | "jssm"
        | "dream-maker" | "gleam" | "carbon" | "v-lang" => &BRACES,
        "berry" | "be" | "gn" | "just" | "justfile" | "polar" | "talon" | "talonscript"
        | "bird" | "bird2" | "po" | "pot" | "potx" | "narrat" | "nar" | "logo" | "pug" | "jade"
        | "caddy" | "caddyfile" | "promql" => &HASHES,
        "beancount" | "clarity" | "wasm" | "wat" | "apl" => &SEMICOLONS,
        "wolfram" | "wl" | "mathematica" | "coq" | "smalltalk" => &WOLFRAM,
        "bsl" | "1c" | "sdbl" | "1c-query" => &BSL,
        "wenyan" | "文言" => &WENYAN,
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

#[rustfmt::skip]
static SCHEMA: Words = Words {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"",
    multiline: &["\"\"\""],
    keywords: &[
        "alias", "const", "datasource", "enum", "export", "extends", "for", "func", "generator", "if",
        "import", "include", "interface", "is", "let", "model", "namespace", "op", "operation", "package",
        "record", "resource", "scalar", "service", "structure", "type", "union", "use", "using", "view",
        "world",
    ],
    constants: &[
        "false", "null", "true",
    ],
    types: &[
        "BigInt", "Boolean", "Bytes", "DateTime", "Decimal", "Float", "Int", "Json", "String", "bool",
        "boolean", "bytes", "float", "float32", "float64", "int", "int32", "int64", "list", "number", "option",
        "result", "string", "u32", "u64", "u8", "uint",
    ],
    has_decorators: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static BICEP: Words = Words {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"'",
    multiline: &["'''"],
    keywords: &[
        "as", "existing", "for", "func", "if", "import", "in", "metadata", "module", "output", "param",
        "provider", "resource", "targetScope", "type", "using", "var", "with",
    ],
    constants: &[
        "false", "null", "true",
    ],
    types: &[
        "array", "bool", "int", "object", "string",
    ],
    has_decorators: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static GHERKIN: Words = Words {
    line_comments: &["#"],
    quotes: b"\"",
    multiline: &["\"\"\""],
    keywords: &[
        "And", "Background", "But", "Examples", "Feature", "Given", "Outline", "Rule", "Scenario", "Scenarios",
        "Template", "Then", "When",
    ],
    has_decorators: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static SHADER: Words = Words {
    keywords: &[
        "Pass", "Properties", "Shader", "SubShader", "Tags", "break", "case", "cbuffer", "const", "continue",
        "default", "discard", "do", "else", "extern", "for", "function", "groupshared", "if", "in", "include",
        "inline", "inout", "module", "out", "packoffset", "register", "return", "shader_type", "static",
        "struct", "switch", "uniform", "use", "varying", "void", "while",
    ],
    constants: &[
        "false", "true",
    ],
    types: &[
        "Texture2D", "Texture3D", "TextureCube", "bool", "double", "fixed4", "float", "float2", "float3",
        "float3x3", "float4", "float4x4", "half", "half2", "half3", "half4", "int", "int2", "int3", "int4",
        "mat3", "mat4", "matrix", "sampler2D", "uint", "vec2", "vec3", "vec4",
    ],
    ..C
};

#[rustfmt::skip]
static VISUAL_BASIC: Words = Words {
    line_comments: &["'"],
    quotes: b"\"",
    keywords: &[
        "addhandler", "and", "andalso", "as", "byref", "byval", "call", "case", "catch", "class", "const",
        "declare", "dim", "do", "each", "else", "elseif", "end", "enum", "event", "exit", "finally", "for",
        "friend", "function", "get", "handles", "if", "implements", "imports", "in", "inherits", "interface",
        "is", "let", "loop", "me", "mod", "module", "mybase", "namespace", "new", "next", "not", "of", "on",
        "option", "optional", "or", "orelse", "overrides", "private", "property", "protected", "public",
        "raiseevent", "readonly", "redim", "return", "select", "set", "shared", "static", "step", "structure",
        "sub", "then", "throw", "to", "try", "until", "using", "wend", "while", "with",
    ],
    constants: &[
        "false", "nothing", "true",
    ],
    types: &[
        "boolean", "byte", "char", "date", "decimal", "double", "integer", "long", "object", "short", "single",
        "string", "variant",
    ],
    ignores_case: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static KUSTO: Words = Words {
    line_comments: &["//", "--"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"'",
    keywords: &[
        "and", "as", "asc", "between", "by", "contains", "count", "datatable", "define", "desc", "distinct",
        "each", "else", "error", "eval", "evaluate", "extend", "fields", "filter", "has", "if", "in", "join",
        "kind", "let", "limit", "lookup", "measure", "meta", "mv-expand", "not", "on", "or", "order",
        "otherwise", "parse", "project", "rename", "render", "return", "search", "section", "shared", "sort",
        "stats", "summarize", "table", "take", "then", "timechart", "top", "try", "type", "union", "var",
        "where",
    ],
    constants: &[
        "false", "null", "true",
    ],
    types: &[
        "bool", "date", "datetime", "decimal", "double", "dynamic", "guid", "int", "long", "number", "real",
        "record", "string", "text", "timespan",
    ],
    ignores_case: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static CYPHER: Words = Words {
    line_comments: &["//", "#"],
    block_comment: Some(("/*", "*/")),
    quotes: b"\"'",
    keywords: &[
        "all", "and", "as", "asc", "ask", "bind", "by", "call", "case", "construct", "create", "def",
        "delete", "desc", "describe", "detach", "distinct", "else", "end", "exists", "filter", "foreach",
        "from", "graph", "group", "having", "in", "insert", "is", "limit", "load", "match", "merge", "minus",
        "not", "offset", "on", "optional", "or", "order", "prefix", "remove", "return", "select", "service",
        "set", "skip", "then", "union", "unwind", "using", "values", "when", "where", "with", "yield",
    ],
    constants: &[
        "false", "null", "true",
    ],
    has_dollar_names: true,
    ignores_case: true,
    ..Words::PLAIN
};

#[rustfmt::skip]
static ABAP: Words = Words {
    line_comments: &["*>", "//"],
    block_comment: Some(("/*", "*/")),
    quotes: b"'\"",
    keywords: &[
        "add", "and", "append", "as", "assigning", "at", "begin", "by", "call", "case", "class", "clear",
        "compute", "data", "define", "definition", "delete", "display", "divide", "division", "do", "drop",
        "else", "elseif", "end", "endclass", "endif", "endloop", "endmethod", "endtry", "environment",
        "evaluate", "exit", "export", "field-symbols", "for", "foreach", "form", "from", "function",
        "generate", "identification", "if", "implementation", "import", "input", "insert", "into", "is",
        "keep", "label", "loop", "merge", "method", "methods", "modify", "move", "multiply", "new", "not",
        "of", "or", "output", "perform", "pic", "private", "proc", "procedure", "program", "public", "quit",
        "raise", "read", "regress", "replace", "report", "return", "run", "section", "select", "set", "sort",
        "stop", "storage", "subtract", "summarize", "table", "tables", "then", "to", "try", "type", "types",
        "until", "update", "use", "using", "value", "varying", "when", "where", "while", "with",
        "working-storage", "write",
    ],
    types: &[
        "c", "d", "f", "i", "n", "p", "string", "t", "x",
    ],
    ignores_case: true,
    ..Words::PLAIN
};

/// Languages with braces and comments of C.
#[rustfmt::skip]
static BRACES: Words = Words {
    keywords: &[
        "abstract", "as", "assert", "auto", "break", "case", "cast", "catch", "class", "const", "continue",
        "def", "default", "defer", "del", "derive", "do", "else", "enum", "extends", "extern", "final", "fn",
        "for", "foreach", "func", "function", "global", "if", "impl", "implements", "import", "in", "inline",
        "interface", "is", "let", "loop", "macro", "match", "module", "mut", "new", "opaque", "override",
        "package", "panic", "priv", "private", "proc", "pub", "public", "return", "static", "struct", "super",
        "switch", "this", "throw", "todo", "trait", "try", "type", "typedef", "use", "using", "val", "var",
        "verb", "when", "while", "zenClass",
    ],
    constants: &[
        "False", "Nil", "True", "false", "null", "true",
    ],
    types: &[
        "Array", "Bool", "Dynamic", "Float", "Int", "List", "Result", "String", "Void", "bool", "char",
        "double", "float", "int", "long", "string", "uint", "void",
    ],
    has_decorators: true,
    ..C
};

/// Languages whose comments begin with `#`.
#[rustfmt::skip]
static HASHES: Words = Words {
    line_comments: &["#"],
    quotes: b"\"'",
    keywords: &[
        "alias", "allow", "and", "as", "block", "break", "by", "class", "cond", "continue", "declare", "def",
        "do", "each", "else", "elseif", "elsif", "end", "except", "export", "extends", "filter", "for",
        "foreach", "forward", "function", "has", "if", "ifelse", "import", "in", "include", "insert", "is",
        "label", "make", "mixin", "mod", "msgctxt", "msgid", "msgid_plural", "msgstr", "not", "on", "or",
        "output", "permission", "protocol", "recipe", "relation", "repeat", "resource", "return", "set",
        "source_set", "static", "stop", "table", "template", "test", "then", "to", "try", "unless", "var",
        "when", "while", "without",
    ],
    constants: &[
        "false", "nil", "none", "null", "true",
    ],
    has_decorators: true,
    has_dollar_names: true,
    ..Words::PLAIN
};

/// Languages whose comments begin with `;`, or with the lamp of APL.
#[rustfmt::skip]
static SEMICOLONS: Words = Words {
    line_comments: &[";", "⍝"],
    block_comment: Some(("(;", ";)")),
    quotes: b"\"",
    keywords: &[
        "asserts", "balance", "block", "br", "br_if", "call", "close", "commodity", "custom", "data",
        "document", "elem", "else", "end", "event", "export", "func", "global", "if", "import", "include",
        "let", "local", "loop", "memory", "module", "note", "open", "option", "pad", "param", "plugin",
        "price", "result", "return", "start", "table", "then", "txn", "type", "unwrap",
    ],
    constants: &[
        "false", "none", "true",
    ],
    types: &[
        "bool", "externref", "f32", "f64", "funcref", "i32", "i64", "int", "principal", "uint", "v128",
    ],
    ..Words::PLAIN
};

#[rustfmt::skip]
static WOLFRAM: Words = Words {
    block_comment: Some(("(*", "*)")),
    quotes: b"\"'",
    keywords: &[
        "Block", "CoFixpoint", "Compile", "Definition", "Do", "End", "Example", "Export", "Fixpoint", "For",
        "From", "Function", "If", "Import", "Inductive", "Lemma", "Module", "Proof", "Qed", "Record",
        "Require", "Return", "Section", "Switch", "Table", "Theorem", "Variable", "Which", "While", "With",
        "as", "else", "end", "exists", "fix", "forall", "fun", "if", "in", "let", "match", "return", "self",
        "super", "then", "with",
    ],
    constants: &[
        "False", "None", "Null", "True", "false", "nil", "true",
    ],
    types: &[
        "Prop", "Set", "Type", "bool", "list", "nat", "option",
    ],
    ..Words::PLAIN
};

#[rustfmt::skip]
static BSL: Words = Words {
    line_comments: &["//"],
    quotes: b"\"'",
    keywords: &[
        "Асинх", "ВЫБРАТЬ", "Возврат", "Для", "Если", "ИЗ", "ИЛИ", "Из", "Или", "Иначе", "ИначеЕсли",
        "Исключение", "КАК", "Каждого", "КонецЕсли", "КонецПопытки", "КонецПроцедуры", "КонецФункции",
        "КонецЦикла", "НЕ", "Не", "Новый", "Перем", "По", "Попытка", "Процедура", "СГРУППИРОВАТЬ",
        "СОЕДИНЕНИЕ", "Тогда", "УПОРЯДОЧИТЬ", "Функция", "Цикл", "Экспорт",
    ],
    constants: &[
        "Истина", "Ложь", "Неопределено",
    ],
    ..Words::PLAIN
};

#[rustfmt::skip]
static WENYAN: Words = Words {
    multiline: &["「「"],
    keywords: &[
        "之", "也", "云云", "今", "其", "吾有", "夫", "如是", "曰", "書之", "為是", "若", "若非",
    ],
    constants: &[
        "陰", "陽",
    ],
    types: &[
        "列", "數", "爻", "物", "言",
    ],
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
            &SCHEMA,
            &BICEP,
            &GHERKIN,
            &SHADER,
            &VISUAL_BASIC,
            &KUSTO,
            &CYPHER,
            &ABAP,
            &BRACES,
            &HASHES,
            &SEMICOLONS,
            &WOLFRAM,
            &BSL,
            &WENYAN,
        ] {
            for list in [words.keywords, words.constants, words.types] {
                assert!(list.is_sorted(), "{list:?}");
            }
        }
    }
}
