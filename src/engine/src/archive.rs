//! `/api-specs.zip`: the specifications of a site in one archive (SPEC 2.5), the same bytes whenever they are the same.

use std::io::{Cursor, Write};

use queries::base::content::TextBytes;
use queries::site::{Spec, spec_download};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::host::{ReadError, SiteHost};

/// Path of the archive.
pub const PATH: &str = queries::site::ARCHIVE;

/// The archive of `specs`, by their paths in order; what was fetched stands under its host and path.
pub fn of(host: &SiteHost, specs: &[Spec]) -> Result<Vec<u8>, ReadError> {
    let files = host.read(|db, _| {
        let mut files: Vec<(String, TextBytes)> = Vec::with_capacity(specs.len());
        for spec in specs {
            let path = spec.name(db).as_str();
            let name = path.split_once("://").map_or(path, |(_, rest)| rest);
            files.push((name.to_owned(), spec_download(db, *spec)));
        }
        files
    })?;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // No clock: the same files give the same archive.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut write = || -> zip::result::ZipResult<()> {
        for (name, bytes) in &files {
            zip.start_file(name.as_str(), options)?;
            zip.write_all(bytes)?;
        }
        Ok(())
    };
    let written = write().and_then(|()| zip.finish());
    let written = written.map_err(|error| ReadError::Cancelled(error.to_string()))?;
    Ok(written.into_inner())
}
