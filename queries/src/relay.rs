//! Where a reader's requests may be sent on behalf of the site: the origins that its own documents
//! name.

use std::collections::BTreeSet;

use crate::config::api_config;
use crate::db::Db;
use crate::inputs::{FileBucket, Site, SpecSlice};
use crate::openapi::slice_value;
use crate::page::{bucket_pages, front_matter};
use openapi::origin;

/// The origins that requests of the playground may go to: those of the servers of specifications and
/// of the token addresses of their security schemes, of `api:` pages with a whole address, and of the
/// `server` of the configuration.
///
/// Read by the relay with each request. Wakes when one of these appears or vanishes; descriptions,
/// bodies of pages and the rest of the configuration must not wake it.
#[salsa::tracked]
pub fn relay_origins(db: &dyn Db, site: Site) -> BTreeSet<String> {
    let servers = api_config(db, site).servers.iter();
    let mut origins: BTreeSet<String> = servers
        .filter_map(|address| origin::of_address(address))
        .collect();
    for spec in site.specs(db) {
        for slice in spec.slices(db) {
            origins.extend(slice_origins(db, *slice).iter().cloned());
        }
    }
    for bucket in site.buckets(db) {
        origins.extend(bucket_origins(db, *bucket).iter().cloned());
    }
    origins
}

/// The origins that a slice names. Most slices name none, and are not read as values to say so.
#[salsa::tracked]
fn slice_origins(db: &dyn Db, slice: SpecSlice) -> BTreeSet<String> {
    let key = slice.key(db);
    let is_of_servers = key.ends_with("/servers")
        || key.starts_with("/components/securitySchemes/")
        || memchr::memmem::find(&db.bytes(slice.digest(db)), b"servers").is_some();
    match is_of_servers {
        true => origin::of_slice(slice.key(db), slice_value(db, slice)),
        false => BTreeSet::new(),
    }
}

/// The origins of the `api:` pages of a bucket.
#[salsa::tracked]
fn bucket_origins(db: &dyn Db, bucket: FileBucket) -> BTreeSet<String> {
    let pages = bucket_pages(db, bucket).iter();
    let origins = pages.filter_map(|file| {
        let api = front_matter(db, *file).value.api.as_deref()?;
        let (_, address) = api.trim().split_once(char::is_whitespace)?;
        origin::of_address(address)
    });
    origins.collect()
}
