//! Storage in two places: records and leases in one, objects in the other.

use std::sync::Arc;

use crate::{
    Area, Blobs, Changes, Expected, Kind, Lease, Leases, Name, Objects, Pending, Record, Records,
    Scratch, Stamp, Storage, Term, Version,
};

/// Records, leases and what is local from one storage, objects from another: a database takes small
/// writes at once and tells who waits for them, a bucket takes large values for less.
pub struct Split {
    /// The storage with the records and leases.
    pub records: Arc<dyn Storage>,
    /// The storage with the objects.
    pub objects: Arc<dyn Storage>,
}

impl Records for Split {
    fn get<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Record>> {
        self.records.get(name)
    }

    fn put<'a>(
        &'a self,
        name: &'a Name,
        bytes: &'a [u8],
        expected: Expected,
    ) -> Pending<'a, Version> {
        self.records.put(name, bytes, expected)
    }

    fn delete<'a>(&'a self, name: &'a Name, version: &'a Version) -> Pending<'a, ()> {
        self.records.delete(name, version)
    }

    fn stamp<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Stamp>> {
        self.records.stamp(name)
    }

    fn list<'a>(&'a self, kind: Kind, prefix: &'a str) -> Pending<'a, Vec<Name>> {
        self.records.list(kind, prefix)
    }

    fn stamps(&self, kind: Kind) -> Pending<'_, Vec<(Name, Stamp)>> {
        self.records.stamps(kind)
    }

    fn changes(&self) -> Option<Changes> {
        self.records.changes()
    }
}

impl Leases for Split {
    fn take<'a>(&'a self, name: &'a str, term: Term) -> Pending<'a, Lease> {
        self.records.take(name, term)
    }

    fn renew<'a>(&'a self, lease: &'a Lease, term: Term) -> Pending<'a, ()> {
        self.records.renew(lease, term)
    }

    fn release(&self, lease: Lease) -> Pending<'_, ()> {
        self.records.release(lease)
    }
}

impl Storage for Split {
    fn blobs(&self, area: Area) -> Arc<dyn Blobs> {
        self.records.blobs(area)
    }

    fn objects(&self) -> Arc<dyn Objects> {
        self.objects.objects()
    }

    fn scratch(&self, name: &str) -> Option<Scratch> {
        self.records.scratch(name)
    }

    fn below(&self, folder: &str) -> Arc<dyn Storage> {
        Arc::new(Self {
            records: self.records.below(folder),
            objects: self.objects.below(folder),
        })
    }
}
