//! What engine ids stand for: the path of a file, `GET /pets` for an operation. Ids differ from one database to the next.

use std::any::TypeId;
use std::collections::BTreeMap;

use openapi::index::Method;
use queries::db::Database;
use queries::inputs::{Site, SourceFile, Spec, SpecSlice};
use queries::navigation::{PageId, PageRun, Section};
use queries::openapi::{GeneratedPage, Operation, OperationPart, SpecNode};
use queries::page::ImageKey;
use queries::reference::ComponentRows;
use queries::search::EmbeddedPassage;
use salsa::Id;
use salsa::plumbing::{AsId, FromId, ZalsaDatabase};

/// Names by id, of one database at one moment.
pub(crate) struct Names<'db> {
    db: &'db Database,
    /// Whether the specification stands before what is part of one.
    with_specs: bool,
    /// Whether passages and runs of pages are told apart.
    with_passages: bool,
    inputs: BTreeMap<Id, String>,
}

impl<'db> Names<'db> {
    /// Names of a site. `files` are those that exist or existed, `sections` those that exist.
    pub(crate) fn new(
        db: &'db Database,
        site: Site,
        files: impl Iterator<Item = SourceFile>,
        sections: &[Section<'_>],
    ) -> Self {
        let mut inputs: BTreeMap<Id, String> = BTreeMap::new();
        inputs.insert(site.as_id(), String::new());
        inputs.extend(files.map(|file| (file.as_id(), file.path(db).to_string())));
        let buckets = site.buckets(db).iter().enumerate();
        inputs.extend(buckets.map(|(i, bucket)| (bucket.as_id(), format!("bucket {i}"))));
        for section in sections {
            inputs.insert(section.as_id(), format!("{:?}", section.position(db)));
        }
        let mut names = Self {
            db,
            with_specs: site.specs(db).len() > 1,
            with_passages: false,
            inputs,
        };
        for spec in site.specs(db) {
            for slice in spec.slices(db) {
                let name = names.place(*spec, slice.key(db));
                names.inputs.insert(slice.as_id(), name);
            }
        }
        names
    }

    /// Has what is part of a specification named with it, even if it is the only one.
    pub(crate) fn with_specs(mut self, site: Site) -> Self {
        self.with_specs = true;
        for spec in site.specs(self.db) {
            for slice in spec.slices(self.db) {
                let name = self.place(*spec, slice.key(self.db));
                self.inputs.insert(slice.as_id(), name);
            }
        }
        self
    }

    /// Has passages and runs of pages told apart, which must all be there.
    pub(crate) fn with_passages(mut self) -> Self {
        self.with_passages = true;
        self
    }

    /// The name of what `id` stands for; `None` for what has no name but its place in a page.
    pub(crate) fn of(&self, id: Id) -> Option<String> {
        let db = self.db;
        if let Some(name) = self.inputs.get(&id) {
            return Some(name.clone());
        }
        let kind = db.zalsa().lookup_page_type_id(id);
        let is = |other: TypeId| kind == other;
        if is(TypeId::of::<Spec>()) {
            Some(Spec::from_id(id).path(db).to_string())
        } else if is(TypeId::of::<SpecSlice>()) {
            Some(format!("gone: {}", SpecSlice::from_id(id).key(db)))
        } else if is(TypeId::of::<ComponentRows>()) {
            let rows = ComponentRows::from_id(id);
            let node = rows.node(db);
            let place = self.place(node.spec(db), node.pointer(db));
            Some(format!("{} of {place}", rows.direction(db).word()))
        } else if is(TypeId::of::<SpecNode>()) {
            let node = SpecNode::from_id(id);
            Some(self.place(node.spec(db), node.pointer(db)))
        } else if is(TypeId::of::<Operation>()) {
            Some(self.operation(Operation::from_id(id)))
        } else if is(TypeId::of::<GeneratedPage>()) {
            let page = GeneratedPage::from_id(id);
            let name = self.operation(page.operation(db));
            Some(match &page.directory(db)[..] {
                "" => name,
                directory => format!("{name} in {directory}"),
            })
        } else if is(TypeId::of::<OperationPart<'static>>()) {
            let part = OperationPart::from_id(id);
            let spec = part.spec(db).path(db);
            Some(format!("part {} of {spec}", part.part(db)))
        } else if is(TypeId::of::<ImageKey<'static>>()) {
            Some(ImageKey::from_id(id).path(db).to_string())
        } else if is(TypeId::of::<PageRun<'static>>()) {
            // A run is known by its pages alone, and is gone when its section lists others.
            if !self.with_passages {
                return Some("run".to_owned());
            }
            let run = PageRun::from_id(id);
            let paths = run.files(db).iter().map(|file| file.path(db).as_str());
            let paths: Vec<&str> = paths.collect();
            Some(format!("{:?} {}", run.section(db), paths.join(" ")))
        } else if is(TypeId::of::<EmbeddedPassage<'static>>()) {
            // A passage is known by its text alone, and is gone when its page is drawn without it.
            if !self.with_passages {
                return Some("passage".to_owned());
            }
            let passage = EmbeddedPassage::from_id(id);
            let page = match passage.page(db) {
                PageId::File(file) => file.as_id(),
                PageId::Generated(page) => page.as_id(),
            };
            let digest = passage.digest(db);
            Some(format!("{} {digest:?}", self.of(page)?))
        } else {
            None
        }
    }

    fn operation(&self, operation: Operation) -> String {
        self.place(operation.spec(self.db), operation.key(self.db))
    }

    /// `GET /pets` for an operation, `WEBHOOK pet` for a webhook, the pointer for anything else.
    fn place(&self, spec: Spec, pointer: &str) -> String {
        let unescaped = |text: &str| text.replace("~1", "/").replace("~0", "~");
        let parts: Vec<&str> = pointer.split('/').skip(1).collect();
        let name = match parts[..] {
            ["paths", path, method] if Method::of(method).is_some() => {
                format!("{} {}", method.to_ascii_uppercase(), unescaped(path))
            }
            ["webhooks", name, "post"] => format!("WEBHOOK {}", unescaped(name)),
            _ => pointer.to_owned(),
        };
        match self.with_specs {
            true => format!("{}: {name}", spec.path(self.db)),
            false => name,
        }
    }
}

/// The id that `Id(3g1)` shows.
pub(crate) fn id_of(text: &str) -> Id {
    let digits = text.trim_start_matches("Id(").trim_end_matches(')');
    let (index, generation) = digits.split_once('g').unwrap_or((digits, "0"));
    let number = |digits| u64::from_str_radix(digits, 16).expect("a number");
    Id::from_bits(number(generation) << 32 | (number(index) + 1))
}

/// The text with names in place of ids.
pub(crate) fn with_names(text: &str, name: impl Fn(Id) -> String) -> String {
    let mut parts = text.split("Id(");
    let mut named = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (id, rest) = part.split_once(')').expect("an engine id ends");
        named.push_str(&name(id_of(id)));
        named.push_str(rest);
    }
    named
}
