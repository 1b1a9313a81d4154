//! The files of the theme as the world gets them: some are compiled in compressed.

use std::io::Read;

/// The content of `bytes`, which are compressed with gzip and were compiled in.
pub fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::with_capacity(bytes.len() * 4);
    // What is compiled in is whole; a test unpacks each file.
    let _ = flate2::read::GzDecoder::new(bytes).read_to_end(&mut content);
    content
}
