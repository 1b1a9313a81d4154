//! Places: definitions, references, links of a document, symbols of a document and of the site.

use std::ops::Range;

use lsp_types::{
    DocumentLink, DocumentSymbol, Location, Position, SymbolInformation, SymbolKind, Uri,
};
use queries::base::path::{Route, SitePath};
use queries::base::place::Located;
use queries::site::editor::{self, LinkedPlace, importers_of, links_to, pages_named};
use queries::site::{Db, PageId, Site, bound_operation, file_named, is_page};

use crate::cursor;
use crate::project::{At, Project};
use crate::target::{self, Target, declaration, headings};
use crate::text::Text;

/// Maximum number of symbols of the site that are sent.
const MAX_SYMBOLS: usize = 200;

/// A range in a file of the site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spot {
    /// A range of bytes.
    Range(SitePath, (usize, usize)),
    /// A line, from 1.
    Line(SitePath, u32),
}

impl Spot {
    fn range(path: SitePath, range: Range<usize>) -> Self {
        Self::Range(path, (range.start, range.end))
    }

    fn location(&self, project: &Project) -> Option<Location> {
        match self {
            Self::Range(path, (start, end)) => {
                let text = project.text(path)?;
                Some(Location::new(
                    project.uri_of(path)?,
                    text.range(*start..*end),
                ))
            }
            Self::Line(path, line) => {
                let start = Position::new(line.saturating_sub(1), 0);
                let range = lsp_types::Range::new(start, start);
                Some(Location::new(project.uri_of(path)?, range))
            }
        }
    }
}

/// Returns where the construct at a place is defined.
pub(crate) fn definition(at: &At) -> Option<Location> {
    let At {
        project,
        path,
        text,
        offset,
    } = at;
    let offset = *offset;
    let source = text.as_str();
    let spot = project.host.read(|db, site| {
        let (target, _) = target::at((db, site), path, source, offset)?;
        defined((db, site), path, target)
    });
    let spot = match spot.ok()?? {
        Definition::Spot(spot) => spot,
        Definition::Heading(file, anchor) => {
            let text = project.text(&file)?;
            let headings = headings(text.as_str());
            let heading = headings.iter().find(|heading| heading.id == anchor);
            let range = heading.map_or(0..0, |heading| heading.range.clone());
            Spot::range(file, range)
        }
        Definition::Name(file, name) => {
            let text = project.text(&file)?;
            let range = declaration(text.as_str(), &name);
            Spot::range(file, range.unwrap_or(0..0))
        }
    };
    spot.location(project)
}

enum Definition {
    Spot(Spot),
    Heading(SitePath, String),
    Name(SitePath, String),
}

fn defined(context: (&dyn Db, Site), path: &SitePath, target: Target) -> Option<Definition> {
    let (db, site) = context;
    let line = |located: Located| Definition::Spot(Spot::Line(located.path, located.line));
    match target {
        Target::Page(LinkedPlace { route, anchor }) => match editor::page_at(db, site, &route)? {
            PageId::File(file) => {
                let file = file.path(db).clone();
                Some(match anchor {
                    Some(anchor) => Definition::Heading(file, anchor),
                    None => Definition::Spot(Spot::Line(file, 1)),
                })
            }
            PageId::Generated(page) => editor::operation_location(db, page.operation(db)).map(line),
        },
        Target::File(file) => Some(Definition::Spot(Spot::Line(file, 1))),
        Target::Local { name, file } => Some(Definition::Name(file, name)),
        Target::Operation(words) => {
            let bound = file_named(db, path).and_then(|file| bound_operation(db, file));
            let named = || target::operation(context, &words).map(|found| found.operation);
            editor::operation_location(db, bound.or_else(named)?).map(line)
        }
        Target::Value(file, pointer) => editor::location_of(db, &file, &pointer).map(line),
        Target::Component(_)
        | Target::Prop(..)
        | Target::Icon(_)
        | Target::Key(_)
        | Target::Field(..)
        | Target::Own(_) => None,
    }
}

/// Returns the places that name what is at a place: links to the page or the heading, entries of the configuration, imports,
/// pages of the operation.
pub(crate) fn references(at: &At) -> Vec<Location> {
    let At {
        project,
        path,
        text,
        offset,
    } = at;
    let offset = *offset;
    let source = text.as_str();
    let line = text.position(offset).line + 1;
    let found = project.host.read(|db, site| {
        let target = target::at((db, site), path, source, offset);
        match target.map(|(target, _)| target) {
            Some(Target::Page(place)) => to_place((db, site), &place),
            Some(Target::Own(anchor)) if is_page(path) => {
                let place = LinkedPlace {
                    route: Route::of_page(path),
                    anchor,
                };
                let mut found = to_place((db, site), &place);
                found.extend(to_file((db, site), path));
                found
            }
            Some(Target::File(file) | Target::Local { file, .. }) => to_file((db, site), &file),
            Some(Target::Operation(words)) => {
                let operation = target::operation((db, site), &words);
                let operation = operation.map(|found| found.operation);
                let pages = operation.map(|operation| {
                    let (_, pages) = editor::pages_of_operation(db, site, operation);
                    pages
                });
                let pages = pages.unwrap_or_default().into_iter();
                pages.map(NameOccurrence::Page).collect()
            }
            Some(Target::Own(_)) | None => {
                let operations = editor::operations_in(db, site, path);
                let around = operations.iter().rev().find(|(at, _)| *at <= line);
                let Some((_, operation)) = around else {
                    return to_file((db, site), path);
                };
                let (_, pages) = editor::pages_of_operation(db, site, *operation);
                pages.into_iter().map(NameOccurrence::Page).collect()
            }
            Some(_) => Vec::new(),
        }
    });
    let mut spots: Vec<Spot> = Vec::new();
    for wanted in found.unwrap_or_default() {
        match wanted {
            NameOccurrence::Page(path) => spots.push(Spot::Line(path, 1)),
            NameOccurrence::Words(path, words) => {
                if let Some(text) = project.text(&path) {
                    let ranges = occurrences(text.as_str(), &words);
                    spots.extend(ranges.map(|range| Spot::range(path.clone(), range)));
                }
            }
        }
    }
    spots.sort();
    spots.dedup();
    let locations = spots.iter().filter_map(|spot| spot.location(project));
    locations.collect()
}

/// What names something: a page as a whole, or words in a file.
enum NameOccurrence {
    Page(SitePath),
    Words(SitePath, String),
}

fn to_place((db, site): (&dyn Db, Site), place: &LinkedPlace) -> Vec<NameOccurrence> {
    let links = links_to(db, site, place).into_iter();
    let mut found: Vec<NameOccurrence> = links
        .map(|(file, link)| NameOccurrence::Words(file.path(db).clone(), link.href))
        .collect();
    if place.anchor.is_none()
        && let Some(config) = SitePath::new("docs.json")
        && let Some(PageId::File(file)) = editor::page_at(db, site, &place.route)
    {
        let stem = file.path(db).stem().to_owned();
        found.push(NameOccurrence::Words(config.clone(), format!("/{stem}")));
        found.push(NameOccurrence::Words(config, stem));
    }
    found
}

fn to_file((db, site): (&dyn Db, Site), path: &SitePath) -> Vec<NameOccurrence> {
    let importers = importers_of(db, site, path).into_iter();
    importers
        .map(|(file, words)| NameOccurrence::Words(file, words))
        .collect()
}

/// Returns the ranges in which `words` stand in `text` as a destination or as a string.
pub(crate) fn occurrences<'t>(
    text: &'t str,
    words: &'t str,
) -> impl Iterator<Item = Range<usize>> + 't {
    let found = text.match_indices(words).filter(move |(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        let begins = match before {
            Some('(' | '"' | '\'' | '<' | '`') => true,
            Some(' ') => text[..*at].trim_end().ends_with([':', '(']),
            _ => false,
        };
        let ends =
            after.is_none_or(|c| matches!(c, ')' | '"' | '\'' | '>' | '`' | ' ' | '\n' | '\r'));
        begins && ends && !words.is_empty()
    });
    found.map(|(at, words)| at..at + words.len())
}

/// Returns the links of a page, each with what it leads to.
pub(crate) fn links(project: &Project, path: &SitePath, text: &Text) -> Vec<DocumentLink> {
    let source = text.as_str();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (start, line) in cursor::lines(source) {
        for open in ["](", "href=\"", "src=\""] {
            for (at, _) in line.match_indices(open) {
                let from = at + open.len();
                let len = line[from..].find([')', ' ', '"', '\n', '>']);
                let end = from + len.unwrap_or(line.len() - from);
                ranges.push(start + from..start + end);
            }
        }
    }
    let links = ranges.into_iter().filter_map(|range| {
        let found = project.host.read(|db, site| {
            let (target, range) = target::at((db, site), path, source, range.start)?;
            Some((defined((db, site), path, target)?, range))
        });
        let (defined, range) = found.ok()??;
        let file = match defined {
            Definition::Spot(Spot::Line(file, _) | Spot::Range(file, _)) => file,
            Definition::Heading(file, _) | Definition::Name(file, _) => file,
        };
        Some(DocumentLink {
            range: text.range(range),
            target: Some(project.uri_of(&file)?),
            tooltip: None,
            data: None,
        })
    });
    links.collect()
}

/// Returns the headings of a page, nested.
pub(crate) fn symbols(text: &Text) -> Vec<DocumentSymbol> {
    let headings = headings(text.as_str());
    let end = text.as_str().len();
    let mut open: Vec<(usize, DocumentSymbol)> = Vec::new();
    let mut done: Vec<DocumentSymbol> = Vec::new();
    let close = |open: &mut Vec<(usize, DocumentSymbol)>, done: &mut Vec<DocumentSymbol>| {
        if let Some((_, symbol)) = open.pop() {
            match open.last_mut() {
                Some((_, parent)) => parent.children.get_or_insert_default().push(symbol),
                None => done.push(symbol),
            }
        }
    };
    for (i, heading) in headings.iter().enumerate() {
        while open
            .last()
            .is_some_and(|(level, _)| *level >= heading.level)
        {
            close(&mut open, &mut done);
        }
        let next = headings[i + 1..]
            .iter()
            .find(|next| next.level <= heading.level);
        let until = next.map_or(end, |next| next.range.start);
        #[expect(deprecated, reason = "the type has no other constructor")]
        let symbol = DocumentSymbol {
            name: text.as_str()[heading.range.clone()].to_owned(),
            detail: Some(format!("#{}", heading.id)),
            kind: SymbolKind::STRING,
            tags: None,
            deprecated: None,
            range: text.range(heading.range.start..until),
            selection_range: text.range(heading.range.clone()),
            children: None,
        };
        open.push((heading.level, symbol));
    }
    while !open.is_empty() {
        close(&mut open, &mut done);
    }
    done.retain(|symbol| !symbol.name.is_empty());
    done
}

/// Returns the pages and operations of the site that `query` names.
pub(crate) fn site_symbols(project: &Project, query: &str) -> Vec<SymbolInformation> {
    let found = project.host.read(|db, site| {
        let mut found: Vec<(String, String, SymbolKind, Spot)> = Vec::new();
        for page in pages_named(db, site, query, MAX_SYMBOLS) {
            if let PageId::File(file) = page.page {
                let spot = Spot::Line(file.path(db).clone(), 1);
                found.push((page.label, page.route.to_string(), SymbolKind::FILE, spot));
            }
        }
        let wanted = query.to_lowercase();
        for operation in editor::operations(db, site) {
            let name = operation.name;
            let is_named = name.to_lowercase().contains(&wanted)
                || operation.title.to_lowercase().contains(&wanted);
            if found.len() < MAX_SYMBOLS
                && is_named
                && let Some(located) = editor::operation_location(db, operation.operation)
            {
                let spot = Spot::Line(located.path, located.line);
                found.push((name, operation.title, SymbolKind::METHOD, spot));
            }
        }
        found
    });
    let symbols = found.unwrap_or_default().into_iter();
    let symbols = symbols.filter_map(|(name, container, kind, spot)| {
        #[expect(deprecated, reason = "the type has no other constructor")]
        Some(SymbolInformation {
            name,
            kind,
            tags: None,
            deprecated: None,
            location: spot.location(project)?,
            container_name: Some(container),
        })
    });
    symbols.collect()
}

/// Returns the address of the page at `path` in a preview at `base`.
pub(crate) fn preview(base: &str, path: &SitePath) -> Option<Uri> {
    let route = Route::of_page(path);
    format!("{}{}", base.trim_end_matches('/'), route.href())
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Encoding;

    #[test]
    fn words_are_found_where_they_are_a_destination() {
        let text = "[a](/a) [b](/a#x) <C href=\"/a\" /> /a (see /a)\n[r]: /a\n\"/a/b\" '/a'";
        let found: Vec<usize> = occurrences(text, "/a").map(|range| range.start).collect();
        assert_eq!(
            found,
            [4, 27, text.find("[r]").unwrap() + 5, text.len() - 3]
        );
    }

    #[test]
    fn headings_are_nested_by_their_levels() {
        let text = "---\ntitle: T\n---\n## A\n\n### B\n\n## C\n";
        let symbols = symbols(&Text::new(text.to_owned(), Encoding::Utf16));
        let names: Vec<(&str, usize)> = symbols
            .iter()
            .map(|symbol| (&*symbol.name, symbol.children.as_ref().map_or(0, Vec::len)))
            .collect();
        assert_eq!(names, [("A", 1), ("C", 0)]);
        assert_eq!(symbols[0].range.start, Position::new(3, 3));
    }
}
