//! Bytes that are compressed with gzip: files of the theme that are compiled in, outputs that
//! deployments store.

use std::io::{self, Read, Write};

/// Level of [`pack`]: half the time of the default for a hundredth more bytes.
const LEVEL: u32 = 5;

/// Returns `bytes` compressed.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(bytes.len() / 3);
    let mut encoder = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::new(LEVEL));
    // Writing into memory does not fail.
    let _ = encoder.write_all(bytes);
    let _ = encoder.finish();
    packed
}

/// Returns the content of `bytes`, which are compiled in: they are whole.
pub fn unpacked(bytes: &[u8]) -> Vec<u8> {
    unpack(bytes, usize::MAX).unwrap_or_default()
}

/// Returns the content of `bytes`, of `limit` bytes at most.
///
/// # Errors
///
/// Fails if they are no gzip, end early, or hold more.
pub fn unpack(bytes: &[u8], limit: usize) -> io::Result<Vec<u8>> {
    let mut content = Vec::with_capacity(limit.min(bytes.len() * 4));
    let within = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoder = flate2::read::GzDecoder::new(bytes).take(within);
    decoder.read_to_end(&mut content)?;
    match content.len() > limit {
        true => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("more than {limit} bytes when decompressed"),
        )),
        false => Ok(content),
    }
}

/// Whether `bytes` begin as gzip does, which no JSON does.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_unpacked() {
        for text in ["", "a", &"words of a page ".repeat(1_000)] {
            let packed = pack(text.as_bytes());
            assert!(is_packed(&packed));
            assert_eq!(unpack(&packed, text.len()).expect("gzip"), text.as_bytes());
            assert!(unpack(&packed[..packed.len() - 1], usize::MAX).is_err());
        }
        assert!(unpack(&pack(b"words"), 4).is_err());
        assert!(!is_packed(b"{}"));
        assert!(unpack(b"{}", 2).is_err());
    }
}
