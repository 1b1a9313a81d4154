//! Any bytes are a `docs.json`: the site is drawn all the same, and its diagnostics have places.

#![no_main]

mod site;

use libfuzzer_sys::fuzz_target;

const PAGE: &[u8] = b"---\ntitle: A\n---\n\n## One\n\nText and a [link](/b).\n";
const SPEC: &[u8] = br#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},
"paths":{"/x":{"get":{"tags":["T"],"responses":{"200":{"description":"OK"}}}}}}"#;

fuzz_target!(|bytes: &[u8]| {
    site::draw(&[
        ("docs.json", bytes),
        ("a.mdx", PAGE),
        ("b.mdx", PAGE),
        ("openapi.json", SPEC),
    ]);
});
