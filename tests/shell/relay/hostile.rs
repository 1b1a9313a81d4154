//! Targets inside: in every way that an address can be written, hidden or be learned of. Not one
//! connection is made.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quire_net::relay::Limits;
use serde_json::json;

use super::support::{Api, Names, Playground, answer, code, settings};

/// Addresses of IPv4 that are not public, by what they are.
const INSIDE: &[(&str, [u8; 4])] = &[
    ("loopback", [127, 0, 0, 1]),
    ("end of loopback", [127, 255, 255, 254]),
    ("unspecified", [0, 0, 0, 0]),
    ("this network", [0, 1, 2, 3]),
    ("private 10", [10, 0, 0, 1]),
    ("private 172", [172, 16, 0, 1]),
    ("end of private 172", [172, 31, 255, 255]),
    ("private 192", [192, 168, 1, 1]),
    ("metadata of AWS, GCP, Azure", [169, 254, 169, 254]),
    ("metadata of AWS tasks", [169, 254, 170, 2]),
    ("metadata of Alibaba", [100, 100, 100, 200]),
    ("metadata of Oracle", [192, 0, 0, 192]),
    ("wire server of Azure", [168, 63, 129, 16]),
    ("CGNAT", [100, 64, 0, 1]),
    ("end of CGNAT", [100, 127, 255, 255]),
    ("benchmark", [198, 18, 0, 1]),
    ("documentation 1", [192, 0, 2, 1]),
    ("documentation 2", [198, 51, 100, 1]),
    ("documentation 3", [203, 0, 113, 1]),
    ("6to4 relay", [192, 88, 99, 1]),
    ("multicast", [224, 0, 0, 1]),
    ("reserved", [240, 0, 0, 1]),
    ("broadcast", [255, 255, 255, 255]),
];

/// The ways to write an address of IPv4 that the URL standard knows.
fn spellings([a, b, c, d]: [u8; 4]) -> Vec<(&'static str, String)> {
    let number = u32::from_be_bytes([a, b, c, d]);
    let (low, lowest) = (number & 0x00ff_ffff, number & 0xffff);
    let plain = format!("{a}.{b}.{c}.{d}");
    let encoded = plain.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02x}");
        text
    });
    let wide = |c: char| char::from_u32(0xff10 + u32::from(c) - u32::from('0'));
    let digits = |text: &str| -> String {
        let wide = |c: char| wide(c).filter(|_| c.is_ascii_digit()).unwrap_or(c);
        text.chars().map(wide).collect()
    };
    let bold = |c: char| char::from_u32(0x1d7ce + u32::from(c) - u32::from('0'));
    let bold = |c: char| bold(c).filter(|_| c.is_ascii_digit()).unwrap_or(c);
    vec![
        ("plain", plain.clone()),
        ("decimal", number.to_string()),
        ("octal", format!("0{number:o}")),
        ("hexadecimal", format!("0x{number:x}")),
        ("hexadecimal in capitals", format!("0X{number:08X}")),
        ("octal parts", format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}")),
        (
            "hexadecimal parts",
            format!("0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"),
        ),
        (
            "padded octal",
            format!("{a:#05o}.{b:#05o}.{c:#05o}.{d:#05o}").replace("0o", "00"),
        ),
        ("mixed parts", format!("{a}.0{b:o}.0x{c:x}.{d}")),
        ("three parts", format!("{a}.{b}.{lowest}")),
        ("two parts", format!("{a}.{low}")),
        ("two mixed parts", format!("0x{a:x}.{low}")),
        ("trailing dot", format!("{plain}.")),
        ("percent-encoded", encoded),
        ("wide digits", digits(&plain)),
        ("wide dots", plain.replace('.', "\u{ff0e}")),
        ("ideographic dots", plain.replace('.', "\u{3002}")),
        ("halfwidth ideographic dots", plain.replace('.', "\u{ff61}")),
        ("bold digits", plain.chars().map(bold).collect()),
    ]
}

/// Addresses of IPv6 that are not public or hide one that is not.
const INSIDE_6: &[(&str, &str)] = &[
    ("loopback", "::1"),
    ("loopback in full", "0:0:0:0:0:0:0:1"),
    ("loopback padded", "0000:0000:0000:0000:0000:0000:0000:0001"),
    ("loopback with the end of an IPv4", "::0.0.0.1"),
    ("unspecified", "::"),
    ("mapped", "::ffff:127.0.0.1"),
    ("mapped in hexadecimal", "::ffff:7f00:1"),
    ("mapped in full", "0:0:0:0:0:ffff:7f00:0001"),
    ("mapped metadata", "::ffff:169.254.169.254"),
    ("mapped private", "::ffff:10.0.0.1"),
    ("mapped public", "::ffff:8.8.8.8"),
    ("compatible", "::127.0.0.1"),
    ("compatible in hexadecimal", "::7f00:1"),
    ("compatible metadata", "::a9fe:a9fe"),
    ("translated", "::ffff:0:127.0.0.1"),
    ("6to4 of loopback", "2002:7f00:1::"),
    ("6to4 of loopback with an interface", "2002:7f00:1::1"),
    ("6to4 of private", "2002:a00:1::1"),
    ("6to4 of metadata", "2002:a9fe:a9fe::1"),
    ("NAT64 of loopback", "64:ff9b::127.0.0.1"),
    ("NAT64 of loopback in hexadecimal", "64:ff9b::7f00:1"),
    ("NAT64 of metadata", "64:ff9b::a9fe:a9fe"),
    ("NAT64 of private", "64:ff9b::10.0.0.1"),
    ("local NAT64", "64:ff9b:1::7f00:1"),
    ("Teredo", "2001::1"),
    ("Teredo of loopback", "2001:0:7f00:1::"),
    (
        "Teredo with a hidden client",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
    ),
    ("ISATAP", "2606:4700::5efe:127.0.0.1"),
    ("ISATAP of a global one", "2606:4700::200:5efe:7f00:1"),
    ("link-local", "fe80::1"),
    ("link-local metadata", "fe80::a9fe:a9fe"),
    ("end of link-local", "febf:ffff::1"),
    ("site-local", "fec0::1"),
    ("unique local", "fc00::1"),
    ("unique local of a site", "fd12:3456:789a::1"),
    ("metadata of AWS", "fd00:ec2::254"),
    ("metadata of GCP", "fd20:ce::254"),
    ("multicast on this machine", "ff01::1"),
    ("multicast on the link", "ff02::1"),
    ("multicast", "ff0e::1"),
    ("discard", "100::1"),
    ("documentation", "2001:db8::1"),
    ("documentation 2", "3fff::1"),
    ("benchmark", "2001:2::1"),
    ("ORCHID", "2001:20::1"),
    ("segment routing", "5f00::1"),
    ("not given out", "4000::1"),
    ("not given out below", "1::1"),
];

/// Names and what a resolver says of them.
const NAMES: &[(&str, &[&[&str]])] = &[
    ("localhost", &[&["127.0.0.1"]]),
    ("localhost.", &[&["127.0.0.1"]]),
    ("docs.localhost", &[&["127.0.0.1"]]),
    ("localhost.localdomain", &[&["127.0.0.1"]]),
    ("ip6-localhost", &[&["::1"]]),
    ("localtest.me", &[&["127.0.0.1"]]),
    ("127.0.0.1.nip.io", &[&["127.0.0.1"]]),
    ("7f000001.nip.io", &[&["127.0.0.1"]]),
    ("metadata", &[&["169.254.169.254"]]),
    ("metadata.google.internal", &[&["169.254.169.254"]]),
    ("metadata.goog", &[&["169.254.169.254"]]),
    ("instance-data.ec2.internal", &[&["169.254.169.254"]]),
    ("metadata.tencentyun.com", &[&["169.254.0.23"]]),
    ("metadata.azure.internal", &[&["168.63.129.16"]]),
    ("kubernetes.default.svc", &[&["10.96.0.1"]]),
    ("host.docker.internal", &[&["172.17.0.1"]]),
    ("router.home.arpa", &[&["192.168.1.1"]]),
    ("intranet.example", &[&["10.1.2.3"]]),
    ("printer.local", &[&["169.254.7.7"]]),
    ("cgnat.example", &[&["100.64.1.1"]]),
    ("zero.example", &[&["0.0.0.0"]]),
    ("six.example", &[&["::1"]]),
    ("mapped.example", &[&["::ffff:127.0.0.1"]]),
    ("compatible.example", &[&["::7f00:1"]]),
    ("nat64.example", &[&["64:ff9b::7f00:1"]]),
    ("6to4.example", &[&["2002:7f00:1::1"]]),
    ("teredo.example", &[&["2001:0:7f00:1::"]]),
    ("ula.example", &[&["fd00::1"]]),
    ("link.example", &[&["fe80::1"]]),
    ("multicast.example", &[&["224.0.0.251"]]),
    // One that is here and there at once, in each order.
    ("mixed.example", &[&["8.8.8.8", "127.0.0.1"]]),
    ("mixed-too.example", &[&["127.0.0.1", "8.8.8.8"]]),
    ("mixed-six.example", &[&["2606:4700::1111", "::1"]]),
    (
        "mixed-many.example",
        &[&["8.8.8.8", "1.1.1.1", "9.9.9.9", "10.0.0.1"]],
    ),
    ("xn--bcher-kva.example", &[&["127.0.0.1"]]),
    ("under_score.example", &[&["127.0.0.1"]]),
];

/// What is no address of an API, whatever it leads to. `PORT` is that of the canary.
const MALFORMED: &[(&str, &str)] = &[
    ("user", "http://user@127.0.0.1:PORT/"),
    ("user and password", "http://user:secret@127.0.0.1:PORT/"),
    (
        "user that looks like a host",
        "http://api.example@127.0.0.1:PORT/",
    ),
    (
        "user that looks like a host and a port",
        "http://api.example:80@127.0.0.1:PORT/",
    ),
    ("two users", "http://a@b@127.0.0.1:PORT/"),
    ("user with a slash", "http://api.example%2f@127.0.0.1:PORT/"),
    (
        "user with an encoded at",
        "http://api.example%40x@127.0.0.1:PORT/",
    ),
    ("empty user", "http://@127.0.0.1:PORT/"),
    ("empty password", "http://:@127.0.0.1:PORT/"),
    (
        "backslash before the user",
        "http://api.example\\@127.0.0.1:PORT/",
    ),
    ("backslash instead of a slash", "http://127.0.0.1:PORT\\x"),
    ("backslashes behind the scheme", "http:\\\\127.0.0.1:PORT/"),
    ("one slash", "http:/127.0.0.1:PORT/"),
    ("no slash", "http:127.0.0.1:PORT/"),
    ("three slashes", "http:///127.0.0.1:PORT/"),
    ("no scheme", "//127.0.0.1:PORT/"),
    ("a path", "/etc/passwd"),
    ("nothing", ""),
    ("a host alone", "127.0.0.1:PORT"),
    ("space before", " http://127.0.0.1:PORT/"),
    ("space after", "http://127.0.0.1:PORT/ "),
    ("space within", "http://127.0.0.1 :PORT/"),
    ("tab in the host", "http://127.0.\t0.1:PORT/"),
    ("line in the host", "http://127.0.\n0.1:PORT/"),
    ("line in the path", "http://127.0.0.1:PORT/\r\nX-A: 1"),
    ("null in the host", "http://127.0.0.1\0.api.example:PORT/"),
    ("encoded null", "http://127.0.0.1%00.api.example:PORT/"),
    ("encoded line", "http://127.0.0.1%0d%0a:PORT/"),
    (
        "encoded slash in the host",
        "http://127.0.0.1%2fapi.example:PORT/",
    ),
    (
        "encoded at in the host",
        "http://api.example%40127.0.0.1:PORT/",
    ),
    ("broken escape in the host", "http://127.0.0.1%zz:PORT/"),
    ("vertical tab", "http://127.0.0.1\u{b}:PORT/"),
    ("no-break space", "http://127.0.0.1\u{a0}:PORT/"),
    ("ideographic space", "http://127.0.0.1\u{3000}:PORT/"),
    ("zone id", "http://[fe80::1%25lo]:PORT/"),
    ("zone id not encoded", "http://[fe80::1%lo]:PORT/"),
    ("zone id of loopback", "http://[::1%251]:PORT/"),
    ("open bracket", "http://[::1:PORT/"),
    ("bracket around IPv4", "http://[127.0.0.1]:PORT/"),
    ("IPv6 without brackets", "http://::1:PORT/"),
    ("future address", "http://[v1.127.0.0.1]:PORT/"),
    ("two ports", "http://127.0.0.1:80:PORT/"),
    ("port too large", "http://127.0.0.1:65536/"),
    ("port of words", "http://127.0.0.1:http/"),
    ("negative port", "http://127.0.0.1:-1/"),
    ("number too large", "http://4294967296:PORT/"),
    ("part too large", "http://127.0.0.256:PORT/"),
    ("octal that is none", "http://0127.0.0.08:PORT/"),
    ("five parts", "http://127.0.0.0.1:PORT/"),
    ("empty part", "http://127..0.1:PORT/"),
    ("file", "file:///etc/passwd"),
    ("file with a host", "file://127.0.0.1/etc/passwd"),
    ("ftp", "ftp://127.0.0.1:PORT/"),
    ("gopher", "gopher://127.0.0.1:PORT/_x"),
    ("dict", "dict://127.0.0.1:PORT/d:x"),
    ("ldap", "ldap://127.0.0.1:PORT/"),
    ("tftp", "tftp://127.0.0.1:PORT/x"),
    ("jar", "jar:http://127.0.0.1:PORT/!/"),
    ("data", "data:text/plain,x"),
    ("script", "javascript:alert(1)"),
    ("blob", "blob:http://127.0.0.1:PORT/x"),
    ("view-source", "view-source:http://127.0.0.1:PORT/"),
    ("websocket", "ws://127.0.0.1:PORT/"),
    ("secure websocket", "wss://127.0.0.1:PORT/"),
    ("unix socket", "http+unix://%2fvar%2frun%2fdocker.sock/"),
    ("about", "about:blank"),
    ("port of SSH", "http://127.0.0.1:22/"),
    ("port of SMTP", "http://127.0.0.1:25/"),
    ("port of DNS", "http://127.0.0.1:53/"),
    ("port of POP3", "http://127.0.0.1:110/"),
    ("port of IMAP", "https://127.0.0.1:143/"),
    ("port of LDAP", "http://127.0.0.1:389/"),
    ("port of NFS", "http://127.0.0.1:2049/"),
    ("port of X11", "http://127.0.0.1:6000/"),
    ("port of IRC", "http://127.0.0.1:6667/"),
    ("port 0", "http://127.0.0.1:0/"),
];

/// Everything that stands above, with the error that it gets although a document of the site names
/// it.
fn targets(port: u16) -> Vec<(String, String, &'static str)> {
    let mut targets = Vec::new();
    for (what, address) in INSIDE {
        for (how, host) in spellings(*address) {
            let url = format!("http://{host}:{port}/");
            targets.push((format!("{what}, {how}"), url, "relay-address"));
        }
        let url = format!("https://{}:{port}/", Ipv4Addr::from(*address));
        targets.push((format!("{what}, with TLS"), url, "relay-address"));
    }
    for (what, address) in INSIDE_6 {
        for (how, host) in [
            ("", address.to_string()),
            (" in capitals", address.to_uppercase()),
        ] {
            let url = format!("http://[{host}]:{port}/");
            targets.push((format!("IPv6 {what}{how}"), url, "relay-address"));
        }
    }
    for (name, _) in NAMES {
        for (how, name) in [
            ("", name.to_string()),
            (" in capitals", name.to_uppercase()),
        ] {
            let url = format!("http://{name}:{port}/");
            targets.push((format!("name {name}{how}"), url, "relay-address"));
        }
    }
    for (what, url) in MALFORMED {
        let url = url.replace("PORT", &port.to_string());
        targets.push(((*what).to_owned(), url, "malformed-request"));
    }
    targets
}

/// Listens on loopback, and counts who comes.
struct Canary {
    port: u16,
    came: Arc<AtomicUsize>,
}

impl Canary {
    fn start() -> Self {
        let first = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = first.local_addr().expect("an address").port();
        // Where there is no IPv6 nobody can come by it.
        let second = TcpListener::bind(("::1", port)).ok();
        let came = Arc::new(AtomicUsize::new(0));
        for listener in [Some(first), second].into_iter().flatten() {
            let came = came.clone();
            std::thread::spawn(move || {
                for _ in listener.incoming() {
                    came.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        Self { port, came }
    }

    /// How many came. Whoever came before is counted: it is asked for the last one itself.
    fn count(&self) -> usize {
        let before = std::net::TcpStream::connect(("127.0.0.1", self.port));
        drop(before.expect("it listens"));
        crate::support::wait_until("the canary has seen its own visitor", || {
            self.came.load(Ordering::SeqCst) > 0
        });
        self.came.swap(0, Ordering::SeqCst) - 1
    }
}

/// What is not as it should be: by name, with what was answered.
fn wrong(
    playground: &Playground,
    targets: &[(String, String, &'static str)],
    is_named: bool,
) -> String {
    let mut wrong = String::new();
    for (what, url, expected) in targets {
        let reply = playground.get(url);
        let found = code(&reply);
        let expected = match (is_named, *expected) {
            (false, "relay-address") => "relay-target",
            (_, expected) => expected,
        };
        if found != expected {
            let _ = writeln!(
                wrong,
                "{what}: {url:?} gets {found}, not {expected}: {}",
                reply.text()
            );
        }
    }
    wrong
}

#[test]
fn no_way_leads_inside() {
    let canary = Canary::start();
    let targets = targets(canary.port);
    let by_url: BTreeMap<&str, &str> = targets
        .iter()
        .map(|(what, url, _)| (&**url, &**what))
        .collect();
    assert!(by_url.len() >= 500, "{} targets", by_url.len());
    let names = Names::new(NAMES);
    // A site that names all of them, and one that names none.
    let servers: Vec<String> = targets.iter().map(|(_, url, _)| url.clone()).collect();
    for (servers, is_named) in [(&servers[..], true), (&[], false)] {
        let (settings, limits) = (settings(&[]), Limits::default());
        let playground = Playground::within(servers, settings, limits, names.network());
        assert_eq!(wrong(&playground, &targets, is_named), "");
    }
    assert_eq!(canary.count(), 0);
    // Who is not named is not even asked for.
    let asked = names.asked.lock().unwrap().len();
    assert!(asked <= NAMES.len() * 2, "{asked}");
}

#[test]
fn a_redirect_leads_inside_no_more_than_an_address() {
    let canary = Canary::start();
    let targets = targets(canary.port);
    let is_header = |url: &str| url.chars().all(|c| !c.is_control() && u32::from(c) < 256);
    let targets: Vec<_> = targets
        .iter()
        .filter(|(_, url, _)| is_header(url))
        .collect();
    let locations: Vec<String> = targets.iter().map(|(_, url, _)| url.clone()).collect();
    let api = Api::start(move |seen, stream| {
        let number = seen.head.split([' ', '/']).nth(2).unwrap_or_default();
        let location = number.parse().ok().and_then(|n: usize| locations.get(n));
        let reply = match location {
            Some(url) => {
                let location = format!("Location: {url}\r\n");
                answer("307 Temporary Redirect", &location, "moved")
            }
            None => answer("404 Not Found", "", ""),
        };
        let bytes: Vec<u8> = reply.chars().map(|c| c as u32 as u8).collect();
        let _ = stream.write_all(&bytes);
    });
    let playground = Playground::within(
        &[],
        settings(&[api.origin()]),
        Limits::default(),
        Names::new(NAMES).network(),
    );
    let mut handed_on = 0;
    for (n, (what, url, _)) in targets.into_iter().enumerate() {
        let reply = playground.get(&api.url(&format!("/{n}")));
        assert_eq!(reply.status, 200, "{what}: {}", reply.text());
        let (line, body) = super::support::parts(&reply.body);
        // A relative address is one of the API itself, which has nothing there.
        if line["status"] != 404 {
            assert_eq!(
                (&line["status"], body),
                (&json!(307), &b"moved"[..]),
                "{what}: {url}"
            );
            handed_on += 1;
        }
    }
    assert!(handed_on > 400, "{handed_on}");
    assert_eq!(canary.count(), 0);
}

#[test]
fn a_name_that_leads_elsewhere_the_next_time_leads_nowhere() {
    // Here 127.0.0.1 stands for a public address, and the canary listens at one that is not.
    fn is_public_here(address: std::net::IpAddr) -> bool {
        address == Ipv4Addr::LOCALHOST
    }
    let moved = answer("302 Found", "Location: /next\r\n", "");
    let replies = [
        answer("200 OK", "", "one"),
        moved,
        answer("200 OK", "", "two"),
    ];
    let api = Api::script(&replies);
    let port = api.address.port();
    let canary = Api::at(&format!("127.0.0.2:{port}"), |_, _| ());
    let (there, here): (&[&str], &[&str]) = (&["127.0.0.1"], &["127.0.0.2"]);
    let names = Names::new(&[("api.example", &[there, here, there, here, here])]);
    let mut network = names.network();
    network.is_public = is_public_here;
    let origin = format!("http://api.example:{port}");
    let playground = Playground::within(
        std::slice::from_ref(&origin),
        settings(&[]),
        Limits::default(),
        network,
    );
    let get = || playground.get(&format!("{origin}/x"));
    let reply = get();
    assert_eq!(super::support::parts(&reply.body).1, b"one");
    assert_eq!(names.asked.lock().unwrap().len(), 1, "it is looked up once");
    assert_eq!(code(&get()), "relay-address");
    // Between a redirect and what it leads to, too.
    assert_eq!(code(&get()), "relay-address");
    assert_eq!(api.take_seen().len(), 2);
    assert!(canary.take_seen().is_empty());
}

#[test]
fn a_label_of_the_reader_leads_to_public_addresses_below_the_domain() {
    fn is_public_here(address: std::net::IpAddr) -> bool {
        address == Ipv4Addr::LOCALHOST
    }
    let api = Api::saying(answer("200 OK", "", "mine"));
    let port = api.address.port();
    let canary = Api::at(&format!("127.0.0.2:{port}"), |_, _| ());
    let (there, here): (&[&str], &[&str]) = (&["127.0.0.1"], &["127.0.0.2"]);
    let names = Names::new(&[
        ("mine.api.example", &[there]),
        ("inside.api.example", &[here]),
    ]);
    let mut network = names.network();
    network.is_public = is_public_here;
    let playground = Playground::within(
        &[format!("http://{{tenant}}.api.example:{port}/v1")],
        settings(&[]),
        Limits::default(),
        network,
    );
    let reply = playground.get(&format!("http://mine.api.example:{port}/v1/x"));
    assert_eq!(super::support::parts(&reply.body).1, b"mine");
    for (host, refused) in [
        (format!("inside.api.example:{port}"), "relay-address"),
        (format!("api.example:{port}"), "relay-target"),
        (format!("a.mine.api.example:{port}"), "relay-target"),
        (format!("mine.api.example.org:{port}"), "relay-target"),
        (format!("mineapi.example:{port}"), "relay-target"),
        ("mine.api.example:1234".to_owned(), "relay-target"),
    ] {
        let reply = playground.get(&format!("http://{host}/v1/x"));
        assert_eq!(code(&reply), refused, "{host}");
    }
    assert!(canary.take_seen().is_empty());
}
