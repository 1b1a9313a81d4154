//! The module of a page: the files that its uses need, each a function that is called once.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::script::{Fault, Script, check};

/// Names that scripts of a site use without an import, with what `queries/theme/js/islands/islands.js` has.
const CORE: &[&str] = &[
    "Component",
    "Fragment",
    "createContext",
    "useCallback",
    "useContext",
    "useEffect",
    "useLayoutEffect",
    "useMemo",
    "useReducer",
    "useRef",
    "useState",
];

/// Those that `queries/theme/js/islands/more.js` has: the rest of React, and the components of the theme as members of an
/// object.
const MORE: &[&str] = &[
    "Children",
    "MintlifyComponents",
    "PureComponent",
    "React",
    "cloneElement",
    "createElement",
    "createRef",
    "forwardRef",
    "isValidElement",
    "memo",
    "startTransition",
    "useDebugValue",
    "useDeferredValue",
    "useId",
    "useImperativeHandle",
    "useInsertionEffect",
    "useTransition",
];

/// Addresses of the scripts that modules import.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// What every module needs.
    pub core: String,
    /// What modules need that use components of the theme, or more of React than hooks.
    pub more: String,
}

/// A file of a page, with where its imports lead.
#[derive(Clone, Debug)]
pub struct Linked<'a> {
    /// The file.
    pub script: &'a Script,
    /// Target of each import, in order.
    pub targets: Vec<Target>,
}

/// Target of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The file with this number.
    File(usize),
    /// Markdown, which is rendered as a component of the theme is.
    Markdown,
    /// A package: what it is asked for has a value if it is React's.
    Package,
}

/// A use of a component.
#[derive(Clone, Debug)]
pub struct Use {
    /// File in whose scope it stands, by its number.
    pub file: usize,
    /// Expression: what it shows. `$s(n)` are the children with the number n.
    pub code: String,
    /// Names that it uses.
    pub free: Vec<String>,
    /// Names that it knows besides those of its file, with their values.
    pub locals: Vec<(String, String)>,
}

/// A component of the theme as the build renders it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// JSON of `[name, props]`, or `[name, props, children]` if it is of these children alone.
    pub key: String,
    /// Its HTML, with `<q-fill></q-fill>` in place of children.
    pub html: String,
}

/// The text of the module of a page; `is_theme` knows the names of components of the theme. A use that is `None` keeps
/// its number and does nothing.
pub fn module(
    runtime: &Runtime,
    files: &[Linked<'_>],
    uses: &[Option<Use>],
    parts: &[Part],
    is_theme: impl Fn(&str) -> bool,
) -> Result<String, Fault> {
    let order = needed(files, uses);
    let free: BTreeSet<&str> = order
        .iter()
        .flat_map(|file| &files[*file].script.free)
        .chain(uses.iter().flatten().flat_map(|used| &used.free))
        .map(String::as_str)
        .collect();
    let is_global = |name: &str| CORE.contains(&name) || MORE.contains(&name);
    let globals = free.iter().filter(|name| is_global(name));
    let globals: String = globals.flat_map(|name| [",", *name]).collect();
    let of_theme: Vec<&str> = free
        .iter()
        .copied()
        .filter(|name| is_theme(name) && !is_global(name))
        .collect();
    let is_outside = |file: &usize| {
        let targets = &files[*file].targets;
        targets
            .iter()
            .any(|target| !matches!(target, Target::File(_)))
    };
    let codes = order.iter().map(|file| &files[*file].script.code);
    let codes = codes.chain(uses.iter().flatten().map(|used| &used.code));
    let needs_more = codes.into_iter().any(|code| draws(code))
        || !of_theme.is_empty()
        || free.iter().any(|name| MORE.contains(name))
        || order.iter().any(is_outside)
        || uses.iter().flatten().any(|used| {
            used.locals
                .iter()
                .any(|(_, value)| value.contains("$.html("))
        });
    let core = quoted(&runtime.core);
    let mut text = match needs_more {
        true => {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| format!("[{},{}]", quoted(&part.key), quoted(&part.html)))
                .collect();
            format!(
                "import{{island as $i}}from{core};\nimport{{island}}from{};\nconst $=island($i,import.meta.url,[{}]),",
                quoted(&runtime.more),
                parts.join(",")
            )
        }
        false => format!("import{{island}}from{core};\nconst $=island(import.meta.url),"),
    };
    let _ = writeln!(text, "{{h:$h,Fragment:$f{globals}}}=$;");
    for name in of_theme {
        let _ = writeln!(text, "const {name}=$.theme({});", quoted(name));
    }
    for file in &order {
        let linked = &files[*file];
        let _ = writeln!(
            text,
            "const ${file}=(()=>{{{}{}return{{{}}}}})();",
            imports(linked, files),
            linked.script.code,
            exposed(linked.script).join(","),
        );
    }
    text.push_str("$.mount([");
    for used in uses {
        let Some(used) = used else {
            text.push_str("0,");
            continue;
        };
        let of_file = exposed(files[used.file].script);
        let names = of_file.iter().filter(|name| used.free.contains(*name));
        let names: Vec<&str> = names.map(String::as_str).collect();
        let is_local = |name: &&String| used.locals.iter().any(|(local, _)| local == *name);
        let mut all: BTreeSet<&str> = used
            .free
            .iter()
            .filter(is_local)
            .map(String::as_str)
            .collect();
        all.extend(&names);
        let all: Vec<&str> = all.into_iter().collect();
        let locals = used.locals.iter();
        let locals: String = locals
            .map(|(name, value)| format!(",{}:{value}", quoted(name)))
            .collect();
        let _ = writeln!(
            text,
            "(({{{}}})=>$s=>{})({{...${}{locals}}}),",
            all.join(","),
            used.code,
            used.file,
        );
    }
    let scopes: Vec<String> = order.iter().map(|file| format!("${file}")).collect();
    let _ = writeln!(text, "],[{}]);", scopes.join(","));
    check(&text)?;
    Ok(text)
}

/// Returns true if a script has attributes of SVG that React names otherwise: `strokeWidth`.
fn draws(code: &str) -> bool {
    let starts = [
        "clip",
        "dominant",
        "fill",
        "marker",
        "stop",
        "stroke",
        "textAnchor",
        "vector",
    ];
    starts.iter().any(|start| {
        code.match_indices(start).any(|(at, _)| {
            let is_start = !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            let rest = &code[at + start.len()..];
            is_start
                && (*start == "textAnchor" || rest.starts_with(|c: char| c.is_ascii_uppercase()))
        })
    })
}

/// The files that `uses` need, each after those that it imports.
fn needed(files: &[Linked<'_>], uses: &[Option<Use>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for used in uses.iter().flatten() {
        follow(files, used.file, &mut seen, &mut order);
    }
    order
}

fn follow(files: &[Linked<'_>], file: usize, seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
    if !seen.insert(file) {
        return;
    }
    for target in &files[file].targets {
        if let Target::File(target) = target {
            follow(files, *target, seen, order);
        }
    }
    order.push(file);
}

/// Statements that declare what a file imports.
fn imports(linked: &Linked<'_>, files: &[Linked<'_>]) -> String {
    let mut text = String::new();
    for (import, target) in linked.script.imports.iter().zip(&linked.targets) {
        let local = &import.local;
        let value = match target {
            Target::Markdown => format!("$.theme({})", quoted(local)),
            Target::Package => match &*import.name {
                "default" | "*" => "$.React".to_owned(),
                name => format!("$.React[{}]", quoted(name)),
            },
            Target::File(file) => match &*import.name {
                "*" => format!("${file}"),
                name => {
                    let exports = &files[*file].script.exports;
                    let known = exports.iter().find(|(exported, _)| exported == name);
                    let there = known.map_or(name, |(_, local)| local);
                    format!("${file}[{}]", quoted(there))
                }
            },
        };
        let _ = write!(text, "const {local}={value};");
    }
    text
}

/// Names that a file has at its top level.
fn exposed(script: &Script) -> Vec<String> {
    let imports = script.imports.iter().map(|import| &import.local);
    script.names.iter().chain(imports).cloned().collect()
}

/// A string of JavaScript.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{expression, script};

    #[test]
    fn files_come_after_what_they_import() {
        let page = script("import { C as K } from './c.jsx'\nexport const rows = [1]").unwrap();
        let c = script(
            "import B from './b.mdx'\nexport const C = () => <Card title={useId()}><B/></Card>",
        )
        .unwrap();
        let files = [
            Linked {
                script: &page,
                targets: vec![Target::File(1)],
            },
            Linked {
                script: &c,
                targets: vec![Target::Markdown],
            },
        ];
        let (code, free) = expression("<K rows={rows} n={n}>{$s(0)}</K>").unwrap();
        let used = Use {
            file: 0,
            code,
            free,
            locals: [("n", "1"), ("props", "{n:1}"), ("data-a", "2")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
        };
        let part = Part {
            key: "[\"Card\",{}]".to_owned(),
            html: "<a>\n</a>".to_owned(),
        };
        let runtime = Runtime {
            core: "/_theme/a.js".to_owned(),
            more: "/_theme/b.js".to_owned(),
        };
        let text = module(&runtime, &files, &[None, Some(used)], &[part], |name| {
            name == "Card"
        });
        let expected = r#"import{island as $i}from"/_theme/a.js";
import{island}from"/_theme/b.js";
const $=island($i,import.meta.url,[["[\"Card\",{}]","<a>\n</a>"]]),{h:$h,Fragment:$f,useId}=$;
const Card=$.theme("Card");
const $1=(()=>{const B=$.theme("B");const C=()=>$h(Card,{title:useId()},$h(B,null));return{C,B}})();
const $0=(()=>{const K=$1["C"];const rows=[1];return{rows,K}})();
$.mount([0,(({K,n,rows})=>$s=>($h(K,{rows,n},$s(0))))({...$0,"n":1,"props":{n:1},"data-a":2}),
],[$1,$0]);
"#;
        assert_eq!(text.unwrap(), expected);
    }
}
