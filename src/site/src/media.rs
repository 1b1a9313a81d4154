//! Media types of files.

/// The media type of JSON; it needs no charset (RFC 8259, 11), and readers that look for one find it.
pub const JSON: &str = "application/json; charset=utf-8";

/// The media type of a file by its extension.
pub fn media_type(extension: &str) -> &'static str {
    match extension {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => JSON,
        "yaml" | "yml" => "application/yaml; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "md" | "mdx" => "text/markdown; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "tsv" => "text/tab-separated-values; charset=utf-8",
        "xml" => "application/xml; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mov" => "video/quicktime",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "ogg" => "audio/ogg",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        _ => "application/octet-stream",
    }
}

/// Returns true if compression makes `media_type` smaller.
pub fn is_compressible(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || ["json", "javascript", "xml", "yaml"]
            .iter()
            .any(|kind| media_type.contains(kind))
}
