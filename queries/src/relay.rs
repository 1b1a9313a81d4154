//! Origins that requests of readers may be sent to for the site: those that its own documents name.

use std::collections::BTreeSet;

use crate::config::{api_config, site_address};
use crate::db::Db;
use crate::inputs::{FileBucket, Site, SpecSlice};
use crate::openapi::slice_value;
use crate::page::{bucket_pages, front_matter};
use openapi::origin::{self, Named};
use openapi::server::resolve;

/// The origins that requests of the playground may go to, some with `*` for a label
/// ([`origin::covers`]): those of the servers of specifications and of the token addresses of their
/// security schemes, of `api:` pages with an absolute URL, and of the `server` of the
/// configuration.
///
/// Read by the relay with each request. Wakes when one of these appears or vanishes; descriptions,
/// bodies of pages and the rest of the configuration must not wake it.
#[salsa::tracked]
pub fn relay_origins(db: &dyn Db, site: Site) -> BTreeSet<String> {
    let servers = api_config(db, site).servers.iter();
    let own = site_address(db, site);
    let servers = servers.map(|address| resolve(address, own.as_deref().unwrap_or_default()));
    let mut origins: BTreeSet<String> = servers
        .filter_map(|address| origin::of_address(&address))
        .collect();
    for spec in site.specs(db) {
        // Variables of one document say nothing of the addresses of another.
        let mut named_origins = Named::default();
        let path = spec.name(db);
        let base = match path.is_url() {
            true => Some(path.as_str()),
            false => own.as_deref(),
        };
        for slice in spec.slices(db) {
            named_origins.add(slice_origins(db, *slice), base);
        }
        origins.extend(named_origins.all());
    }
    for bucket in site.buckets(db) {
        origins.extend(bucket_origins(db, *bucket).iter().cloned());
    }
    origins
}

/// The origins that a slice names. Most slices name none, and are not read as values to say so.
#[salsa::tracked]
fn slice_origins(db: &dyn Db, slice: SpecSlice) -> Named {
    let key = slice.key(db);
    let is_of_servers = key.ends_with("/servers")
        || key.starts_with("/components/securitySchemes/")
        || memchr::memmem::find(&db.bytes(slice.digest(db)), b"servers").is_some();
    match is_of_servers {
        true => origin::of_slice(slice.key(db), slice_value(db, slice)),
        false => Named::default(),
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
