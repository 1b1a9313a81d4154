//! The texts for programs of an export.

use std::borrow::Cow;
use std::collections::HashSet;

use queries::site::{self, MachineText, Output, PageId};

use super::addresses::Addresses;
use super::pages::Sources;
use super::writer::Writer;
use super::{AT_ONCE, BuildResult, Job, NAME_MAX, Outcome, too_long};
use crate::outputs::FullTextRecord;
use quire_engine::host::ReadError;
use quire_source::load::LoadedSite;

/// Texts by their paths.
type Texts = Vec<(String, MachineText)>;

/// The texts for programs among `outputs`, each where a server has it. A name that is too long for a file is left out.
pub(super) fn texts(job: Job<'_>, outputs: Vec<(String, Output)>, built: &mut BuildResult) {
    let Job {
        plan,
        loaded,
        addresses,
        writer,
        sources,
        ..
    } = job;
    let base = plan.base_url.as_deref().unwrap_or("").trim_end_matches('/');
    let paths: Texts = (outputs.into_iter())
        .filter_map(|(path, output)| match output {
            Output::Text(text) => Some((addresses.output(&path).into_owned(), text)),
            _ => None,
        })
        .collect();
    let (whole, paths): (Texts, Texts) =
        (paths.into_iter()).partition(|(_, text)| matches!(text, MachineText::Full));
    // Some texts of the whole site are at two addresses.
    let (paths, again) = without_copies(paths);
    let copies = |text: MachineText| {
        let copies = again.iter().filter(move |(_, other)| *other == text);
        copies.map(|(path, _)| path.as_str())
    };
    // Pages whose texts are as they were.
    let mut unchanged_pages = HashSet::new();
    // Texts go as soon as they are written.
    for paths in paths.chunks(AT_ONCE) {
        let rendered = (loaded.host).read_all(paths, |db, site, (path, text)| {
            let page = match text {
                MachineText::Page(page) | MachineText::Feed(page) => Some(*page),
                _ => None,
            };
            let name = path.trim_start_matches('/');
            let source = page.and_then(|page| sources.of_kept(db, page));
            if let Some(is_there) = source.and_then(|source| writer.kept_text(name, source)) {
                return (source, Err(is_there));
            }
            let rendered = site::machine_text(db, site, *text, base);
            let source = page.and_then(|page| sources.of(db, page));
            (source, Ok(rendered))
        });
        for ((path, text), result) in paths.iter().zip(rendered) {
            let name = path.trim_start_matches('/');
            let (source, is_there) = match result {
                Ok((source, Err(is_there))) => {
                    if is_there {
                        built.files.push((name.to_owned(), Outcome::Unchanged));
                    }
                    if let (true, MachineText::Page(page)) = (is_there, text) {
                        unchanged_pages.insert(*page);
                    }
                    (source, is_there)
                }
                Ok((source, Ok(rendered))) => {
                    let is_there = rendered.is_some();
                    let mut write = |path: &str| {
                        let rendered = rendered.as_deref();
                        write_text(path, *text, rendered, addresses, writer, built)
                    };
                    copies(*text).for_each(|path| {
                        write(path);
                    });
                    let is_good = write(path);
                    (source.filter(|_| is_good), is_there)
                }
                Err(error) => {
                    for path in copies(*text).chain([path.as_str()]) {
                        let name = path.trim_start_matches('/').to_owned();
                        built.unwritten.push((name, cannot_be_made(&error)));
                    }
                    continue;
                }
            };
            if let Some(source) = source {
                writer.remember_text(name.to_owned(), source, is_there);
            }
        }
        loaded.host.evict();
    }
    if let Some((first, _)) = whole.first() {
        let before = Before::of(first.trim_start_matches('/'), sources, writer);
        let contents = full_text(
            (loaded, addresses),
            base,
            &|page| unchanged_pages.contains(page),
            before.as_ref(),
        );
        let holds = contents.as_ref().ok();
        let holds = holds.and_then(|full| writer.digest(&full.parts));
        for (path, _) in &whole {
            let name = path.trim_start_matches('/').to_owned();
            match &contents {
                Ok(full) => {
                    let outcome = writer.put_parts(&name, &full.parts, holds);
                    built.note(name, outcome);
                }
                Err(error) => built.unwritten.push((name, cannot_be_made(error))),
            }
        }
        if let (Ok(full), Some(surroundings)) = (contents, sources.surroundings()) {
            writer.remember_full(FullTextRecord {
                surroundings,
                opening: full.parts[0].len(),
                pages: full.pages,
            });
        }
    }
}

/// `paths` with each text of the whole site at its first path, and the others.
fn without_copies(paths: Texts) -> (Texts, Texts) {
    let mut known = Vec::new();
    paths.into_iter().partition(|(_, text)| {
        let is_of_page = matches!(text, MachineText::Page(_) | MachineText::Feed(_));
        let is_first = is_of_page || !known.contains(text);
        if !is_of_page && is_first {
            known.push(*text);
        }
        is_first
    })
}

/// The text of all pages as the last build left it.
struct Before<'a> {
    left: &'a FullTextRecord,
    text: Vec<u8>,
    /// Offset of each page.
    begins: Vec<usize>,
}

impl<'a> Before<'a> {
    /// Full text in the file `name`, if it holds the same pages.
    fn of(name: &str, sources: &Sources, writer: &'a Writer) -> Option<Self> {
        let left = writer.kept_full(sources.surroundings()?)?;
        let mut at = left.opening;
        let begins = left.pages.iter().map(|length| {
            let begin = at;
            at += length.unwrap_or(0);
            begin
        });
        Some(Self {
            left,
            begins: begins.collect(),
            text: writer.previous_content(name)?,
        })
    }

    /// Bytes of the page with this number; `None` if they are not known.
    fn page(&self, number: usize) -> Option<Option<&[u8]>> {
        match (self.left.pages.get(number)?, self.begins.get(number)?) {
            (None, _) => Some(None),
            (Some(length), begin) => Some(Some(self.text.get(*begin..begin + length)?)),
        }
    }
}

/// All pages in one text, as [`site::machine_text`] has them.
struct FullText<'a> {
    /// The text, its beginning first.
    parts: Vec<Cow<'a, [u8]>>,
    /// [`FullTextRecord::pages`].
    pages: Vec<Option<usize>>,
}

/// The text of all pages, read a few pages at a time; pages that `are_kept` are as they were `before`.
fn full_text<'a>(
    (loaded, addresses): (&LoadedSite, &Addresses<'_>),
    base: &str,
    are_kept: &(dyn Fn(&PageId) -> bool + Sync),
    before: Option<&'a Before<'_>>,
) -> Result<FullText<'a>, ReadError> {
    let (opening, pages) = loaded
        .host
        .read(|db, site| site::full_text_parts(db, site))?;
    let mut full = FullText {
        parts: vec![opening.into_bytes().into()],
        pages: Vec::with_capacity(pages.len()),
    };
    let numbered: Vec<(usize, PageId)> = pages.into_iter().enumerate().collect();
    for pages in numbered.chunks(AT_ONCE) {
        let texts = loaded.host.read_all(pages, |db, site, (number, page)| {
            let before = before.filter(|_| are_kept(page));
            match before.and_then(|before| before.page(*number)) {
                Some(text) => text.map(Cow::Borrowed),
                None => {
                    let text = site::full_text_of(db, site, *page, base);
                    text.map(|text| {
                        Cow::Owned(addresses.text_within(&text).into_owned().into_bytes())
                    })
                }
            }
        });
        for of_page in texts {
            let of_page = of_page?;
            full.pages.push(of_page.as_ref().map(|text| text.len()));
            full.parts.extend(of_page);
        }
        loaded.host.evict();
    }
    let end = loaded.host.read(|db, site| site::full_text_end(db, site))?;
    full.parts.push(end.into_bytes().into());
    Ok(full)
}

/// Writes the text for programs at `path`, if there is one; whether it is there, or not to be.
fn write_text(
    path: &str,
    text: MachineText,
    new_text: Option<&str>,
    addresses: &Addresses<'_>,
    writer: &Writer,
    built: &mut BuildResult,
) -> bool {
    let Some(new_text) = new_text else {
        return true;
    };
    if path.split('/').any(|name| name.len() > NAME_MAX) {
        built.left_out.push(too_long(path));
        return false;
    }
    let new_text = match text {
        MachineText::SiteMap | MachineText::Feed(_) => Cow::Owned(of_export(addresses, new_text)),
        _ => addresses.text_within(new_text),
    };
    let name = path.trim_start_matches('/');
    let outcome = writer.put(name, new_text.as_bytes());
    let is_written = outcome.is_ok();
    built.note(name.to_owned(), outcome);
    is_written
}

fn cannot_be_made(error: &ReadError) -> String {
    format!("cannot be made: {error:?}")
}

/// Elements of site maps and feeds that hold the address of a page: how each begins and ends.
const ADDRESSES: [(&str, &str); 3] = [
    ("<loc>", "</loc>"),
    ("<link>", "</link>"),
    ("<guid isPermaLink=\"true\">", "</guid>"),
];

/// `xml` with the names that pages have in the export.
fn of_export(addresses: &Addresses<'_>, xml: &str) -> String {
    let lines = xml.lines().map(|line| {
        let text = line.trim_start();
        let indent = &line[..line.len() - text.len()];
        let replaced = ADDRESSES.into_iter().find_map(|(open, close)| {
            let address = text.strip_prefix(open)?.strip_suffix(close)?;
            Some(format!("{open}{}{close}", addresses.public(address)))
        });
        match replaced {
            Some(replaced) => format!("{indent}{replaced}\n"),
            None => format!("{}\n", addresses.rewrite_html(line, "\"")),
        }
    });
    lines.collect()
}
