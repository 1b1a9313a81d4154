//! Ways to leave the folder of the site: none may work. A canary lies beside the root and in what the site keeps to
//! itself; it must appear in no reply.

use std::collections::BTreeSet;

use crate::support::folder::Folder;
use crate::support::preview::Preview;

const CANARY: &str = "canary-c0ffee";

/// Ways to write `..`, `/` and the ends of names, and places to go.
fn targets() -> BTreeSet<String> {
    let dots = [
        "..",
        ".%2e",
        "%2e.",
        "%2e%2e",
        "%2E%2E",
        "%252e%252e",
        "%25%32%65%25%32%65",
        "%c0%ae%c0%ae",
        "%e0%80%ae%e0%80%ae",
        "%uff0e%uff0e",
        "..;",
        "..%00",
        "...",
        ". .",
        "%EF%BC%8E%EF%BC%8E",
    ];
    let slashes = [
        "/",
        "%2f",
        "%2F",
        "%252f",
        "\\",
        "%5c",
        "%255c",
        "%c0%af",
        "%e0%80%af",
        "//",
        "/./",
        "%EF%BC%8F",
    ];
    let starts = ["/", "/images/", "/guides/first/", "/_theme/", "//"];
    let ends = [
        "outside/secret.txt",
        "outside/secret.txt%00.svg",
        "site/.env",
    ];
    let mut targets = BTreeSet::new();
    for dot in dots {
        for slash in slashes {
            for start in starts {
                for end in ends {
                    targets.insert(format!("{start}{dot}{slash}{end}"));
                    targets.insert(format!("{start}{dot}{slash}{dot}{slash}{end}"));
                }
            }
        }
    }
    let queries = [
        "/start?raw",
        "/start?raw??",
        "/.env?raw",
        "/.env?import&raw",
        "/.env?url",
        "/.env?.svg?.wasm?init",
        "/@fs/etc/passwd",
        "/@fs/../outside/secret.txt",
        "/images/a.svg?file=../../outside/secret.txt",
        "/?path=../outside/secret.txt",
        "/%3f/../../outside/secret.txt",
        "/%23/../../outside/secret.txt",
        "/#/../../outside/secret.txt",
        "/images/a.svg/../../../outside/secret.txt",
        "/images/a.svg%2f..%2f..%2f..%2foutside%2fsecret.txt",
        "/c:/outside/secret.txt",
        "/C:%5coutside%5csecret.txt",
        "/file:///outside/secret.txt",
        "/.env/",
        "/.env%20",
        "/.env.",
        "/.env::$DATA",
        "/%2eenv",
        "/.%65nv",
        "/%252eenv",
        "/.git/config",
        "/.git%2fconfig",
        "/.git/./config",
        "/images/.hidden.svg",
        "/start.mdx",
        "/start%2emdx",
        "/start.mdx?",
        "/start.mdx/",
        "/docs.json",
        "/docs%2ejson",
        "/DOCS.JSON",
        "/./docs.json",
        "/images/%2e%2e/docs.json",
        "/_quire/events?route=/../../outside/secret.txt",
        "/_quire/../docs.json",
        "/proc/self/environ",
        "/dev/stdin",
        "/%00",
        "/%0d%0aX-Injected:%20yes",
        "/\u{202e}txt.env",
        "http://localhost/../outside/secret.txt",
        "http://localhost/%2e%2e/outside/secret.txt",
        "*",
        "../outside/secret.txt",
        "outside/secret.txt",
    ];
    targets.extend(queries.map(str::to_owned));
    targets
}

#[test]
fn no_request_leaves_the_site() {
    let folder = Folder::new(&[
        (
            "site/docs.json",
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start"]},
                "redirects":[{"source":"/r/:x*","destination":"/:x*"}],"x-canary":"canary-c0ffee"}"##,
        ),
        ("site/start.mdx", "---\ntitle: Start\n---\n"),
        ("site/guides/first.mdx", "---\ntitle: First\n---\n"),
        (
            "site/images/a.svg",
            "<svg xmlns='http://www.w3.org/2000/svg'/>",
        ),
        ("site/images/.hidden.svg", CANARY),
        ("site/.env", CANARY),
        ("site/.git/config", CANARY),
        ("outside/secret.txt", CANARY),
    ]);
    let preview = Preview::start(&folder.at("site"), quire_http::server::Limits::default());
    let targets = targets();
    assert!(targets.len() > 300, "{}", targets.len());
    let mut counts = std::collections::BTreeMap::new();
    let mut connection = preview.connect();
    for target in &targets {
        let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        connection.send(&request);
        let reply = match connection.try_reply(false) {
            Some(reply) => reply,
            None => {
                // The last reply ended the connection.
                connection = preview.connect();
                connection.send(&request);
                connection.reply()
            }
        };
        let seen = format!("{:?} {}", reply.headers, reply.text());
        assert!(!seen.contains(CANARY), "{target}: {seen}");
        assert!(!seen.contains("root:x:0:0"), "{target}");
        assert_eq!(reply.header("x-injected"), None, "{target}");
        let allowed = [200, 307, 308, 400, 401, 404].contains(&reply.status);
        assert!(allowed, "{target}: {}", reply.status);
        *counts.entry(reply.status).or_insert(0) += 1;
    }
    // Most are refused or unknown; a few are other ways to write a page, which is then sent.
    assert!(counts[&400] > 100 && counts[&404] > 100, "{counts:?}");
}
