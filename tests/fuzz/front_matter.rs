//! Any bytes are the frontmatter of a page: it is drawn all the same.

#![no_main]

mod site;

use libfuzzer_sys::fuzz_target;

const CONFIG: &[u8] =
    br##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["a"]}}"##;

fuzz_target!(|bytes: &[u8]| {
    let page = [b"---\n", bytes, b"\n---\n\nText.\n"].concat();
    site::draw(&[("docs.json", CONFIG), ("a.mdx", &page)]);
});
