//! The edits of a replay: seeded, each of the kind that authors make.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use queries::inputs::file_named;
use queries::navigation::PageId;
use queries::page::{bound_operation, is_page, page_route};
use queries::path::{Route, SitePath};
use queries::site;

use super::text_of;
use crate::host::{Applied, FileChange, SiteHost};
use crate::sources::FileState;

/// What kind of edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A file is saved as it was.
    Untouched,
    /// Words of a page that was not edited before: its file becomes less durable.
    FirstWords,
    /// Words of a page.
    Words,
    /// A page is what it was before the last edit.
    Reverted,
    /// The title of a page.
    Title,
    /// A page appears.
    Added,
    /// A page vanishes.
    Removed,
    /// A colour of the site.
    Colour,
    /// A label of the navigation.
    Label,
    /// The words of an operation.
    Operation,
    /// The words of a component of a specification.
    Component,
}

impl Kind {
    pub(super) const ALL: [Self; 11] = [
        Self::Untouched,
        Self::FirstWords,
        Self::Words,
        Self::Reverted,
        Self::Title,
        Self::Added,
        Self::Removed,
        Self::Colour,
        Self::Label,
        Self::Operation,
        Self::Component,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Untouched => "saved without a change",
            Self::FirstWords => "words of a page, its first edit",
            Self::Words => "words of a page",
            Self::Reverted => "an edit taken back",
            Self::Title => "title of a page",
            Self::Added => "a page added",
            Self::Removed => "a page removed",
            Self::Colour => "a colour in docs.json",
            Self::Label => "a label of the navigation",
            Self::Operation => "words of an operation",
            Self::Component => "words of a shared component",
        }
    }

    /// The queries of `ran` that an edit of this kind cannot concern, with how often they ran.
    ///
    /// What is certain for every site is told here: whose bodies may be drawn, and, for edits of words, every query that may
    /// run. The exact sets for given sites are the business of the tests.
    pub(super) fn unexpected(self, ran: &BTreeMap<String, u64>) -> Vec<String> {
        // What a page draws of itself.
        const OWN: &[&str] = &[
            "front_matter",
            "page_body",
            "page_imports",
            "grammar_spans",
            "manual_reference",
        ];
        const TITLE: &[&str] = &[
            "page_title",
            "page_label",
            "section_sidebar",
            "section_header",
        ];
        let (bodies, only): (u64, Option<Vec<&str>>) = match self {
            Self::Untouched => (0, Some(Vec::new())),
            Self::Words | Self::Reverted => (1, Some(OWN.to_vec())),
            Self::Title => (1, Some([OWN, TITLE].concat())),
            Self::FirstWords | Self::Added | Self::Removed => (1, None),
            Self::Colour | Self::Label => (0, None),
            Self::Operation | Self::Component => (0, None),
        };
        let too_many = |name: &str, count: u64| match (&only, name) {
            (Some(only), _) if !only.contains(&name) => true,
            (_, "page_body") => count > bodies,
            // One page is asked for.
            (_, "operation_reference" | "model_reference") => count > 1,
            _ => false,
        };
        let wrong = ran.iter().filter(|(name, count)| too_many(name, **count));
        wrong
            .map(|(name, count)| format!("{name} ×{count}"))
            .collect()
    }
}

/// The files of a site and what can be done to them.
pub(super) struct Script {
    random: fastrand::Rng,
    files: BTreeMap<SitePath, FileState>,
    pages: Vec<SitePath>,
    /// Specifications that the site uses.
    specs: Vec<SitePath>,
    /// Pages that were edited.
    edited: BTreeSet<SitePath>,
    /// Where the page of each operation is, by specification and pointer.
    operations: Arc<BTreeMap<(SitePath, String), Route>>,
    /// The page whose words were edited last, and what it was before.
    before: Option<(SitePath, FileState)>,
    /// Pages that were added, the oldest first.
    added: Vec<SitePath>,
    count: usize,
}

/// One edit.
pub(super) struct Edit {
    wanted: Kind,
    pub(super) changes: Vec<FileChange>,
    path: SitePath,
    operations: Arc<BTreeMap<(SitePath, String), Route>>,
}

impl Script {
    pub(super) fn new(files: &[FileChange], seed: u64) -> Self {
        let files: BTreeMap<SitePath, FileState> = files
            .iter()
            .map(|change| (change.path.clone(), change.state.clone()))
            .collect();
        Self {
            random: fastrand::Rng::with_seed(seed),
            pages: files.keys().filter(|path| is_page(path)).cloned().collect(),
            files,
            specs: Vec::new(),
            edited: BTreeSet::new(),
            operations: Arc::default(),
            before: None,
            added: Vec::new(),
            count: 0,
        }
    }

    /// Looks up which specifications the site uses and where their operations are shown.
    pub(super) fn see(&mut self, host: &SiteHost) {
        let seen = host.read(|db, site| {
            let routes = site::route_table(db, site);
            let mut operations = BTreeMap::new();
            for (route, page) in &routes.pages {
                let operation = match page {
                    PageId::Generated(page) => Some(page.operation(db)),
                    PageId::File(file) => bound_operation(db, *file),
                };
                if let Some(operation) = operation {
                    let spec = operation.spec(db).path(db).clone();
                    operations.insert((spec, operation.key(db).clone()), route.clone());
                }
            }
            let specs = site.specs(db).iter().map(|spec| spec.path(db).clone());
            (operations, specs.collect::<Vec<_>>())
        });
        let (operations, specs) = seen.unwrap_or_default();
        let is_shown = |path: &SitePath| operations.keys().any(|(spec, _)| spec == path);
        self.specs = specs
            .into_iter()
            .filter(|path| self.files.contains_key(path) && is_shown(path))
            .collect();
        self.operations = Arc::new(operations);
    }

    /// The files as they are now.
    pub(super) fn files(&self) -> Vec<FileChange> {
        let files = self.files.iter();
        files
            .map(|(path, state)| FileChange {
                path: path.clone(),
                state: state.clone(),
            })
            .collect()
    }

    /// The next edit; nothing if the site offers none.
    pub(super) fn next(&mut self) -> Option<Edit> {
        // The kinds take turns, so that each is measured often enough; words count twice, as they do in life.
        const TURNS: [Kind; 11] = [
            Kind::Title,
            Kind::Untouched,
            Kind::FirstWords,
            Kind::Operation,
            Kind::Words,
            Kind::Reverted,
            Kind::Words,
            Kind::Colour,
            Kind::Added,
            Kind::Label,
            Kind::Removed,
        ];
        for _ in 0..TURNS.len() * 4 {
            let kind = TURNS[self.count % TURNS.len()];
            self.count += 1;
            let Some((path, state)) = self.draft(kind) else {
                continue;
            };
            let old = self.files.get(&path).cloned().unwrap_or(FileState::Absent);
            match &state {
                FileState::Absent => self.files.remove(&path),
                state => self.files.insert(path.clone(), state.clone()),
            };
            if is_page(&path) {
                self.edited.insert(path.clone());
                self.before = (kind == Kind::Words).then(|| (path.clone(), old));
            }
            return Some(Edit {
                wanted: kind,
                changes: vec![FileChange {
                    path: path.clone(),
                    state,
                }],
                path,
                operations: self.operations.clone(),
            });
        }
        None
    }

    fn draft(&mut self, kind: Kind) -> Option<(SitePath, FileState)> {
        let count = self.count;
        match kind {
            Kind::Untouched => {
                let path = self.some_page(true)?;
                Some((path.clone(), self.files.get(&path)?.clone()))
            }
            Kind::Words | Kind::FirstWords => {
                let path = self.some_page(kind == Kind::Words)?;
                let text = text_of(self.files.get(&path)?)?;
                Some((path, written(with_word(&text, count, &mut self.random)?)))
            }
            Kind::Reverted => self
                .before
                .take()
                .filter(|(_, state)| !matches!(state, FileState::Absent)),
            Kind::Title => {
                let path = self.some_page(true)?;
                let text = text_of(self.files.get(&path)?)?;
                Some((path, written(with_title(&text, count)?)))
            }
            Kind::Added => {
                let path = SitePath::new(&format!("measured/page-{count}.mdx"))?;
                self.added.push(path.clone());
                Some((
                    path,
                    written(format!(
                        "---\ntitle: Page {count}\n---\n\nWords of a new page.\n"
                    )),
                ))
            }
            Kind::Removed => {
                let path = (!self.added.is_empty()).then(|| self.added.remove(0))?;
                Some((path, FileState::Absent))
            }
            Kind::Colour => {
                let path = SitePath::new("docs.json")?;
                let text = text_of(self.files.get(&path)?)?;
                Some((path, written(with_colour(&text, &mut self.random)?)))
            }
            Kind::Label => {
                let path = SitePath::new("docs.json")?;
                let text = text_of(self.files.get(&path)?)?;
                Some((path, written(with_label(&text, count, &mut self.random)?)))
            }
            Kind::Operation | Kind::Component => {
                let path = self
                    .specs
                    .get(self.random.usize(..self.specs.len().max(1)))?
                    .clone();
                let text = text_of(self.files.get(&path)?)?;
                Some((
                    path,
                    written(with_description(&text, count, &mut self.random)?),
                ))
            }
        }
    }

    /// A page that was edited before, or one that was not.
    fn some_page(&mut self, edited: bool) -> Option<SitePath> {
        if edited && self.edited.len() >= 8 {
            let at = self.random.usize(..self.edited.len());
            let path = self.edited.iter().nth(at).cloned();
            return path.filter(|path| self.files.contains_key(path));
        }
        for _ in 0..50 {
            let path = self
                .pages
                .get(self.random.usize(..self.pages.len().max(1)))?;
            if self.edited.contains(path) == edited && self.files.contains_key(path) {
                return Some(path.clone());
            }
        }
        None
    }
}

impl Edit {
    /// What it turned out to be: where the words of a specification stand is told by what changed.
    pub(super) fn kind(&self, applied: &Applied) -> Kind {
        match self.wanted {
            Kind::Operation
                if !applied
                    .parts
                    .iter()
                    .any(|part| part.key.starts_with("/paths")) =>
            {
                Kind::Component
            }
            kind => kind,
        }
    }

    /// The addresses of the page that shows it.
    pub(super) fn routes(&self, host: &SiteHost, applied: &Applied) -> Vec<Route> {
        if let Some(part) = applied.parts.first() {
            let key = (part.spec.clone(), part.key.to_string());
            // A component is looked at on the first page there is.
            let route = self
                .operations
                .get(&key)
                .or_else(|| self.operations.values().next());
            return route.cloned().into_iter().collect();
        }
        let shown = host.read(|db, site| {
            let file = file_named(db, &self.path).filter(|file| is_page(file.path(db)));
            match file {
                Some(file) => Some(page_route(db, file).clone()),
                None => site::route_table(db, site).pages.keys().next().cloned(),
            }
        });
        shown.ok().flatten().into_iter().collect()
    }
}

fn written(text: String) -> FileState {
    FileState::Text(Arc::from(text.into_bytes()))
}

/// `text` with a word put into one of its lines of prose.
fn with_word(text: &str, count: usize, random: &mut fastrand::Rng) -> Option<String> {
    let (mut is_code, mut is_matter) = (false, text.starts_with("---"));
    let mut places = Vec::new();
    let mut at = 0;
    for (i, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if is_matter {
            is_matter = i == 0 || line.trim_end() != "---";
            continue;
        }
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let is_prose = line.len() > 30 && line.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_plain =
            !line.contains(['<', '{', '`', '[', '|', '$']) && !line.starts_with("import");
        if !is_code && is_prose && is_plain {
            places.push(start + line.find(' ')?);
        }
    }
    let place = *places.get(random.usize(..places.len().max(1)))?;
    Some(format!(
        "{} measured{count}{}",
        &text[..place],
        &text[place..]
    ))
}

fn with_title(text: &str, count: usize) -> Option<String> {
    let at = text.find("\ntitle: ")? + 1;
    let end = at + text[at..].find('\n')?;
    let is_in_matter =
        text.starts_with("---") && text[3..].find("\n---").is_some_and(|close| end < close + 4);
    is_in_matter.then(|| format!("{}title: \"Measured {count}\"{}", &text[..at], &text[end..]))
}

/// The text of the configuration with another primary colour.
fn with_colour(text: &str, random: &mut fastrand::Rng) -> Option<String> {
    let at = text.find("\"primary\"")?;
    let hash = at + text[at..].find('#')?;
    let colour = text.get(hash + 1..hash + 7)?;
    let is_colour = colour.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_colour.then(|| {
        format!(
            "{}{:06x}{}",
            &text[..hash + 1],
            random.u32(..0x00ff_ffff),
            &text[hash + 7..]
        )
    })
}

/// The text of the configuration with another label of a group.
fn with_label(text: &str, count: usize, random: &mut fastrand::Rng) -> Option<String> {
    let places: Vec<usize> = text
        .match_indices("\"group\"")
        .map(|(at, _)| at + 7)
        .collect();
    let at = *places.get(random.usize(..places.len().max(1)))?;
    let open = at + text[at..].find('"')?;
    let close = open + 1 + text[open + 1..].find('"')?;
    Some(format!(
        "{}Measured {count}{}",
        &text[..open + 1],
        &text[close..]
    ))
}

/// The text of a specification with a word put before one of its descriptions.
fn with_description(text: &str, count: usize, random: &mut fastrand::Rng) -> Option<String> {
    let is_json = text.trim_start().starts_with('{');
    let key = if is_json {
        "\"description\":"
    } else {
        " description: "
    };
    let places: Vec<usize> = text
        .match_indices(key)
        .map(|(at, key)| at + key.len())
        .collect();
    for _ in 0..50 {
        let at = *places.get(random.usize(..places.len().max(1)))?;
        let rest = &text[at..];
        let word = match is_json {
            true => at + (rest.len() - rest.trim_start().len()) + 1,
            false => at,
        };
        let is_text = match is_json {
            true => text[at..].trim_start().starts_with('"'),
            // A plain scalar on one line.
            false => {
                rest.starts_with(|c: char| c.is_ascii_alphabetic())
                    && !rest.lines().next()?.contains(": ")
            }
        };
        if is_text {
            return Some(format!(
                "{}measured{count} {}",
                &text[..word],
                &text[word..]
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_goes_into_prose_and_nowhere_else() {
        let text = "---\ntitle: A\ndescription: A line that is long enough to be prose\n---\n\n```\nThis line of code is long enough to be prose\n```\n\nThis line of words is long enough to be prose.\n";
        let mut random = fastrand::Rng::with_seed(1);
        let edited = with_word(text, 7, &mut random).unwrap();
        assert!(
            edited.contains("\nThis measured7 line of words"),
            "{edited}"
        );
        assert_eq!(edited.len(), text.len() + " measured7".len());
        assert_eq!(with_word("# Only a heading\n", 7, &mut random), None);
    }

    #[test]
    fn titles_labels_and_colours() {
        assert_eq!(
            with_title("---\nicon: x\ntitle: A\n---\n\ntitle: B\n", 3).as_deref(),
            Some("---\nicon: x\ntitle: \"Measured 3\"\n---\n\ntitle: B\n")
        );
        assert_eq!(with_title("---\nicon: x\n---\n\ntitle: B\n", 3), None);
        let mut random = fastrand::Rng::with_seed(1);
        assert_eq!(
            with_label(r#"{"group": "A", "pages": []}"#, 3, &mut random).as_deref(),
            Some(r#"{"group": "Measured 3", "pages": []}"#)
        );
        let colour = with_colour(r##"{"primary": "#000000"}"##, &mut random).unwrap();
        assert_eq!(colour.len(), r##"{"primary": "#000000"}"##.len());
    }

    #[test]
    fn descriptions_of_specifications() {
        let mut random = fastrand::Rng::with_seed(1);
        assert_eq!(
            with_description(r#"{"description": "A"}"#, 3, &mut random).as_deref(),
            Some(r#"{"description": "measured3 A"}"#)
        );
        assert_eq!(
            with_description("a:\n  description: A b\n", 3, &mut random).as_deref(),
            Some("a:\n  description: measured3 A b\n")
        );
        assert_eq!(
            with_description("a:\n  description: >\n    A\n", 3, &mut random),
            None
        );
    }
}
