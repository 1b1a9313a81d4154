//! Questions for a site that has none, made by the rules of the corpus (`corpus/queries/README.md` of the shared folder):
//! texts that authors wrote for people, and the pages they lead to. No engine has a part in it, and none is written by hand.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::judged::JudgedQuestion;

/// A page of a site that questions are made of.
pub(crate) struct Source {
    /// Where it is.
    pub(crate) route: String,
    /// Title.
    pub(crate) title: String,
    /// Text of its file; empty for a generated page.
    pub(crate) text: String,
}

/// Link texts that say nothing of where they lead.
const VAGUE: &[&str] = &[
    "check out",
    "click here",
    "documentation",
    "full documentation",
    "get started",
    "go here",
    "here",
    "learn more",
    "more details",
    "more info",
    "more information",
    "our documentation",
    "our guide",
    "read more",
    "read the docs",
    "read the guide",
    "see below",
    "see here",
    "see more",
    "the docs",
    "the documentation",
    "the guide",
    "this document",
    "this example",
    "this guide",
    "this page",
    "this section",
    "this tutorial",
    "view docs",
    "view example",
    "view guide",
    "view the guide",
];
/// The most pages that one text leads to.
const MAX_TARGETS: usize = 4;

/// The questions of a site with these pages; `redirects` lead from routes to routes.
pub(crate) fn made(pages: &[Source], redirects: &HashMap<String, String>) -> Vec<JudgedQuestion> {
    let titles: BTreeMap<&str, &str> = pages
        .iter()
        .map(|page| (page.route.as_str(), page.title.as_str()))
        .collect();
    let mut gathered = QuestionSources {
        titles,
        redirects,
        rows: BTreeMap::new(),
    };
    for page in pages.iter().filter(|page| !page.text.is_empty()) {
        let (description, body) = front_matter(&page.text);
        let body = without_fences(body);
        gathered.links(&page.route, &body);
        gathered.cards(&page.route, &body);
        gathered.questions(&page.route, &body);
        let is_repeated = description
            .as_ref()
            .is_some_and(|text| body.contains(text.trim_end_matches('.')));
        if let Some(text) = description.filter(|_| !is_repeated) {
            gathered.add("description", &text, 5..=40, &page.route, None);
        }
    }
    gathered.judged()
}

/// What the rows of a kind and text lead to, how often, and the pages that hold the text.
#[derive(Default)]
struct Row {
    targets: BTreeMap<String, usize>,
    holders: BTreeSet<String>,
}

struct QuestionSources<'a> {
    titles: BTreeMap<&'a str, &'a str>,
    redirects: &'a HashMap<String, String>,
    rows: BTreeMap<(&'static str, String), Row>,
}

impl QuestionSources<'_> {
    fn add(
        &mut self,
        kind: &'static str,
        text: &str,
        words: std::ops::RangeInclusive<usize>,
        target: &str,
        holder: Option<&str>,
    ) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !words.contains(&text.split(' ').count()) {
            return;
        }
        let row = self.rows.entry((kind, text)).or_default();
        *row.targets.entry(target.to_owned()).or_default() += 1;
        row.holders.extend(holder.map(str::to_owned));
    }

    /// `[text](target)` that leads to another page.
    fn links(&mut self, route: &str, body: &str) {
        for (at, _) in body.match_indices("](") {
            let Some(start) = body[..at].rfind('[') else {
                continue;
            };
            let is_picture = body[..start].ends_with('!');
            let text = &body[start + 1..at];
            let target = body[at + 2..]
                .split([')', ' ', '\n'])
                .next()
                .unwrap_or_default();
            let Some(target) = self.target(route, target).filter(|_| !is_picture) else {
                continue;
            };
            let text = text.replace(['*', '“', '”'], "");
            let is_plain = !text.contains(['`', '/', '_', '<', '>', '{', '[', '\n', '|']);
            if !is_plain || VAGUE.contains(&text.trim().to_lowercase().as_str()) {
                continue;
            }
            let is_title = self.titles[target.as_str()].eq_ignore_ascii_case(text.trim());
            let (kind, least) = if is_title {
                ("anchor_title", 1)
            } else {
                ("anchor", 2)
            };
            self.add(kind, &text, least..=14, &target, Some(route));
        }
    }

    /// The text of a card that leads to another page.
    fn cards(&mut self, route: &str, body: &str) {
        for name in ["Card", "Tile"] {
            for (at, _) in body.match_indices(&format!("<{name}")) {
                let after = &body[at + 1 + name.len()..];
                if !after.starts_with([' ', '\n', '\t']) {
                    continue;
                }
                let Some(end) = end_of_tag(after) else {
                    continue;
                };
                let (tag, rest) = after.split_at(end);
                let inside = rest[1..].split(&format!("</{name}>")).next();
                let Some(inside) = inside.filter(|_| !tag.ends_with('/')) else {
                    continue;
                };
                let target = attribute(tag, "href").and_then(|href| self.target(route, href));
                if let Some(target) = target {
                    self.add("card_text", &plain(inside), 4..=30, &target, Some(route));
                }
            }
        }
    }

    /// Headings and titles of accordions that ask.
    fn questions(&mut self, route: &str, body: &str) {
        for line in body.lines() {
            let line = line.trim();
            let heading = line.starts_with('#').then(|| line.trim_start_matches('#'));
            let title = || attribute(line, "title").filter(|_| line.starts_with("<Accordion"));
            if let Some(text) = heading.or_else(title) {
                let text = text.trim().trim_end_matches(['#', '*', '_', ' ']);
                if text.ends_with('?') {
                    self.add("question", &plain(text), 3..=40, route, None);
                }
            }
        }
    }

    /// The route of another page that `href` on the page at `route` leads to.
    fn target(&self, route: &str, href: &str) -> Option<String> {
        let path = href.split(['#', '?']).next().unwrap_or_default();
        if path.is_empty() || path.contains(':') || path.starts_with("//") {
            return None;
        }
        let folder = route.rsplit_once('/').map_or("", |(folder, _)| folder);
        let whole = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("{folder}/{path}")
        };
        let mut segments: Vec<&str> = Vec::new();
        for segment in whole.split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(segments.pop()),
                segment => segments.push(segment),
            }
        }
        let whole = format!("/{}", segments.join("/"));
        let whole = whole.trim_end_matches(".mdx").trim_end_matches(".md");
        let known = |route: &str| self.titles.contains_key(route);
        let index = whole.trim_end_matches("/index");
        let found = [whole, index].into_iter().find(|route| known(route));
        let found = found.or_else(|| {
            let to = self.redirects.get(whole)?.as_str();
            known(to).then_some(to)
        })?;
        (found != route).then(|| found.to_owned())
    }

    fn judged(self) -> Vec<JudgedQuestion> {
        let rows = self.rows.into_iter();
        let rows = rows.filter(|(_, row)| row.targets.len() <= MAX_TARGETS);
        rows.map(|((kind, query), row)| {
            let most = row.targets.values().copied().max().unwrap_or_default();
            let grade = |count| if count == most { 2.0 } else { 1.0 };
            let relevant = row.targets.iter();
            let relevant = relevant.map(|(route, count)| (route.clone(), grade(*count)));
            let relevant: BTreeMap<String, f64> = relevant.collect();
            let neutral = row.holders.into_iter();
            let neutral = neutral
                .filter(|route| !relevant.contains_key(route))
                .collect();
            JudgedQuestion::new(kind, query, relevant, neutral)
        })
        .collect()
    }
}

/// The description of a page, if it is one line, and what stands below its frontmatter.
fn front_matter(text: &str) -> (Option<String>, &str) {
    let Some(rest) = text.strip_prefix("---") else {
        return (None, text);
    };
    let Some((head, body)) = rest.split_once("\n---") else {
        return (None, text);
    };
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix("description:"));
    // What stands in quotes of print would be asked for word by word.
    let quotes = ['"', '\'', '“', '”'];
    let said = line.map(|line| line.trim().trim_matches(quotes).to_owned());
    (
        said.filter(|said| !said.is_empty() && !said.starts_with(['>', '|'])),
        body,
    )
}

fn without_fences(body: &str) -> String {
    let mut is_inside = false;
    let mut kept = String::with_capacity(body.len());
    for line in body.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            is_inside = !is_inside;
        } else if !is_inside {
            kept.push_str(line);
        }
    }
    kept
}

/// Where the tag ends whose inside `text` begins with: at its `>`, outside of quotes and braces.
fn end_of_tag(text: &str) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0_usize);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if depth == 0 => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => depth = depth.saturating_sub(1),
            (None, '>') if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The value of the attribute `name` in a tag, if it is text.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let at = tag
        .find(&format!(" {name}="))
        .or_else(|| tag.find(&format!("\n{name}=")))?;
    let value = &tag[at + name.len() + 2..];
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next()
}

/// A text without tags and signs of Markdown; of a link its text.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let (mut in_tag, mut in_target) = (false, false);
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            '(' if before == ']' => in_target = true,
            ')' if in_target => in_target = false,
            '*' | '`' | '[' | ']' => {}
            c if !in_tag && !in_target => out.push(c),
            _ => {}
        }
        before = c;
    }
    out
}

#[test]
fn questions_are_texts_that_authors_wrote_for_people() {
    let page = |route: &str, title: &str, text: &str| Source {
        route: route.to_owned(),
        title: title.to_owned(),
        text: text.to_owned(),
    };
    let pages = [
        page(
            "/a",
            "First",
            "---\ntitle: First\ndescription: “What the first page of all is about”\n---\nSee [the second one](/b/), [Second](b#x), [here](/b), [a `code`](/b), ![a picture](/b).\n```\n[in a fence](/b)\n```\n<Card title=\"S\" icon={<A b=\"/x\" />} href=\"./b\">\n  Says **what** the second [page](/c) is for.\n</Card>\n## Why is that so?\n<Accordion title=\"And how is it done?\">\n",
        ),
        page(
            "/b",
            "Second",
            "Back to [the other one](/old) and to [an other site](https://a.example/a).",
        ),
        page("/c", "Third", ""),
    ];
    let redirects = HashMap::from([("/old".to_owned(), "/a".to_owned())]);
    let made = made(&pages, &redirects);
    let lines: Vec<String> = made
        .iter()
        .map(|one| {
            format!(
                "{}: {} → {}",
                one.kind,
                one.query,
                one.best().unwrap_or_default()
            )
        })
        .collect();
    let expected = [
        "anchor: the other one → /a",
        "anchor: the second one → /b",
        "anchor_title: Second → /b",
        "card_text: Says what the second page is for. → /b",
        "description: What the first page of all is about → /a",
        "question: And how is it done? → /a",
        "question: Why is that so? → /a",
    ];
    assert_eq!(lines, expected);
}
