//! Digests of the pages of each part of a site. A faulty page affects only itself: the rest of its
//! part is found, and the index keeps what it has of the page.

use std::collections::{BTreeMap, HashMap};

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::{
    Database, FileBucket, FoundPage, FoundPages, PageId, Site, Spec, bucket_pages, bucket_search,
    generated_pages, route_of, search_digest, search_manifest, spec_search,
};

use quire_engine::host::{ReadError, SiteHost};

/// A part of a site whose pages are compared together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Bucket(FileBucket),
    Spec(Spec),
}

impl Part {
    /// Every part of the site.
    fn all(db: &Database, site: Site) -> Vec<Self> {
        let buckets = site.buckets(db).iter();
        let specs = site.specs(db).iter();
        let buckets = buckets.map(|bucket| Self::Bucket(*bucket));
        buckets.chain(specs.map(|spec| Self::Spec(*spec))).collect()
    }

    fn pages_of(self, db: &Database) -> &FoundPages {
        match self {
            Self::Bucket(bucket) => bucket_search(db, bucket),
            Self::Spec(spec) => spec_search(db, spec),
        }
    }

    fn pages(self, db: &Database, site: Site) -> Vec<PageId> {
        match self {
            Self::Bucket(bucket) => {
                let files = bucket_pages(db, bucket).iter();
                files.map(|file| PageId::File(*file)).collect()
            }
            Self::Spec(spec) => {
                let pages = generated_pages(db, site).pages.values();
                let of_spec = pages.filter(|page| page.operation(db).spec(db) == spec);
                of_spec.map(|page| PageId::Generated(*page)).collect()
            }
        }
    }
}

/// State of a site to compare an index with.
pub(super) struct Survey {
    /// Every part of the site.
    pub(super) present: Vec<Part>,
    /// The parts whose digests are not those that are known.
    pub(super) others: Vec<(Part, FoundPages)>,
    /// Why some pages are found as they were, or not at all.
    pub(super) fault: Option<ReadError>,
}

/// Compares the parts of the site with those that are `known`. `had` returns the digest of a page
/// in the index.
pub(super) fn survey(
    host: &SiteHost,
    known: &HashMap<Part, ContentHash>,
    had: &dyn Fn(&Route) -> Option<ContentHash>,
) -> Result<Survey, ReadError> {
    let whole = host.read(|db, site| {
        let manifest = search_manifest(db, site);
        let of_spec = |spec: &Spec| manifest.specs.get(spec.name(db)).copied();
        let digests = manifest.buckets.iter().copied().map(Some);
        let digests = digests.chain(site.specs(db).iter().map(of_spec));
        let present = Part::all(db, site);
        let others = present.iter().zip(digests);
        let others = others.filter(|(part, digest)| known.get(part).copied() != *digest);
        let others = others.map(|(part, _)| (*part, part.pages_of(db).clone()));
        (others.collect::<Vec<_>>(), present)
    });
    let fault = match whole {
        Ok((others, present)) => {
            return Ok(Survey {
                present,
                others,
                fault: None,
            });
        }
        Err(error @ ReadError::Panicked(_)) => error,
        Err(error) => return Err(error),
    };
    let present = host.read(Part::all)?;
    let mut others = Vec::new();
    for part in &present {
        let found = match host.read(|db, _| part.pages_of(db).clone()) {
            Ok(found) => found,
            Err(_) => one_by_one(host, *part, had),
        };
        if known.get(part) != Some(&found.digest) {
            others.push((*part, found));
        }
    }
    Ok(Survey {
        present,
        others,
        fault: Some(fault),
    })
}

/// The pages of a part that are found, each asked by itself.
fn one_by_one(
    host: &SiteHost,
    part: Part,
    had: &dyn Fn(&Route) -> Option<ContentHash>,
) -> FoundPages {
    let mut found = BTreeMap::new();
    for page in host
        .read(|db, site| part.pages(db, site))
        .unwrap_or_default()
    {
        let Ok(route) = host.read(|db, _| route_of(db, page)) else {
            continue;
        };
        let digest = match host.read(|db, _| search_digest(db, page)) {
            Ok(digest) => digest,
            Err(_) => had(&route),
        };
        if let Some(digest) = digest {
            found.insert(route, FoundPage { page, digest });
        }
    }
    FoundPages::of(found)
}
