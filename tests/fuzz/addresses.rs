//! Any text is an address: what is let in is a path of the site, and stays one when it is written and read again.

#![no_main]

use base::path::{Route, SitePath};
use hyper::Request;
use libfuzzer_sys::fuzz_target;
use quire_http::gate;

fn is_inside(path: &str) -> bool {
    !path.split('/').any(|segment| matches!(segment, "." | "..")) && !path.contains(['\\', '\0'])
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let page = SitePath::new("guides/page.mdx").expect("a path");
    if let Some(file) = page.resolve(text) {
        assert!(!file.as_str().split('/').any(|part| part == ".."), "{file}");
        assert!(!file.as_str().starts_with('/'), "{file}");
    }
    let Ok(request) = Request::get(text).header("host", "a").body(()) else {
        return;
    };
    let Ok(target) = gate::check(&request) else {
        return;
    };
    assert!(target.path.starts_with('/') && is_inside(&target.path));
    let Some(route) = Route::new(&target.path) else {
        return;
    };
    let file = route.export_file();
    assert!(is_inside(&file) && !file.starts_with('/'), "{file}");
    // Its own address leads back to it.
    let again = Request::get(route.href())
        .header("host", "a")
        .body(())
        .expect("an address");
    let again = gate::check(&again).expect("it is let in");
    assert_eq!(Route::new(&again.path), Some(route));
});
