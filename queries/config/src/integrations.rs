//! Services of others that the site reports to. Only their settings: how they are loaded is the table of the theme
//! (`vendors.rs`). A value that could mean something else where it is put is reported, and the service is not loaded: neither with
//! the value nor without it, as what is sent would go to another server.

use serde_json::Value;

use crate::decode::{Decode, Log, Node, record, words};

/// Defines string types whose values need no escaping in a URL, an HTML attribute or JSON. Each
/// type has the error message for other values and a predicate for its characters. A JSON number is
/// accepted and converted to a string.
macro_rules! checked {
    ($($(#[$meta:meta])* $name:ident = $expected:literal, $is_valid:expr;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            /// The value as it is written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Decode for $name {
            fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
                let text = match node.value {
                    Value::String(text) => text.clone(),
                    Value::Number(number) => number.to_string(),
                    _ => String::new(),
                };
                let is_valid: fn(&str) -> bool = $is_valid;
                if text.len() > MAX_VALUE_BYTES || !is_valid(&text) {
                    node.reject(log, $expected);
                    return None;
                }
                Some(Self(text))
            }
        }
    )+};
}

/// Maximum length of a value, in bytes.
const MAX_VALUE_BYTES: usize = 500;

checked! {
    /// An identifier or a key: letters, digits, `-` and `_`.
    Token = "an identifier of letters, digits, `-` and `_`", is_token;
    /// The identifier of a Google tag: `G-…`, `GTM-…`.
    GoogleId = "a text that begins with `G`, of letters, digits and `-`",
        |text| text.starts_with('G') && is_token(text) && !text.contains('_');
    /// The key of a PostHog project.
    PosthogKey = "a text that begins with `phc_`, of letters, digits and `_`",
        |text| text.len() > 4 && text.starts_with("phc_") && is_token(text);
    /// The identifier of an application of LogRocket: `organization/application`.
    AppPath = "an identifier such as `organization/application`",
        |text| text.split('/').count() <= 2 && text.split('/').all(is_token);
    /// Names under which Plausible counts: hosts, perhaps with a path, with commas between them.
    CountedNames = "the name of a site such as `docs.example.com`, without `https://`",
        |text| text.split(',').all(|name| {
            let (host, path) = name.split_once('/').unwrap_or((name, "a"));
            is_host(host) && path.split('/').all(is_host)
        });
    /// A host, perhaps with a port.
    Host = "a host such as `events.example.com`, without `https://`",
        |text| is_authority(text);
    /// The address of a server: `https://` and what follows, without a query.
    Address = "an address that begins with `https://`, of letters, digits and `-._~/`",
        |text| text.strip_prefix("https://").is_some_and(|rest| {
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            is_authority(authority) && is_path(path)
        });
    /// A short text for people, which is only ever compared.
    Label = "a text of at most 500 bytes without control characters",
        |text| !text.is_empty() && !text.chars().any(char::is_control);
}

impl Address {
    /// Scheme, host and port.
    pub fn origin(&self) -> &str {
        let path = self.0["https://".len()..].find('/');
        path.map_or(&self.0, |at| &self.0[..at + "https://".len()])
    }
}

fn is_token(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    !text.is_empty() && text.bytes().all(is_plain)
}

fn is_host(text: &str) -> bool {
    text.split('.').all(is_token)
}

fn is_authority(text: &str) -> bool {
    let (host, port) = text.split_once(':').unwrap_or((text, "443"));
    is_host(host) && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// Returns true if `text` is a path without empty segments (but the last) and without `..`.
fn is_path(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let is_odd = |segment: &str| matches!(segment, "." | "..");
    text.bytes().all(is_plain) && !text.split('/').any(is_odd) && !text.contains("//")
}

/// Defines the settings of a service that has only one.
macro_rules! single {
    ($($(#[$meta:meta])* $name:ident { $field:ident: $type:ty = $key:literal })+) => {$(
        record! {
            $(#[$meta])*
            pub struct $name {
                /// The only setting.
                pub $field: $type = required $key,
            }
        }
    )+};
}

single! {
    /// Adobe Analytics.
    Adobe { launch_url: Address = "launchUrl" }
    /// Amplitude.
    Amplitude { api_key: Token = "apiKey" }
    /// Microsoft Clarity.
    Clarity { project_id: Token = "projectId" }
    /// Clearbit.
    Clearbit { public_api_key: Token = "publicApiKey" }
    /// Fathom.
    Fathom { site_id: Token = "siteId" }
    /// Google Analytics 4.
    Ga4 { measurement_id: GoogleId = "measurementId" }
    /// Google Tag Manager.
    Gtm { tag_id: GoogleId = "tagId" }
    /// Heap.
    Heap { app_id: Token = "appId" }
    /// Intercom.
    Intercom { app_id: Token = "appId" }
    /// Koala.
    Koala { public_api_key: Token = "publicApiKey" }
    /// LogRocket.
    LogRocket { app_id: AppPath = "appId" }
    /// Pirsch.
    Pirsch { id: Token = "id" }
    /// Our own counts of readers; off also turns feedback off.
    Telemetry { enabled: bool = "enabled" }
}

/// Front Chat, by the identifier of its snippet, which may stand alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontChat(pub Token);

impl Decode for FrontChat {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        if node.value.is_string() {
            return Token::decode(node, log).map(Self);
        }
        let mut fields = node.fields(log)?;
        let id = fields.required("snippetId");
        fields.finish();
        id.map(Self)
    }
}

record! {
    /// Hightouch.
    pub struct Hightouch {
        /// The key.
        pub write_key: Token = required "writeKey",
        /// The host.
        pub api_host: Option<Host> = strict "apiHost",
    }
}

record! {
    /// Hotjar.
    pub struct Hotjar {
        /// The site.
        pub hjid: Token = required "hjid",
        /// The version of the snippet.
        pub hjsv: Token = required "hjsv",
    }
}

words! {
    /// Region where Mixpanel stores its data.
    pub enum MixpanelRegion { Us = "us", Eu = "eu", In = "in" }
}

record! {
    /// Mixpanel.
    pub struct Mixpanel {
        /// The token.
        pub project_token: Token = required "projectToken",
        /// Region of the data.
        pub region: Option<MixpanelRegion> = strict "region",
    }
}

record! {
    /// OneTrust.
    pub struct OneTrust {
        /// The script.
        pub domain_script: Token = required "domainScript",
        /// The category.
        pub category_id: Option<Token> = strict "categoryId",
        /// The source of the script.
        pub script_source: Option<Address> = strict "scriptSource",
    }
}

record! {
    /// Plausible.
    pub struct Plausible {
        /// The domain.
        pub domain: CountedNames = required "domain",
        /// The server.
        pub server: Option<Host> = strict "server",
    }
}

record! {
    /// PostHog.
    pub struct Posthog {
        /// The key.
        pub api_key: PosthogKey = required "apiKey",
        /// The host.
        pub api_host: Option<Address> = strict "apiHost",
        /// Whether sessions are recorded.
        pub session_recording: Option<bool> = optional "sessionRecording",
    }
}

record! {
    /// Segment.
    pub struct Segment {
        /// The key.
        pub key: Token = required "key",
        /// The host of the script.
        pub cdn_url: Option<Address> = strict "cdnUrl",
    }
}

record! {
    /// Storage key or cookie that records the consent of a reader.
    pub struct Cookies {
        /// Name.
        pub key: Label = required "key",
        /// Value when the reader agreed.
        pub value: Option<Label> = strict "value",
    }
}

record! {
    /// Transcend.
    pub struct Transcend {
        /// The bundle.
        pub bundle_id: Token = required "bundleId",
        /// The purpose.
        pub analytics_purpose: Option<Label> = strict "analyticsPurpose",
    }
}

/// A setting on which the consent of readers rests: one that cannot be read is not the same as none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readable<T>(pub Option<T>);

impl<T: Decode> Decode for Readable<T> {
    fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
        Some(Self(T::decode(node, log)))
    }
}

record! {
    /// Services of others that the site reports to.
    pub struct Integrations: Default {
        /// Adobe Analytics.
        pub adobe: Option<Adobe> = optional "adobe",
        /// Amplitude.
        pub amplitude: Option<Amplitude> = optional "amplitude",
        /// Microsoft Clarity.
        pub clarity: Option<Clarity> = optional "clarity",
        /// Clearbit.
        pub clearbit: Option<Clearbit> = optional "clearbit",
        /// Fathom.
        pub fathom: Option<Fathom> = optional "fathom",
        /// Front Chat.
        pub frontchat: Option<FrontChat> = optional "frontchat",
        /// Google Analytics 4.
        pub ga4: Option<Ga4> = optional "ga4",
        /// Google Tag Manager.
        pub gtm: Option<Gtm> = optional "gtm",
        /// Heap.
        pub heap: Option<Heap> = optional "heap",
        /// Hightouch.
        pub hightouch: Option<Hightouch> = optional "hightouch",
        /// Hotjar.
        pub hotjar: Option<Hotjar> = optional "hotjar",
        /// Intercom.
        pub intercom: Option<Intercom> = optional "intercom",
        /// Koala.
        pub koala: Option<Koala> = optional "koala",
        /// LogRocket.
        pub logrocket: Option<LogRocket> = optional "logrocket",
        /// Mixpanel.
        pub mixpanel: Option<Mixpanel> = optional "mixpanel",
        /// OneTrust.
        pub onetrust: Option<Readable<OneTrust>> = optional "onetrust",
        /// Pirsch.
        pub pirsch: Option<Pirsch> = optional "pirsch",
        /// Plausible.
        pub plausible: Option<Plausible> = optional "plausible",
        /// PostHog.
        pub posthog: Option<Posthog> = optional "posthog",
        /// Segment.
        pub segment: Option<Segment> = optional "segment",
        /// Our own counts of readers.
        pub telemetry: Option<Telemetry> = optional "telemetry",
        /// Storage key or cookie that records the consent of a reader.
        pub cookies: Option<Readable<Cookies>> = optional "cookies",
        /// Transcend.
        pub transcend: Option<Readable<Transcend>> = optional "transcend",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_where_they_are_put() {
        for text in [
            "", "a b", "a\"b", "a/b", "a&b", "<", "é", "a;b", "a,b", "a\n", "*",
        ] {
            assert!(!is_token(text), "{text}");
        }
        assert!(is_token("phc_aB-9"));
        for text in [
            "",
            ".",
            "a..b",
            "a.b:",
            "a.b:x",
            "a.b:99999",
            "a.b:0",
            "a b",
            "user@a.b",
            "a.b/c",
        ] {
            assert!(!is_authority(text), "{text}");
        }
        assert!(is_authority("events.example.com") && is_authority("localhost:8080"));
        for text in [
            "../a", "a/../b", "a//b", "a?b", "a#b", "a%2e", "a b", "a;b", "a'",
        ] {
            assert!(!is_path(text), "{text}");
        }
        assert!(is_path("") && is_path("a/b.min.js") && is_path("a/"));
    }

    #[test]
    fn an_address_has_an_origin() {
        let origin = |text: &str| Address(text.to_owned()).origin().to_owned();
        assert_eq!(
            origin("https://a.example:8443/b/c.js"),
            "https://a.example:8443"
        );
        assert_eq!(origin("https://a.example"), "https://a.example");
    }
}
