//! Third-party services that a page reports to or chats with: the source of the script of each, its
//! configuration, and what a Content-Security-Policy has to name for it.
//!
//! `VENDORS` is the only table of them, after what each documents. A page says them as JSON; `js/vendors.js` reads that and
//! loads them. Values are checked where the configuration is read (`config::integrations`): nothing of them is code.

use std::borrow::Cow;
use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value, json};

use crate::document::script_json;

/// A directive of a Content-Security-Policy that says from where something may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Directive {
    /// Scripts.
    Script,
    /// Requests and sockets of scripts.
    Connect,
    /// Pictures.
    Image,
    /// Pages in a page.
    Frame,
    /// Stylesheets.
    Style,
    /// Typefaces.
    Font,
}

use Directive::{Connect, Font, Frame, Image, Script, Style};

/// Code that a service runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    /// Code of the service itself.
    Own,
    /// Code that its customer has configured, from any source: tag managers.
    Anything,
}

/// Loading of one service: a row of the table. `{name}` stands for the value of that name.
struct Row {
    name: &'static str,
    script: &'static str,
    /// Attributes of the element of the script.
    attributes: &'static [(&'static str, &'static str)],
    /// Sources in a policy besides the script.
    sources: &'static [(Directive, &'static [&'static str])],
    runs: Runs,
    /// Whether it asks readers for their consent, and is loaded before they gave it.
    asks_consent: bool,
}

const ROW: Row = Row {
    name: "",
    script: "",
    attributes: &[],
    sources: &[],
    runs: Runs::Own,
    asks_consent: false,
};

/// Every service that can be loaded.
static VENDORS: &[Row] = &[
    Row {
        name: "onetrust",
        script: "{script}",
        attributes: &[("data-domain-script", "{domain}"), ("charset", "UTF-8")],
        sources: &[
            (
                Script,
                &["https://cdn.cookielaw.org", "https://*.onetrust.com"],
            ),
            (
                Connect,
                &["https://cdn.cookielaw.org", "https://*.onetrust.com"],
            ),
            (Image, &["https://cdn.cookielaw.org"]),
            (Style, &["https://cdn.cookielaw.org"]),
        ],
        asks_consent: true,
        ..ROW
    },
    Row {
        name: "transcend",
        script: "https://transcend-cdn.com/cm/{bundle}/airgap.js",
        attributes: &[("data-cfasync", "false")],
        sources: &[
            (
                Script,
                &["https://transcend-cdn.com", "https://*.transcend-cdn.com"],
            ),
            (
                Connect,
                &[
                    "https://transcend-cdn.com",
                    "https://*.transcend-cdn.com",
                    "https://*.transcend.io",
                ],
            ),
            (Frame, &["https://*.sync.transcend.io"]),
        ],
        asks_consent: true,
        ..ROW
    },
    Row {
        name: "adobe",
        script: "{script}",
        sources: &[
            (Script, &["https://assets.adobedtm.com"]),
            (
                Connect,
                &[
                    "https://*.adobedc.net",
                    "https://*.demdex.net",
                    "https://*.omtrdc.net",
                ],
            ),
            (Image, &["https://*.demdex.net", "https://*.omtrdc.net"]),
        ],
        runs: Runs::Anything,
        ..ROW
    },
    Row {
        name: "amplitude",
        script: "https://cdn.amplitude.com/script/{key}.js",
        sources: &[
            (Script, &["https://cdn.amplitude.com"]),
            (Connect, &["https://*.amplitude.com"]),
        ],
        ..ROW
    },
    Row {
        name: "clarity",
        script: "https://www.clarity.ms/tag/{id}",
        sources: &[
            (Script, &["https://*.clarity.ms"]),
            (Connect, &["https://*.clarity.ms", "https://c.bing.com"]),
            (Image, &["https://*.clarity.ms", "https://c.bing.com"]),
        ],
        ..ROW
    },
    Row {
        name: "fathom",
        script: "https://cdn.usefathom.com/script.js",
        // `auto`: it counts pages that are shown by the History API, too.
        attributes: &[("data-site", "{id}"), ("data-spa", "auto")],
        sources: &[
            (Connect, &["https://cdn.usefathom.com"]),
            (Image, &["https://cdn.usefathom.com"]),
        ],
        ..ROW
    },
    Row {
        name: "frontchat",
        script: "https://chat-assets.frontapp.com/v1/chat.bundle.js",
        sources: &[
            (Script, &["https://*.frontapp.com"]),
            (Connect, &["https://*.frontapp.com", "wss://*.frontapp.com"]),
            (Image, &["https://*.frontapp.com"]),
            (Frame, &["https://*.frontapp.com"]),
            (Style, &["https://*.frontapp.com"]),
            (Font, &["https://*.frontapp.com"]),
        ],
        ..ROW
    },
    Row {
        name: "ga4",
        script: "https://www.googletagmanager.com/gtag/js?id={id}",
        sources: &[
            (Script, &["https://*.googletagmanager.com"]),
            (
                Connect,
                &[
                    "https://*.google-analytics.com",
                    "https://*.analytics.google.com",
                    "https://*.googletagmanager.com",
                    // With Google Signals.
                    "https://*.g.doubleclick.net",
                    "https://*.google.com",
                ],
            ),
            (
                Image,
                &[
                    "https://*.google-analytics.com",
                    "https://*.googletagmanager.com",
                ],
            ),
        ],
        ..ROW
    },
    Row {
        name: "gtm",
        script: "https://www.googletagmanager.com/gtm.js?id={id}",
        sources: &[
            (Script, &["https://*.googletagmanager.com"]),
            (
                Connect,
                &[
                    "https://*.googletagmanager.com",
                    "https://*.google-analytics.com",
                ],
            ),
            (
                Image,
                &[
                    "https://*.googletagmanager.com",
                    "https://*.google-analytics.com",
                ],
            ),
        ],
        runs: Runs::Anything,
        ..ROW
    },
    Row {
        name: "heap",
        script: "https://cdn.us.heap-api.com/config/{id}/heap_config.js",
        sources: &[
            (
                Script,
                &["https://cdn.us.heap-api.com", "https://heapanalytics.com"],
            ),
            (
                Connect,
                &["https://*.heap-api.com", "https://heapanalytics.com"],
            ),
            (Image, &["https://heapanalytics.com"]),
            (Style, &["https://heapanalytics.com"]),
            (Font, &["https://heapanalytics.com"]),
        ],
        ..ROW
    },
    Row {
        name: "hightouch",
        script: "https://cdn.hightouch-events.com/browser/release/v1-latest/events.min.js",
        sources: &[
            (Script, &["https://cdn.hightouch-events.com"]),
            (
                Connect,
                &["https://cdn.hightouch-events.com", "https://{host}"],
            ),
        ],
        ..ROW
    },
    Row {
        name: "hotjar",
        script: "https://static.hotjar.com/c/hotjar-{id}.js?sv={version}",
        sources: &[
            (Script, &["https://*.hotjar.com"]),
            (
                Connect,
                &[
                    "https://*.hotjar.com",
                    "https://*.hotjar.io",
                    "wss://*.hotjar.com",
                ],
            ),
            (Image, &["https://*.hotjar.com"]),
            (Frame, &["https://*.hotjar.com"]),
            (Style, &["https://*.hotjar.com"]),
            (Font, &["https://*.hotjar.com"]),
        ],
        ..ROW
    },
    Row {
        name: "intercom",
        script: "https://widget.intercom.io/widget/{id}",
        sources: &[
            (
                Script,
                &["https://*.intercom.io", "https://js.intercomcdn.com"],
            ),
            (
                Connect,
                &[
                    "https://*.intercom.io",
                    "wss://*.intercom.io",
                    "https://*.intercomcdn.com",
                    "https://*.intercomusercontent.com",
                ],
            ),
            (
                Image,
                &[
                    "https://*.intercom.io",
                    "https://*.intercomcdn.com",
                    "https://*.intercomassets.com",
                    "https://*.intercomusercontent.com",
                ],
            ),
            (
                Frame,
                &["https://*.intercom.io", "https://intercom-sheets.com"],
            ),
            (
                Font,
                &[
                    "https://js.intercomcdn.com",
                    "https://fonts.intercomcdn.com",
                ],
            ),
        ],
        ..ROW
    },
    Row {
        name: "logrocket",
        script: "https://cdn.logrocket.io/LogRocket.min.js",
        attributes: &[("crossorigin", "anonymous")],
        sources: &[
            (
                Script,
                &[
                    "https://cdn.logrocket.io",
                    "https://cdn.lr-ingest.io",
                    "https://cdn.lr-in.com",
                ],
            ),
            (
                Connect,
                &[
                    "https://*.logrocket.io",
                    "https://*.lr-ingest.io",
                    "https://*.logrocket.com",
                    "https://*.lr-in.com",
                ],
            ),
        ],
        ..ROW
    },
    Row {
        name: "mixpanel",
        script: "https://cdn.mxpnl.com/libs/mixpanel-2-latest.min.js",
        sources: &[(Script, &["https://cdn.mxpnl.com"]), (Connect, &["{host}"])],
        ..ROW
    },
    Row {
        name: "pirsch",
        script: "https://api.pirsch.io/pa.js",
        // The id is how the script finds its own element.
        attributes: &[("id", "pianjs"), ("data-code", "{id}")],
        sources: &[(Connect, &["https://api.pirsch.io"])],
        ..ROW
    },
    Row {
        name: "plausible",
        script: "https://{server}/js/script.js",
        attributes: &[("data-domain", "{domain}")],
        sources: &[(Connect, &["https://{server}"])],
        ..ROW
    },
    Row {
        name: "posthog",
        script: "{assets}/static/array.js",
        attributes: &[("crossorigin", "anonymous")],
        sources: &[
            (Script, &["{host}"]),
            (Connect, &["{host}", "{assets}"]),
            (Image, &["{host}"]),
            (Style, &["{assets}"]),
            (Font, &["{assets}"]),
        ],
        ..ROW
    },
    Row {
        name: "segment",
        script: "{cdn}/analytics.js/v1/{key}/analytics.min.js",
        sources: &[
            (Script, &["https://cdn.segment.com"]),
            (
                Connect,
                &["{cdn}", "https://cdn.segment.com", "https://api.segment.io"],
            ),
        ],
        // The destinations that its customer has connected run in the browser, too.
        runs: Runs::Anything,
        ..ROW
    },
];

/// A service that a site names, with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vendor {
    name: &'static str,
    values: Vec<(&'static str, String)>,
}

impl Vendor {
    /// The service called `name` with `values`, which contain only characters that are safe in a
    /// URL.
    ///
    /// # Panics
    ///
    /// If the table has no such service: names are written in the code that asks.
    pub fn new(name: &'static str, values: Vec<(&'static str, String)>) -> Self {
        let vendor = Self { name, values };
        vendor.row();
        vendor
    }

    fn row(&self) -> &'static Row {
        let row = VENDORS.iter().find(|row| row.name == self.name);
        row.expect("names of services are those of VENDORS")
    }

    /// `template` with the values in their places.
    fn fill(&self, template: &str) -> String {
        let mut text = template.to_owned();
        for (name, value) in &self.values {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    }

    /// Address of its script.
    pub fn script(&self) -> String {
        self.fill(self.row().script)
    }

    fn sources(&self, directive: Directive) -> Vec<String> {
        let row = self.row();
        let listed = row.sources.iter().filter(|(of, _)| *of == directive);
        let listed = listed.flat_map(|(_, sources)| sources.iter());
        let mut sources: Vec<String> = listed.map(|source| origin(&self.fill(source))).collect();
        if directive == Script {
            sources.push(origin(&self.script()));
        }
        sources
    }

    /// Returns the configuration of the service for the script of a page.
    fn client_config(&self) -> Value {
        let row = self.row();
        let mut config = Map::new();
        config.insert("name".to_owned(), self.name.into());
        config.insert("src".to_owned(), self.script().into());
        if row.asks_consent {
            config.insert("asks".to_owned(), true.into());
        }
        if !row.attributes.is_empty() {
            let attributes = row.attributes.iter();
            let attributes =
                attributes.map(|(name, value)| ((*name).to_owned(), Value::from(self.fill(value))));
            config.insert("set".to_owned(), attributes.collect::<Map<_, _>>().into());
        }
        for (name, value) in &self.values {
            config.insert((*name).to_owned(), value.clone().into());
        }
        config.into()
    }
}

/// The origin of an address: what stands before its path.
fn origin(address: &str) -> String {
    let after = address.find("://").map_or(0, |at| at + 3);
    let end = address[after..]
        .find('/')
        .map_or(address.len(), |at| after + at);
    address[..end].to_owned()
}

/// Storage key or cookie that records the consent of a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Name.
    pub key: String,
    /// The value that means yes; any value if there is none.
    pub value: Option<String>,
}

/// Configuration in a page of the services that it loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VendorsView {
    /// JSON that is safe in a script.
    pub client_config: String,
    /// Address of the script that loads them.
    pub script: String,
}

/// Configuration of `vendors` and of their `gate` for a page, as JSON for a script.
pub fn client_config(vendors: &[Vendor], gate: Option<&Gate>) -> String {
    let mut config =
        json!({ "vendors": vendors.iter().map(Vendor::client_config).collect::<Vec<_>>() });
    if let Some(gate) = gate {
        config["gate"] = json!({ "key": gate.key, "value": gate.value });
    }
    script_json(&config.to_string())
}

/// Renders what the page says, and the script that reads it. A script without code: only the file
/// of the theme runs.
pub fn vendors_meta(view: &VendorsView) -> Markup {
    html! {
        script type="application/json" id="quire-vendors" { (PreEscaped(&view.client_config)) }
        script src=(view.script) defer {}
    }
}

/// The inline scripts of a page as a policy names them: SHA-256 of [`crate::assets::ANTI_FLASH`] and of [`crate::ask::DOCK`].
pub const INLINE_SCRIPTS: [&str; 2] = [
    "'sha256-HjIaw/uGACNQgv++94hbqTEOePBU6SSLvdCSCTE/jQE='",
    "'sha256-QXV9yzAhmeXnTBWNcR4iTPbbwDOfUB2WuRXvgXYYPdY='",
];

/// Needs of a site besides the services, which a policy must allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Scripts that its author wrote, which load and run whatever they like.
    pub own_scripts: bool,
    /// Components that run in the browser: they may load scripts, and none of them is text of the page.
    pub components: bool,
    /// Requests to the documented APIs, from the playground.
    pub api_requests: bool,
    /// Addresses that scripts of the page ask for: numbers of other services.
    pub asked: Vec<String>,
    /// Folders of the scripts that may run, as paths that end with `/`, where the rest of the origin holds what strangers wrote:
    /// then nothing is sent to anywhere else, and no form is sent at all. Empty where the whole origin is trusted.
    pub script_folders: Vec<String>,
}

/// Host of the server in [`policy`], for [`at_host`]: a source with a path needs a host, which only a request knows.
const HOST: &str = "{host}";

/// Returns `policy` for a page requested at `authority` (host and port).
pub fn at_host<'p>(policy: &'p str, authority: &str) -> Cow<'p, str> {
    if !policy.contains(HOST) {
        return Cow::Borrowed(policy);
    }
    let is_plain = |sign: u8| sign.is_ascii_alphanumeric() || b".:-_[]".contains(&sign);
    Cow::Owned(match authority.bytes().all(is_plain) {
        true => policy.replace(HOST, authority),
        // Nothing is at this name (RFC 6761, 6.4).
        false => policy.replace(HOST, "host.invalid"),
    })
}

/// The Content-Security-Policy of a page that loads `vendors`.
///
/// What runs is named: the files of the site, our inline scripts, the services. Pictures, media, frames, styles and typefaces may
/// come from anywhere, as the pages of an author embed them from anywhere; the services are named there all the same, so that the
/// policy can be made narrower without another look at the table.
pub fn policy(vendors: &[Vendor], needs: &Needs) -> String {
    let runs_anything = needs.own_scripts
        || vendors
            .iter()
            .any(|vendor| vendor.row().runs == Runs::Anything);
    let is_trusted = needs.script_folders.is_empty();
    let folders = needs.script_folders.iter();
    let folders: Vec<String> = folders.map(|folder| format!("{HOST}{folder}")).collect();
    let mut files: Vec<&str> = folders.iter().map(String::as_str).collect();
    if is_trusted {
        files.push("'self'");
    }
    // A hash would make browsers ignore `'unsafe-inline'`.
    let scripts: Vec<&str> = match runs_anything {
        true => vec!["'self'", "https:", "'unsafe-inline'", "'unsafe-eval'"],
        // A component may load what it shows from elsewhere.
        false if needs.components => [&*files, &["https:"], &INLINE_SCRIPTS].concat(),
        false => [&*files, &INLINE_SCRIPTS].concat(),
    };
    // An API may be used without encryption, if its specification says so; third-party scripts may
    // not.
    let connects: &[&str] = match (needs.api_requests, runs_anything) {
        _ if !is_trusted => &["'self'"],
        (true, _) => &["'self'", "https:", "http:", "wss:"],
        (false, true) => &["'self'", "https:", "wss:"],
        (false, false) => &["'self'"],
    };
    let lists: [(&str, Directive, &[&str]); 6] = [
        ("script-src", Script, &scripts),
        ("connect-src", Connect, connects),
        ("img-src", Image, &["*", "data:", "blob:"]),
        ("frame-src", Frame, &["*", "data:", "blob:"]),
        ("style-src", Style, &["*", "'unsafe-inline'"]),
        ("font-src", Font, &["*", "data:"]),
    ];
    let mut policy = "default-src 'self'; object-src 'none'; media-src * data: blob:".to_owned();
    policy.push_str(match is_trusted {
        true => "; base-uri 'self'; worker-src 'self' blob:",
        false => "; base-uri 'none'; worker-src 'none'; form-action 'none'",
    });
    for (name, directive, first) in lists {
        let mut sources: BTreeSet<String> = vendors
            .iter()
            .flat_map(|vendor| vendor.sources(directive))
            .collect();
        if directive == Connect {
            sources.extend(needs.asked.iter().map(|address| origin(address)));
        }
        policy.push_str("; ");
        policy.push_str(name);
        for source in first
            .iter()
            .copied()
            .chain(sources.iter().map(String::as_str))
        {
            policy.push(' ');
            policy.push_str(source);
        }
    }
    policy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vendor(name: &'static str, values: &[(&'static str, &str)]) -> Vendor {
        Vendor::new(
            name,
            values
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect(),
        )
    }

    /// The sources of `name` in a policy.
    fn of<'a>(policy: &'a str, name: &str) -> Vec<&'a str> {
        let mut lists = policy.split("; ").map(|list| list.split(' '));
        let mut found = lists
            .find(|list| list.clone().next() == Some(name))
            .expect("the directive");
        found.next();
        found.collect()
    }

    #[test]
    fn scripts_are_asked_for_where_their_vendors_say() {
        for (vendor, script) in [
            (
                vendor("ga4", &[("id", "G-1")]),
                "https://www.googletagmanager.com/gtag/js?id=G-1",
            ),
            (
                vendor(
                    "plausible",
                    &[("domain", "a.example"), ("server", "plausible.io")],
                ),
                "https://plausible.io/js/script.js",
            ),
            (
                vendor("hotjar", &[("id", "7"), ("version", "6")]),
                "https://static.hotjar.com/c/hotjar-7.js?sv=6",
            ),
            (
                vendor("adobe", &[("script", "https://a.example/launch.js")]),
                "https://a.example/launch.js",
            ),
        ] {
            assert_eq!(vendor.script(), script);
        }
    }

    #[test]
    fn what_is_told_ends_no_script() {
        let gate = Gate {
            key: "</script><b>".to_owned(),
            value: Some("\u{2028}&".to_owned()),
        };
        let config = client_config(&[vendor("fathom", &[("id", "ABC")])], Some(&gate));
        assert!(!config.contains(['<', '>', '&', '\u{2028}']), "{config}");
        let read: Value = serde_json::from_str(&config).unwrap();
        assert_eq!(read["gate"]["key"], "</script><b>");
        assert_eq!(
            read["vendors"][0]["set"],
            json!({ "data-site": "ABC", "data-spa": "auto" })
        );
    }

    #[test]
    fn policy_of_strangers_allows_scripts_of_the_theme_alone() {
        let needs = Needs {
            script_folders: vec!["/docs/_theme/".to_owned()],
            api_requests: true,
            ..Needs::default()
        };
        let policy = policy(&[], &needs);
        let policy_at_host = at_host(&policy, "abc--docs.example:8080");
        let scripts = [
            "abc--docs.example:8080/docs/_theme/",
            INLINE_SCRIPTS[0],
            INLINE_SCRIPTS[1],
        ];
        assert_eq!(of(&policy_at_host, "script-src"), scripts);
        assert_eq!(of(&policy_at_host, "connect-src"), ["'self'"]);
        for name in ["form-action", "base-uri", "object-src", "worker-src"] {
            assert_eq!(of(&policy_at_host, name), ["'none'"], "{name}");
        }
        // What is no host ends no directive.
        let policy_at_host = at_host(&policy, "a.example; img-src b.example");
        assert_eq!(
            of(&policy_at_host, "script-src")[0],
            "host.invalid/docs/_theme/"
        );
        let own = super::policy(&[], &Needs::default());
        assert_eq!(at_host(&own, "a.example"), own);
    }

    #[test]
    fn a_policy_names_each_service_and_no_other() {
        let both = [
            vendor("ga4", &[("id", "G-1")]),
            vendor(
                "posthog",
                &[
                    ("host", "https://ph.example"),
                    ("assets", "https://ph.example"),
                ],
            ),
        ];
        let strict = policy(&both, &Needs::default());
        assert_eq!(
            of(&strict, "script-src"),
            [
                "'self'",
                INLINE_SCRIPTS[0],
                INLINE_SCRIPTS[1],
                "https://*.googletagmanager.com",
                "https://ph.example",
                "https://www.googletagmanager.com"
            ]
        );
        assert!(of(&strict, "connect-src").contains(&"https://ph.example"));
        assert!(!of(&strict, "connect-src").contains(&"https:"));
        assert!(!strict.contains("'unsafe-eval'") && !strict.contains("hotjar"));
        let needs = Needs {
            asked: vec!["https://numbers.example/a?b".to_owned()],
            ..Needs::default()
        };
        let with_numbers = policy(&both, &needs);
        let connects = of(&with_numbers, "connect-src");
        assert!(connects.contains(&"https://numbers.example") && !connects.contains(&"https:"));
        let needs = Needs {
            api_requests: true,
            ..Needs::default()
        };
        let with_api = policy(&both, &needs);
        assert!(of(&with_api, "connect-src").contains(&"https:"));
        assert!(!of(&with_api, "script-src").contains(&"https:"));
    }

    #[test]
    fn scripts_of_the_author_and_managers_of_tags_run_what_they_like() {
        let own = Needs {
            own_scripts: true,
            ..Needs::default()
        };
        for policy in [
            policy(&[vendor("ga4", &[("id", "G-1")])], &own),
            policy(&[vendor("gtm", &[("id", "GTM-1")])], &Needs::default()),
        ] {
            let scripts = of(&policy, "script-src");
            assert!(
                scripts.contains(&"'unsafe-inline'") && scripts.contains(&"https:"),
                "{policy}"
            );
            assert!(!policy.contains("sha256"), "{policy}");
        }
    }

    #[test]
    fn every_row_is_whole() {
        for row in VENDORS {
            assert!(
                row.script.starts_with("https://") || row.script.starts_with('{'),
                "{}",
                row.name
            );
            for (_, sources) in row.sources {
                for source in *sources {
                    let is_address = ["https://", "wss://", "{"]
                        .iter()
                        .any(|start| source.starts_with(start));
                    assert!(
                        is_address && !source.contains([' ', ';', '\'']),
                        "{}: {source}",
                        row.name
                    );
                }
            }
        }
        let mut names: Vec<_> = VENDORS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VENDORS.len());
    }
}
