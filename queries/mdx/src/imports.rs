//! Finds the imports of a file without parsing the rest of it.

use base::path::SitePath;

/// Returns true if `words` name a file of the site rather than a package.
pub fn names_a_file(words: &str) -> bool {
    words.starts_with(['/', '.']) || words.starts_with("@/") || words.starts_with(SNIPPET)
}

/// Prefix of the names from `<Snippet file="…">`.
pub const SNIPPET: &str = "snippet:";

/// The words of the imports in `text`: those of `import … from "words"`, and `snippet:name` for `<Snippet file="name">`.
pub fn import_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"import") {
        let begins_line = at == 0 || rest.as_bytes()[at - 1] == b'\n';
        rest = &rest[at + 6..];
        if begins_line && let Some(words) = quoted_after_from(rest) {
            found.push(words.to_owned());
        }
    }
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"<Snippet ") {
        rest = &rest[at + 9..];
        let tag = rest.find('>').map_or(rest, |end| &rest[..end]);
        if let Some(name) = tag.split_once("file=").and_then(|(_, value)| quoted(value)) {
            found.push(format!("{SNIPPET}{name}"));
        }
    }
    found.retain(|words| names_a_file(words));
    found
}

/// The components that `text` exports by name: `export const Name`, `export function Name`, `export { a as Name }`.
pub fn exported_components(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("export ").map(str::trim_start) else {
            continue;
        };
        let listed = rest
            .strip_prefix('{')
            .map(|list| list.split('}').next().unwrap_or(list));
        if let Some(listed) = listed {
            let last = |one: &str| one.split_whitespace().last().map(str::to_owned);
            names.extend(listed.split(',').filter_map(last));
            continue;
        }
        let words = rest.split(|c: char| c.is_whitespace() || "=(:{<".contains(c));
        let mut words = words.skip_while(|word| {
            matches!(
                *word,
                "async" | "const" | "let" | "var" | "function" | "class"
            )
        });
        names.extend(words.next().map(str::to_owned));
    }
    names.retain(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    names
}

/// The string that ends an import statement, of which `text` is what follows its first word.
fn quoted_after_from(text: &str) -> Option<&str> {
    let at = text.find(['"', '\'']).filter(|at| *at < 4000)?;
    let before = text[..at].trim_end();
    (before.is_empty() || before.ends_with("from"))
        .then(|| quoted(&text[at..]))
        .flatten()
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let end = text[1..]
        .find([quote, '\n'])
        .filter(|end| text[1 + end..].starts_with(quote))?;
    Some(&text[1..=end])
}

/// The files that `words`, written in `importer`, may name, the likeliest first.
pub fn candidates(importer: &SitePath, words: &str) -> Vec<SitePath> {
    let bases = match words.strip_prefix(SNIPPET) {
        Some(name) => vec![format!("/snippets/{name}"), format!("/_snippets/{name}")],
        None => vec![words.strip_prefix('@').unwrap_or(words).to_owned()],
    };
    let endings = ["", ".mdx", ".md", ".jsx", ".tsx", ".js", ".ts"];
    let paths = bases
        .iter()
        .flat_map(|base| endings.iter().map(move |ending| format!("{base}{ending}")));
    paths.filter_map(|path| importer.resolve(&path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_without_parsing() {
        let text = "---\n---\nimport A from '/snippets/a.mdx'\nimport {\n  B,\n} from \"./b.jsx\";\nimport React from 'react'\nwe import c from \"/c\"\n<Snippet file=\"d.mdx\" />\n";
        assert_eq!(
            import_words(text),
            ["/snippets/a.mdx", "./b.jsx", "snippet:d.mdx"]
        );
    }
}

#[cfg(test)]
mod export_tests {
    use super::exported_components;

    #[test]
    fn exports_are_found_by_name() {
        let text = "import A from 'a'\nexport const B = () => <A />\nexport function C({ d }) {\n}\n\
            export { e as F, G }\nexport const h = 1\nexport default I\n  export const J = 1\nexport async function K() {}\n";
        assert_eq!(exported_components(text), ["B", "C", "F", "G", "K"]);
    }
}
