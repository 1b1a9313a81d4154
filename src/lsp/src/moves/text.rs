//! Links, imports and frontmatter of Markdown and component files, changed in place.

use queries::base::path::SitePath;

use super::Moves;

/// Returns the text of the file at `path` with links that follow the moves, and how many were changed.
pub(super) fn rewrite(path: &SitePath, text: &str, moves: &Moves) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut count = 0;
    let mut fence: Option<String> = None;
    let mut in_front_matter = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let trimmed = line.trim();
        if index == 0 && trimmed == "---" {
            in_front_matter = true;
            out.push_str(line);
            continue;
        }
        if in_front_matter {
            in_front_matter = trimmed != "---";
            push_front_matter(line, moves, &mut out, &mut count);
            continue;
        }
        let marks = trimmed.len() - trimmed.trim_start_matches(['`', '~']).len();
        match &fence {
            Some(open) => {
                if trimmed.starts_with(open.as_str()) && marks == trimmed.len() {
                    fence = None;
                }
                out.push_str(line);
                continue;
            }
            None if marks >= 3 => {
                fence = Some(trimmed[..marks].to_owned());
                out.push_str(line);
                continue;
            }
            None => push_line(path, line, moves, &mut out, &mut count),
        }
    }
    (out, count)
}

/// Changes `key: /a/page` and `openapi: api.yaml GET /pets`.
fn push_front_matter(line: &str, moves: &Moves, out: &mut String, count: &mut usize) {
    let value = line.find(": ").map(|at| &line[at + 2..]);
    let value = value.or_else(|| line.trim_start().strip_prefix("- "));
    let value = value.map_or("", |value| {
        value.trim_start().trim_start_matches(['"', '\''])
    });
    let end = value
        .find(['"', '\'', ' ', '\n', '\r'])
        .unwrap_or(value.len());
    let named = &value[..end];
    let is_path = named.contains(['/', '.']);
    match moves.entry(named).filter(|_| is_path) {
        Some(new) => {
            *count += 1;
            out.push_str(&line.replacen(named, &new, 1));
        }
        None => out.push_str(line),
    }
}

/// Changes the links and imports of a line outside of code.
fn push_line(path: &SitePath, line: &str, moves: &Moves, out: &mut String, count: &mut usize) {
    let mut rest = line;
    while let Some(at) = rest.find(['(', '"', '\'', '`', ':']) {
        let (before, from) = (&rest[..at], &rest[at..]);
        let sign = from.chars().next().unwrap_or_default();
        out.push_str(before);
        let line_before = &line[..line.len() - from.len()];
        let literal = match sign {
            '`' => {
                let run = from.len() - from.trim_start_matches('`').len();
                let end = from[run..]
                    .find(&from[..run])
                    .map_or(run, |end| run + end + run);
                out.push_str(&from[..end]);
                rest = &from[end..];
                continue;
            }
            '(' if before.ends_with(']') => destination(&from[1..]),
            ':' if before.trim_start().starts_with('[') && before.ends_with(']') => {
                let blanks = from[1..].len() - from[1..].trim_start().len();
                destination(&from[1 + blanks..])
            }
            '"' | '\'' => quoted(line_before, &from[1..], sign),
            _ => None,
        };
        let Some(literal) = literal.filter(|literal| !literal.is_empty()) else {
            out.push(sign);
            rest = &from[sign.len_utf8()..];
            continue;
        };
        let is_import = line_before.trim_end().ends_with("from") || line.starts_with("import ");
        let new = match is_import && matches!(sign, '"' | '\'') {
            true => moves.import(path, literal),
            false => moves.link(path, literal),
        };
        let start = from.find(literal).unwrap_or(1);
        out.push_str(&from[..start]);
        *count += usize::from(new.is_some());
        out.push_str(new.as_deref().unwrap_or(literal));
        rest = &from[start + literal.len()..];
    }
    out.push_str(rest);
}

/// Returns the destination of a link at the start of `text`.
fn destination(text: &str) -> Option<&str> {
    let text = text.strip_prefix('<').unwrap_or(text);
    let end = text.find([')', '>', ' ', '\n', '\r']).unwrap_or(text.len());
    Some(&text[..end])
}

/// Returns the text up to the closing quote if it may be a path: the value of an attribute, of an
/// import, or of a member of an object that begins as a path does.
fn quoted<'a>(before: &str, text: &'a str, quote: char) -> Option<&'a str> {
    let literal = text
        .split(quote)
        .next()
        .filter(|text| !text.contains(['\n', ' ']))?;
    let before = before.trim_end();
    let begins_path = literal.starts_with(['/', '.']);
    let is_attribute = ["href=", "src=", "img=", "file="];
    let is_attribute = is_attribute
        .iter()
        .any(|name| before.trim_end_matches('{').ends_with(name));
    let is_value = before.ends_with(['=', ':', '{', '[', ',', '(']);
    let is_import = before.ends_with("from") || before.ends_with("import");
    (is_attribute || is_import || begins_path && is_value).then_some(literal)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn links_are_changed_and_code_is_not() {
        let path = |text: &str| SitePath::new(text).expect("a path");
        let files = [
            ("a/old.mdx", "b/new.mdx"),
            ("snippets/s.mdx", "snippets/t.mdx"),
        ];
        let files: BTreeMap<_, _> = files.map(|(old, new)| (path(old), path(new))).into();
        let moves = Moves::new(files);
        let before = "---\ntitle: \"/a/old\"\nurl: /a/old\n---\nimport S from '/snippets/s.mdx'\n\n\
            [a](/a/old#x) and [b](./a/old.mdx \"t\"), `[c](/a/old)`.\n\n```\n[d](/a/old)\n```\n\n\
            <Card href=\"/a/old\" title=\"/a/old is here\" />\n\n[ref]: /a/old\n\n\
            export const list = [{ to: '/a/old' }]\nHe said \"/a/old\" (/a/old).\n";
        let after = "---\ntitle: \"/b/new\"\nurl: /b/new\n---\nimport S from '/snippets/t.mdx'\n\n\
            [a](/b/new#x) and [b](./b/new.mdx \"t\"), `[c](/a/old)`.\n\n```\n[d](/a/old)\n```\n\n\
            <Card href=\"/b/new\" title=\"/a/old is here\" />\n\n[ref]: /b/new\n\n\
            export const list = [{ to: '/b/new' }]\nHe said \"/a/old\" (/a/old).\n";
        let (text, count) = rewrite(&path("index.mdx"), before, &moves);
        assert_eq!(text, after);
        assert_eq!(count, 8);
    }
}
