//! The services of others that a published page loads, and the policy that it is under then.

use super::address::site_href;
use super::own::own_files;
use super::section::SIDEBARS;
use super::{PageOptions, frame_header, is_served};
use crate::body::page_body;
use crate::config::theme_config;
use crate::db::Db;
use crate::inputs::Site;
use crate::navigation::PageId;
use crate::relay::relay_origins;
use config::integrations::{Integrations, MixpanelRegion, Readable};
use theme::assets::asset_url;
use theme::document::Document;
use theme::vendors::{self, Gate, Needs, Vendor, VendorsView};

/// Default server of PostHog.
const POSTHOG: &str = "https://us.i.posthog.com";

/// The script of OneTrust, unless the site names another place of it.
const ONETRUST: &str = "https://cdn.cookielaw.org/scripttemplates/otSDKStub.js";

/// Adds to `document` the services that the site names, if `options` are those of a published site, and where it tells its counts.
pub(super) fn add_vendors(
    db: &dyn Db,
    site: Site,
    page: Option<PageId>,
    document: &mut Document,
    options: &PageOptions,
) {
    let integrations = &theme_config(db, site).integrations;
    let counts = options.counts.as_ref().filter(|_| is_counted(db, site));
    document.counts = counts.map(|to| [site_href(db, &asset_url("readers.js")), to.clone()]);
    let vendors = loaded(db, site, options.vendors && !options.is_untrusted);
    let is_sent = is_served(options);
    if is_sent || !vendors.is_empty() {
        document.policy = Some(vendors::policy(
            &vendors,
            &needs(db, site, page, &vendors, options.is_untrusted),
        ));
        document.is_policy_sent = is_sent;
    }
    if vendors.is_empty() {
        return;
    }
    let cookies = integrations.cookies.as_ref();
    let gate = (cookies.and_then(|cookies| cookies.0.as_ref())).map(|cookies| Gate {
        key: cookies.key.as_str().to_owned(),
        value: cookies
            .value
            .as_ref()
            .map(|value| value.as_str().to_owned()),
    });
    document.vendors = Some(VendorsView {
        client_config: vendors::client_config(&vendors, gate.as_ref()),
        script: site_href(db, &asset_url("vendors.js")),
    });
}

/// The Content-Security-Policy of a page that a server sends and that is none of the site's; `is_published` if it loads the
/// services of others that the site names, `is_untrusted` as in [`PageOptions`].
pub fn content_policy(db: &dyn Db, site: Site, is_published: bool, is_untrusted: bool) -> String {
    let vendors = loaded(db, site, is_published && !is_untrusted);
    vendors::policy(&vendors, &needs(db, site, None, &vendors, is_untrusted))
}

/// The services that pages load, if they load any.
fn loaded(db: &dyn Db, site: Site, is_published: bool) -> Vec<Vendor> {
    match is_published {
        true => vendors_of(&theme_config(db, site).integrations),
        false => Vec::new(),
    }
}

/// Returns true if the site loads third-party services.
pub(super) fn has_vendors(db: &dyn Db, site: Site) -> bool {
    !vendors_of(&theme_config(db, site).integrations).is_empty()
}

/// Returns true if the author allows counts of views and searches (`integrations.telemetry`).
pub fn is_counted(db: &dyn Db, site: Site) -> bool {
    let telemetry = &theme_config(db, site).integrations.telemetry;
    telemetry.as_ref().is_none_or(|telemetry| telemetry.enabled)
}

/// What the pages have besides: a policy stays while readers go from page to page, so most of it is about the whole site.
///
/// What pages may ask is narrow only where services could ask for it: without them no script runs but ours, and the origins of all
/// APIs would have to be looked at for each page.
fn needs(
    db: &dyn Db,
    site: Site,
    page: Option<PageId>,
    vendors: &[Vendor],
    is_untrusted: bool,
) -> Needs {
    let body = page.and_then(PageId::file).map(|file| page_body(db, file));
    let has_code = |html: &str| memchr::memmem::find(html.as_bytes(), b"<script").is_some();
    let components = !is_untrusted && body.is_some_and(|body| !body.islands.is_empty());
    Needs {
        own_scripts: !is_untrusted
            && (!own_files(db, site).scripts.is_empty()
                || body.is_some_and(|body| has_code(&body.html))),
        // What components of the site ask for is not known before they run.
        api_requests: vendors.is_empty() || !relay_origins(db, site).is_empty() || components,
        components,
        asked: frame_header(db, site).counts().map(str::to_owned).collect(),
        script_folders: match is_untrusted {
            true => ["/_theme", SIDEBARS.trim_end_matches('/')]
                .map(|folder| format!("{}/", site_href(db, folder)))
                .to_vec(),
            false => Vec::new(),
        },
    }
}

/// The services that a configuration names, those that ask for consent first. None where it cannot be read what readers have to
/// agree to.
fn vendors_of(all: &Integrations) -> Vec<Vendor> {
    let is_lost = [
        all.onetrust.as_ref().is_some_and(|it| it.0.is_none()),
        all.transcend.as_ref().is_some_and(|it| it.0.is_none()),
        all.cookies.as_ref().is_some_and(|it| it.0.is_none()),
    ];
    if is_lost.contains(&true) {
        return Vec::new();
    }
    let mut vendors = Vec::new();
    let mut add = |name, values: &[(&'static str, &str)]| {
        let values = values
            .iter()
            .map(|(key, value)| (*key, (*value).to_owned()));
        vendors.push(Vendor::new(name, values.collect()));
    };
    if let Some(Readable(Some(onetrust))) = &all.onetrust {
        let script = onetrust.script_source.as_ref();
        let script = script.map_or(ONETRUST, |script| script.as_str());
        let domain = onetrust.domain_script.as_str();
        let category = onetrust.category_id.as_ref();
        let mut values = vec![("script", script), ("domain", domain)];
        values.extend(category.map(|category| ("category", category.as_str())));
        add("onetrust", &values);
    }
    if let Some(Readable(Some(transcend))) = &all.transcend {
        let purpose = transcend.analytics_purpose.as_ref();
        let purpose = purpose.map_or("Analytics", |purpose| purpose.as_str());
        let bundle = transcend.bundle_id.as_str();
        add("transcend", &[("bundle", bundle), ("purpose", purpose)]);
    }
    if let Some(adobe) = &all.adobe {
        add("adobe", &[("script", adobe.launch_url.as_str())]);
    }
    if let Some(amplitude) = &all.amplitude {
        add("amplitude", &[("key", amplitude.api_key.as_str())]);
    }
    if let Some(clarity) = &all.clarity {
        add("clarity", &[("id", clarity.project_id.as_str())]);
    }
    if let Some(fathom) = &all.fathom {
        add("fathom", &[("id", fathom.site_id.as_str())]);
    }
    if let Some(frontchat) = &all.frontchat {
        add("frontchat", &[("id", frontchat.0.as_str())]);
    }
    if let Some(ga4) = &all.ga4 {
        add("ga4", &[("id", ga4.measurement_id.as_str())]);
    }
    if let Some(gtm) = &all.gtm {
        add("gtm", &[("id", gtm.tag_id.as_str())]);
    }
    if let Some(heap) = &all.heap {
        add("heap", &[("id", heap.app_id.as_str())]);
    }
    if let Some(hightouch) = &all.hightouch {
        let host = hightouch.api_host.as_ref();
        let host = host.map_or("us-east-1.hightouch-events.com", |host| host.as_str());
        let key = hightouch.write_key.as_str();
        add("hightouch", &[("key", key), ("host", host)]);
    }
    if let Some(hotjar) = &all.hotjar {
        let (id, version) = (hotjar.hjid.as_str(), hotjar.hjsv.as_str());
        add("hotjar", &[("id", id), ("version", version)]);
    }
    if let Some(intercom) = &all.intercom {
        let host = "https://api-iam.intercom.io";
        add(
            "intercom",
            &[("id", intercom.app_id.as_str()), ("host", host)],
        );
    }
    if let Some(logrocket) = &all.logrocket {
        add("logrocket", &[("id", logrocket.app_id.as_str())]);
    }
    if let Some(mixpanel) = &all.mixpanel {
        let host = match mixpanel.region.unwrap_or_default() {
            MixpanelRegion::Us => "https://api-js.mixpanel.com",
            MixpanelRegion::Eu => "https://api-eu.mixpanel.com",
            MixpanelRegion::In => "https://api-in.mixpanel.com",
        };
        let key = mixpanel.project_token.as_str();
        add("mixpanel", &[("key", key), ("host", host)]);
    }
    if let Some(pirsch) = &all.pirsch {
        add("pirsch", &[("id", pirsch.id.as_str())]);
    }
    if let Some(plausible) = &all.plausible {
        let server = plausible.server.as_ref();
        let server = server.map_or("plausible.io", |server| server.as_str());
        let domain = plausible.domain.as_str();
        add("plausible", &[("domain", domain), ("server", server)]);
    }
    if let Some(posthog) = &all.posthog {
        let host = posthog.api_host.as_ref();
        let host = host.map_or(POSTHOG, |host| host.as_str().trim_end_matches('/'));
        let assets = host.replace(".i.posthog.com", "-assets.i.posthog.com");
        let recording = match posthog.session_recording {
            Some(true) => "yes",
            Some(false) | None => "no",
        };
        let key = posthog.api_key.as_str();
        let values = [
            ("key", key),
            ("host", host),
            ("assets", &assets),
            ("recording", recording),
        ];
        add("posthog", &values);
    }
    if let Some(segment) = &all.segment {
        let cdn = segment.cdn_url.as_ref();
        let cdn = cdn.map_or("https://cdn.segment.com", |cdn| {
            cdn.as_str().trim_end_matches('/')
        });
        add("segment", &[("key", segment.key.as_str()), ("cdn", cdn)]);
    }
    vendors
}
