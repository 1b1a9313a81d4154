//! Any bytes are a page: reading and drawing it never panics, and costs time in proportion to its length.

#![no_main]

use base::path::SitePath;
use libfuzzer_sys::fuzz_target;
use mdx::{self, front_matter, js};
use queries::theme::prose::{By, text_body};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let path = SitePath::new("page.mdx").expect("a path");
    let document = mdx::parse(&path, &text);
    // Each place that is reported is in the text.
    assert!(front_matter::body_start(&text) <= text.len());
    for module in &document.modules {
        js::parse::module(module);
    }
    for by in [By::Author, By::Specification] {
        text_body(&path, &text, "", Default::default(), by);
    }
});
