//! Services of others that the site reports to. Only their settings: what is drawn for them is the page frame's.

use crate::decode::{Decode, Identifier, Log, Node, record, words};

/// Defines a text that begins with something.
macro_rules! prefixed {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal,)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub String);

        impl Decode for $name {
            fn decode(node: &Node<'_>, log: &mut Log<'_>) -> Option<Self> {
                let text = node.value.as_str().filter(|text| text.starts_with($prefix));
                if text.is_none() {
                    node.reject(log, concat!("a text that begins with `", $prefix, "`"));
                }
                text.map(|text| Self(text.to_owned()))
            }
        }
    )+};
}

prefixed! {
    /// The identifier of a Google tag.
    GoogleId = "G",
    /// The key of a PostHog project.
    PosthogKey = "phc_",
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
    Adobe { launch_url: String = "launchUrl" }
    /// Amplitude.
    Amplitude { api_key: String = "apiKey" }
    /// Microsoft Clarity.
    Clarity { project_id: Identifier = "projectId" }
    /// Clearbit.
    Clearbit { public_api_key: String = "publicApiKey" }
    /// Fathom.
    Fathom { site_id: Identifier = "siteId" }
    /// Front Chat.
    FrontChat { snippet_id: Identifier = "snippetId" }
    /// Google Analytics 4.
    Ga4 { measurement_id: GoogleId = "measurementId" }
    /// Google Tag Manager.
    Gtm { tag_id: GoogleId = "tagId" }
    /// Heap.
    Heap { app_id: Identifier = "appId" }
    /// Intercom.
    Intercom { app_id: Identifier = "appId" }
    /// Koala.
    Koala { public_api_key: String = "publicApiKey" }
    /// LogRocket.
    LogRocket { app_id: Identifier = "appId" }
    /// Pirsch.
    Pirsch { id: Identifier = "id" }
    /// Our own counting of readers; off also turns feedback off.
    Telemetry { enabled: bool = "enabled" }
}

record! {
    /// Hightouch.
    pub struct Hightouch {
        /// The key.
        pub write_key: String = required "writeKey",
        /// The host.
        pub api_host: Option<String> = optional "apiHost",
    }
}

record! {
    /// Hotjar.
    pub struct Hotjar {
        /// The site.
        pub hjid: Identifier = required "hjid",
        /// The version of the snippet.
        pub hjsv: Identifier = required "hjsv",
    }
}

words! {
    /// Where Mixpanel stores its data.
    pub enum MixpanelRegion { Us = "us", Eu = "eu", In = "in" }
}

record! {
    /// Mixpanel.
    pub struct Mixpanel {
        /// The token.
        pub project_token: String = required "projectToken",
        /// Where the data is stored.
        pub region: MixpanelRegion = standard "region",
    }
}

record! {
    /// OneTrust.
    pub struct OneTrust {
        /// The script.
        pub domain_script: Option<String> = optional "domainScript",
        /// The category.
        pub category_id: Option<Identifier> = optional "categoryId",
        /// The source of the script.
        pub script_source: Option<String> = optional "scriptSource",
    }
}

record! {
    /// Plausible.
    pub struct Plausible {
        /// The domain.
        pub domain: String = required "domain",
        /// The server.
        pub server: Option<String> = optional "server",
    }
}

record! {
    /// PostHog.
    pub struct Posthog {
        /// The key.
        pub api_key: PosthogKey = required "apiKey",
        /// The host.
        pub api_host: Option<String> = optional "apiHost",
        /// Whether sessions are recorded.
        pub session_recording: Option<bool> = optional "sessionRecording",
    }
}

record! {
    /// Segment.
    pub struct Segment {
        /// The key.
        pub key: String = required "key",
        /// The host of the script.
        pub cdn_url: Option<String> = optional "cdnUrl",
    }
}

record! {
    /// The cookie that says whether a reader agreed.
    pub struct Cookies {
        /// Name.
        pub key: String = required "key",
        /// Value when the reader agreed.
        pub value: Option<Identifier> = optional "value",
    }
}

record! {
    /// Transcend.
    pub struct Transcend {
        /// The bundle.
        pub bundle_id: Identifier = required "bundleId",
        /// The purpose.
        pub analytics_purpose: Option<String> = optional "analyticsPurpose",
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
        pub onetrust: Option<OneTrust> = optional "onetrust",
        /// Pirsch.
        pub pirsch: Option<Pirsch> = optional "pirsch",
        /// Plausible.
        pub plausible: Option<Plausible> = optional "plausible",
        /// PostHog.
        pub posthog: Option<Posthog> = optional "posthog",
        /// Segment.
        pub segment: Option<Segment> = optional "segment",
        /// Our own counting of readers.
        pub telemetry: Option<Telemetry> = optional "telemetry",
        /// The cookie that says whether a reader agreed.
        pub cookies: Option<Cookies> = optional "cookies",
        /// Transcend.
        pub transcend: Option<Transcend> = optional "transcend",
    }
}
