use super::*;

/// What the file `config.ts`, whose text is the first of `files`, exports, as JSON; parts that are
/// not known as texts with their offsets.
fn exported(files: &[(&str, &str)]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let folder = Folder::open(folder.path()).unwrap();
    plain_value(&Scripts::new(&folder).default_export(files[0].0))
}

fn plain_value(node: &Node) -> Value {
    match &node.data {
        Data::Null => Value::Null,
        Data::Bool(bool) => (*bool).into(),
        Data::Number(number) => serde_json::from_str(number).unwrap_or(Value::Null),
        Data::Text(text) => text.clone().into(),
        Data::List(items) => items.iter().map(plain_value).collect(),
        Data::Object(members) => {
            let members = members
                .iter()
                .map(|(key, node)| (key.clone(), plain_value(node)));
            Value::Object(members.collect())
        }
        Data::Unknown(what) => format!("? {what}").into(),
    }
}

#[track_caller]
fn check(text: &str, expected: Value) {
    assert_eq!(exported(&[("config.ts", text)]), expected, "{text}");
}

#[test]
fn every_form_of_an_export_is_read() {
    let expected = serde_json::json!({ "a": 1 });
    for text in [
        "export default { a: 1 }",
        "module.exports = { a: 1 };",
        "exports.default = { a: 1 };",
        "const config = { a: 1 };\nexport default config;",
        "const config = { a: 1 };\nmodule.exports = config;",
        "const config: Config = { a: 1 };\nexport { config as default };",
        "export default { a: 1 } satisfies Config",
        "export default <Config>{ a: 1 }",
        "export default ({ a: 1 } as const)",
        "import { defineConfig } from 'vitepress'\nexport default defineConfig({ a: 1 })",
        "export default defineConfig(async () => ({ a: 1 }))",
        "export default withMermaid(defineConfig({ a: 1 }))",
        "export default async function createConfig() { return { a: 1 }; }",
        "module.exports = async () => { const a = 1; return { a }; };",
        "export default withSomething({ a: 1 })",
        "export = { a: 1 }",
    ] {
        check(text, expected.clone());
    }
}

#[test]
fn values_are_followed_as_far_as_literals_go() {
    for (text, expected) in [
        (
            "const b = 'x'; export default [b, `y`, `${b}-z`, b + 1]",
            r#"["x","y","x-z","x1"]"#,
        ),
        (
            "const m = { k: [1] }; export default { ...m, b: m.k[0], c: m['k'] }",
            r#"{"k":[1],"b":1,"c":[1]}"#,
        ),
        (
            "const more = ['b']; export default ['a', ...more]",
            r#"["a","b"]"#,
        ),
        (
            "export default { ['a' + 'b']: -1, 'c-d': !0, e: undefined }",
            r#"{"ab":-1,"c-d":true,"e":null}"#,
        ),
        (
            "export default { a: process.env.A || 'x', b: true ? 1 : 2 }",
            r#"{"a":"x","b":1}"#,
        ),
        (
            "function bar(p = '/') { return [{ link: p }] }\nexport default { s: bar('/a'), t: bar() }",
            r#"{"s":[{"link":"/a"}],"t":[{"link":"/"}]}"#,
        ),
        (
            "export default { p: require.resolve('./sidebars.js') }",
            r#"{"p":"./sidebars.js"}"#,
        ),
        ("export default { a: 1, a: 2 }", r#"{"a":2}"#),
    ] {
        check(text, serde_json::from_str(expected).unwrap());
    }
}

#[test]
fn what_only_a_program_can_tell_is_named() {
    for (text, expected) in [
        (
            "export default { a: load('x') }",
            r#"{"a":"? a call of `load()`"}"#,
        ),
        (
            "export default { a: fs.readFileSync('x') }",
            r#"{"a":"? a call of `fs.readFileSync()`"}"#,
        ),
        (
            "import x from 'y'; export default [x]",
            r#"["? a value of the package `y`"]"#,
        ),
        (
            "import x from '../out'; export default [x]",
            r#"["? a value of the package `../out`"]"#,
        ),
        (
            "export default { ...load() }",
            r#"{"...":"? a call of `load()`"}"#,
        ),
        (
            "export default { a() {}, b: () => 1 }",
            r#"{"a":"? a function","b":"? a function"}"#,
        ),
        (
            "const a = a; export default [a]",
            r#"["? a value that is too large"]"#,
        ),
        (
            "function f() { for (;;) {} } export default [f()]",
            r#"["? a call of `f()`"]"#,
        ),
        (
            "export default [process.env.A ? 1 : 2]",
            r#"["? a choice that a program makes"]"#,
        ),
        (
            "let a = 1",
            r#""? a module without an export that is a literal""#,
        ),
        (
            "export default {",
            r#""? a file with a syntax error (Expected `}` but found `EOF`)""#,
        ),
    ] {
        let found = exported(&[("config.ts", text)]).to_string();
        let is_cycle = text.starts_with("const a = a");
        match is_cycle {
            true => assert!(found.contains("too large"), "{found}"),
            false => assert_eq!(found, expected, "{text}"),
        }
    }
}

#[test]
fn modules_of_the_folder_are_read_and_no_others() {
    let found = exported(&[
        (
            "docs/.vitepress/config.mts",
            "import nav, { more as others } from './nav'\nimport * as en from '../en.js'\n\
             import data from './data.json' with { type: 'json' }\nconst { a } = require('./common')\n\
             export default { nav, others, title: en.title, a, d: data.x, r: require('./common') }",
        ),
        (
            "docs/.vitepress/nav.ts",
            "export const more = [1]\nexport default ['n']",
        ),
        (
            "docs/en.ts",
            "export const title = 'T'\nexport { more } from './.vitepress/nav'",
        ),
        ("docs/.vitepress/common.js", "module.exports = { a: 'A' }"),
        ("docs/.vitepress/data.json", "{\"x\": 5}"),
    ]);
    let expected = serde_json::json!({
        "nav": ["n"], "others": [1], "title": "T", "a": "A", "d": 5, "r": { "a": "A" },
    });
    assert_eq!(found, expected);
    let circle = exported(&[
        ("a.js", "import b from './b'\nexport default [b]"),
        ("b.js", "import a from './a'\nexport default [a]"),
    ]);
    assert_eq!(
        circle.to_string(),
        r#"[["? modules that import each other"]]"#
    );
}

/// Whatever stands in a file, it is read or refused on a stack as large as migrations have.
#[test]
fn hostile_files_are_refused() {
    let names: Vec<String> = (1..40)
        .map(|i| format!("const a{i} = [a{0}, a{0}, `${{a{0}}}${{a{0}}}`];", i - 1))
        .collect();
    let laughs = format!("const a0 = 'ha'; {} export default a39", names.join("\n"));
    let mut texts = vec![
        laughs,
        "\u{0}".to_owned(),
        "\u{feff}export default {}".to_owned(),
    ];
    for part in [
        "!", "a=", "a?b:", "a=>", "new ", "a:", "-", "~", "typeof ", "await ", "a.b", "a**",
    ] {
        texts.push(format!(
            "export default {}",
            part.repeat(80_000 / part.len())
        ));
    }
    for (open, close) in [
        ("[", "]"),
        ("{a:", "}"),
        ("(", ")"),
        ("f(", ")"),
        ("`${", "}`"),
    ] {
        texts.push(format!(
            "export default {}1{}",
            open.repeat(390),
            close.repeat(390)
        ));
        texts.push(format!("export default {}", open.repeat(5_000)));
    }
    texts.push("if(a)b;else ".repeat(1_999));
    let run = move || {
        for text in texts {
            exported(&[("config.ts", &text)]);
        }
    };
    let thread = std::thread::Builder::new().stack_size(crate::STACK);
    thread.spawn(run).unwrap().join().unwrap();
}
