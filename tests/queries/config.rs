//! The configuration: what is read, and the exact place of everything that is not.

use config::NodeKind;
use config::navigation::Child;
use expect_test::{Expect, expect};
use queries::config::{
    api_config, content_config, navigation_config, redirects, search_config, site_config,
    theme_config,
};
use queries::frame::{PageOptions, not_found_html};

use crate::support::{TestSite, shown};

/// The fields without which everything else would be about them.
fn docs(rest: &str) -> String {
    format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "navigation": {{}}, {rest}}}"##
    )
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: Expect) -> TestSite {
    let site = TestSite::new(files);
    expected.assert_eq(&shown(&site_config(&site.db, site.site).diagnostics));
    site
}

#[track_caller]
fn check_docs(rest: &str, expected: Expect) -> TestSite {
    check(&[("docs.json", &docs(rest))], expected)
}

#[test]
fn without_a_configuration_the_folders_are_the_navigation() {
    let site = check(
        &[("index.mdx", "# Museum")],
        expect![[r#"
            docs.json: info[derived-config] there is no `docs.json` in this folder: the navigation follows the folders
              `quire init` writes it, to be changed by hand
        "#]],
    );
    assert_eq!(theme_config(&site.db, site.site).name, "Museum");
}

#[test]
fn without_a_page_the_specification_is_the_navigation() {
    let specification = r#"{ "openapi": "3.1.0", "info": { "title": "Museum", "version": "1" } }"#;
    check(
        &[("openapi.json", specification)],
        expect![[r#"
            docs.json: info[derived-config] there is no `docs.json` in this folder: the navigation follows the specification
              `quire init` writes it, to be changed by hand
        "#]],
    );
}

#[test]
fn an_empty_folder_is_one_error() {
    let site = check(
        &[("notes.txt", "")],
        expect![[r#"
            docs.json: error[missing-config] there is no `docs.json` in this folder
              `quire init` writes one; without it a site needs Markdown files or a specification
        "#]],
    );
    assert_eq!(theme_config(&site.db, site.site).name, "Documentation");
}

#[test]
fn broken_json_is_one_error() {
    check(
        &[("docs.json", "{\n  \"name\": \"A\",\n}")],
        expect![[r#"
        docs.json:block 0, 2:0: error[invalid-json] not valid JSON: trailing comma
          look for a missing comma, quote or bracket at or just before this place
    "#]],
    );
}

#[test]
fn required_fields_are_asked_for_and_have_defaults() {
    let site = check(
        &[("docs.json", "{}")],
        expect![[r#"
        docs.json:: error[missing-field] the configuration needs `theme`
        docs.json:: error[missing-field] the configuration needs `name`
        docs.json:: error[missing-field] the configuration needs `colors.primary`
        docs.json:: error[missing-field] the configuration needs `navigation`
    "#]],
    );
    let theme = theme_config(&site.db, site.site);
    assert_eq!(theme.theme.word(), "mint");
    check(
        &[(
            "docs.json",
            r#"{"theme": "mint", "name": "A", "colors": {}, "navigation": {}}"#,
        )],
        expect![[r#"
            docs.json:/colors (key): error[missing-field] `colors` needs `primary`
        "#]],
    );
}

#[test]
fn wrong_types_are_errors_at_the_exact_value() {
    let site = check_docs(
        r##""favicon": 3, "appearance": {"default": "drak", "strict": true}, "logo": {"light": "/l.svg"},
            "navbar": {"links": [{"label": "A"}, {"label": "B", "href": "/b"}]}, "background": {"color": {"light": "#12345678"}}"##,
        expect![[r#"
            docs.json:/logo (key): error[missing-field] `logo` needs `dark`
            docs.json:/favicon: error[invalid-field] `favicon` must be a text, not the number `3`
            docs.json:/appearance/default: error[invalid-field] `default` must be one of `system`, `light`, `dark`, not `drak`
              did you mean `dark`?
            docs.json:/background/color/light: error[invalid-field] `light` must be a color such as `#0a7` or `#00aa77`, not `#12345678`
            docs.json:/navbar/links/0 (key): error[missing-field] `href` is missing here
        "#]],
    );
    let theme = theme_config(&site.db, site.site);
    assert!(theme.appearance.strict, "the rest of the object is used");
    assert_eq!(theme.navbar.links.len(), 1, "the other items are used");
    assert_eq!(theme.logo.as_ref().unwrap().image.dark, "/l.svg");
}

#[test]
fn unknown_fields_are_ignored_with_a_suggestion() {
    check_docs(
        r#""navgation": {}, "$comment": "", "x-mine": 1, "seo": {"metatag": {}}, "custom": {}"#,
        expect![[r#"
            docs.json:/seo/metatag (key): info[unknown-field] `metatag` is not known here and is ignored
              did you mean `metatags`?
            docs.json:/navgation (key): info[unknown-field] `navgation` is not known here and is ignored
            docs.json:/custom (key): info[unknown-field] `custom` is not known here and is ignored
        "#]],
    );
}

#[test]
fn a_reference_is_replaced_by_the_file() {
    let site = check(
        &[
            (
                "docs.json",
                r##"{"theme": "mint", "name": "A", "colors": {"$ref": "parts/colors.json", "dark": "#000"},
                "navigation": {"languages": [{"$ref": "./parts/en.json", "default": true}]},
                "redirects": {"$ref": "parts/redirects.json", "ignored": 1}}"##,
            ),
            (
                "parts/colors.json",
                r##"{"primary": "#0a7", "dark": "black", "light": "white"}"##,
            ),
            (
                "parts/en.json",
                r#"{"language": "en", "groups": [{"$ref": "group.json", "group": 4}]}"#,
            ),
            ("parts/group.json", r#"{"group": "G", "pages": ["a", 5]}"#),
            (
                "parts/redirects.json",
                r#"[{"source": "/a", "destination": "/b"}, {"source": "/a", "destination": "/c"}]"#,
            ),
        ],
        expect![[r#"
            parts/colors.json:/light: error[invalid-field] `light` must be a color such as `#0a7` or `#00aa77`, not `white`
            parts/en.json:/groups/0/group: error[invalid-field] `group` must be a text, not the number `4`
            parts/group.json:/pages/1: error[invalid-field] each item of `pages` must be the path of a page or a group, not the number `5`
            parts/redirects.json:/1/source: warning[duplicate-redirect] `/a` is redirected above; this one is never used
              remove one of the two
        "#]],
    );
    assert_eq!(redirects(&site.db, site.site).len(), 1);
    let navigation = navigation_config(&site.db, site.site);
    assert_eq!(navigation.children.len(), 1);
}

#[test]
fn references_that_cannot_be_followed_are_one_error_each() {
    check(
        &[
            (
                "docs.json",
                r##"{"theme": "mint", "name": "A", "colors": {"$ref": "nope.json"},
                "navigation": {"groups": [{"$ref": "a.json"}, {"$ref": "../out.json"}, {"$ref": 3}, {"$ref": "bad.json"}]}}"##,
            ),
            (
                "a.json",
                r#"{"group": "G", "pages": [{"$ref": "b.json"}, "x"]}"#,
            ),
            ("b.json", r#"{"$ref": "a.json"}"#),
            ("bad.json", "{"),
        ],
        expect![[r#"
            docs.json:/colors/$ref: error[missing-ref] there is no file `nope.json`
            b.json:/$ref: error[cyclic-ref] `a.json` leads back to itself
              break the circle of `$ref`s
            docs.json:/navigation/groups/1/$ref: error[missing-ref] `../out.json` is not a file of this folder
              only files below the folder of the configuration can be referenced
            docs.json:/navigation/groups/2/$ref: error[invalid-field] `$ref` must be the path of a JSON file
            bad.json:block 0, 0:0: error[invalid-json] not valid JSON: EOF while parsing an object
              look for a missing comma, quote or bracket at or just before this place
        "#]],
    );
}

#[test]
fn navigation_errors_have_their_place_and_keep_the_siblings() {
    let config = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "navigation": {
        "versions": [{"version": "1", "tabs": [{"tab": "A", "pages": ["a"], "groups": [{"group": "G", "pages": ["a"]}]}]}],
        "tabs": [{"tab": "Lost"}],
        "global": {"anchors": [{"anchor": "No link"}], "page": []}
    }}"##;
    check(
        &[("docs.json", config)],
        expect![[r#"
        docs.json:/navigation/global/anchors/0 (key): error[missing-field] `href` is missing here: a global element is a link
        docs.json:/navigation/global/page (key): info[unknown-field] `page` is not known here and is ignored
        docs.json:/navigation/versions/0/tabs/0/pages (key): warning[extra-children] `pages` is ignored here, because `groups` is used
          an element has children of one kind; remove `pages` or `groups`
        docs.json:/navigation/tabs (key): warning[extra-children] `tabs` is ignored here, because `versions` is used
          an element has children of one kind; remove `tabs` or `versions`
    "#]],
    );
    let config = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "navigation": {"groups": [
        {"group": "G", "pages": ["a", 3, {"tab": "T"}, {"sourceRef": "docs"}, {"pages": ["b"]}], "colapsed": true, "hidden": "yes"},
        "page", {"group": "H", "icon": 7, "pages": "c"}
    ]}}"##;
    let site = check(
        &[("docs.json", config)],
        expect![[r#"
        docs.json:/navigation/groups/0/hidden: error[invalid-field] `hidden` must be `true` or `false`, not `yes`
        docs.json:/navigation/groups/0/pages/1: error[invalid-field] each item of `pages` must be the path of a page or a group, not the number `3`
        docs.json:/navigation/groups/0/pages/2: error[invalid-field] `pages` holds pages and groups, not `tab`
        docs.json:/navigation/groups/0/pages/3/sourceRef (key): info[unknown-field] `sourceRef` names another repository, which is not read; it is left out
        docs.json:/navigation/groups/0/pages/4 (key): error[missing-field] `group` is missing here
        docs.json:/navigation/groups/0/colapsed (key): info[unknown-field] `colapsed` is not known here and is ignored
        docs.json:/navigation/groups/1: error[invalid-field] each item of `groups` must be an object, not `page`
        docs.json:/navigation/groups/2/pages: error[invalid-field] `pages` must be a list, not `c`
        docs.json:/navigation/groups/2/icon: error[invalid-field] `icon` must be the name of an icon, not the number `7`
    "#]],
    );
    assert_eq!(navigation_config(&site.db, site.site).children.len(), 2);
    let config = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#0a7"}, "navigation": {"anchors": [
        {"anchor": "A", "href": "docs.example.com", "pages": ["a"]}, {"anchor": "B", "href": "/b", "pages": ["b"]},
        {"anchor": "C", "languages": [{"language": "english", "pages": ["c"]}]}, {"anchor": "D", "tabs": [{"tab": "T", "href": "/x", "openapi": "a.json"}]}
    ]}}"##;
    check(
        &[("docs.json", config)],
        expect![[r#"
        docs.json:/navigation/anchors/0/href: error[invalid-field] `docs.example.com` is neither an address with a scheme nor a path from the root
          did you mean `https://docs.example.com`?
        docs.json:/navigation/anchors/1/pages (key): warning[extra-children] `pages` is ignored here, because `href` is used
          an element has children of one kind; remove `pages` or `href`
        docs.json:/navigation/anchors/2/languages/0/language: error[invalid-field] `english` is not the code of a language
          use a code such as `en`, `pt-BR` or `zh-Hans`
        docs.json:/navigation/anchors/3/tabs/0/href (key): warning[extra-children] `href` is ignored here, because `openapi` is used
          an element has children of one kind; remove `href` or `openapi`
    "#]],
    );
}

#[test]
fn api_settings_have_short_forms() {
    for (written, display, server) in [
        (
            r#""server": "https://a.io", "display": "none", "auth": "bearer""#,
            "none",
            "https://a.io",
        ),
        (
            r#""api": {"server": ["https://b.io"], "display": "simple", "authMethod": "key"}"#,
            "simple",
            "https://b.io",
        ),
        (
            r#""server": "https://a.io", "display": "none", "api": {"playground": {"display": "simple"}, "mdx": {"server": "https://c.io", "auth": {"method": "basic"}}}"#,
            "simple",
            "https://c.io",
        ),
    ] {
        let site = check_docs(written, expect![[""]]);
        let api = api_config(&site.db, site.site);
        assert_eq!(api.playground.display.word(), display);
        assert_eq!(api.servers, [server]);
        assert!(api.auth.as_ref().unwrap().method.is_some());
    }
}

#[test]
fn every_section_is_read() {
    let site = check_docs(
        r##""api": {"openapi": ["a.json", {"source": "b.json", "directory": "b", "overlays": []}], "params": {"expanded": "all", "post": ["nullable"]}, "url": "full",
            "examples": {"languages": ["curl"], "defaults": "required", "prefill": true, "autogenerate": false}},
            "contextual": {"options": ["copy", "download-spec", {"title": "T", "href": {"base": "https://x.io", "query": [{"key": "q", "value": "$page"}]}}], "display": "toc"},
            "variables": {"version": "1.0", "bad name": "x"}, "errors": {"404": {"redirect": false}}, "markdown": {"schema": false, "instructions": "Be kind"},
            "integrations": {"ga4": {"measurementId": "UA-1"}, "hotjar": {"hjid": 1, "hjsv": "6"}, "posthog": {"apiKey": "phc_x", "apiHost": "https://a.example/?x"},
            "clarity": {"projectId": "a\"b"}, "plausible": {"domain": "a.example", "server": "https://b.example"}, "koala": {"publicApiKey": "a"},
            "frontchat": "1365d0", "segment": {"key": "a/../b"}, "logrocket": {"appId": "a/b"}, "cookies": {"key": "c", "value": true}},
            "fonts": {"heading": {"family": "Inter", "weight": 650.5}}, "styling": {"codeblocks": {"theme": {"light": "a", "dark": "b"}}},
            "banner": {"content": "Hi", "color": {"dark": "#000"}}, "icons": {"library": "lucide"}, "metadata": {"timestamp": true}"##,
        expect![[r#"
            docs.json:/integrations/clarity/projectId: error[invalid-field] `projectId` must be an identifier of letters, digits, `-` and `_`, not `a"b`
            docs.json:/integrations/ga4/measurementId: error[invalid-field] `measurementId` must be a text that begins with `G`, of letters, digits and `-`, not `UA-1`
            docs.json:/integrations/plausible/server: error[invalid-field] `server` must be a host such as `events.example.com`, without `https://`, not `https://b.example`
            docs.json:/integrations/posthog/apiHost: error[invalid-field] `apiHost` must be an address that begins with `https://`, of letters, digits and `-._~/`, not `https://a.example/?x`
            docs.json:/integrations/segment/key: error[invalid-field] `key` must be an identifier of letters, digits, `-` and `_`, not `a/../b`
            docs.json:/integrations/cookies/value: error[invalid-field] `value` must be a text of at most 500 bytes without control characters, not `true`
            docs.json:/variables/bad name (key): error[invalid-field] `bad name` cannot be the name of a variable
              use letters, digits, `_`, `.` and `-`
            docs.json:/errors/404/redirect (key): info[unused-field] `errors.404.redirect` has no effect yet
            docs.json:/integrations/koala (key): info[unused-field] `integrations.koala` is not supported: the service has ended
            docs.json:/api/openapi/1/directory (key): info[unused-field] `api.openapi.directory` has no effect yet
            docs.json:/api/url: info[unused-field] `api.url: full` has no effect yet
        "#]],
    );
    let api = api_config(&site.db, site.site);
    assert_eq!(api.openapi.len(), 2);
    let theme = theme_config(&site.db, site.site);
    assert_eq!(theme.contextual.entries().len(), 3);
    assert!(!theme.not_found.redirect);
    let content = content_config(&site.db, site.site);
    assert_eq!(content.variables.get("version").unwrap(), "1.0");
}

/// The scripts that a published page loads with these `integrations`.
fn loaded(integrations: &str) -> String {
    let docs = format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "navigation": {{"pages": ["start"]}}, "integrations": {integrations}}}"##
    );
    let site = TestSite::new(&[("docs.json", &*docs), ("start.mdx", "Words.")]);
    let options = PageOptions {
        vendors: true,
        ..PageOptions::default()
    };
    let html = not_found_html(&site.db, site.site, "/", &options);
    let told = html
        .split_once("id=\"quire-vendors\">")
        .map(|(_, rest)| rest);
    let told = told.and_then(|rest| rest.split_once("</script>"));
    let Some((told, _)) = told else {
        return String::new();
    };
    let told: serde_json::Value = serde_json::from_str(told).unwrap();
    let names = told["vendors"].as_array().unwrap().iter();
    let names: Vec<_> = names
        .map(|vendor| vendor["name"].as_str().unwrap())
        .collect();
    names.join(" ")
}

#[test]
fn a_service_is_not_loaded_with_less_than_what_is_said_of_it() {
    let ga4 = r#""ga4": {"measurementId": "G-1"}"#;
    assert_eq!(loaded(&format!("{{{ga4}}}")), "ga4");
    for broken in [
        r#""posthog": {"apiKey": "phc_x", "apiHost": "b"}"#,
        r#""plausible": {"domain": "a.example", "server": "https://b"}"#,
        r#""mixpanel": {"projectToken": "a", "region": "ue"}"#,
        r#""segment": {"key": "a", "cdnUrl": "b"}"#,
        r#""hightouch": {"writeKey": "a", "apiHost": "https://b"}"#,
        r#""koala": {"publicApiKey": "a"}"#,
    ] {
        assert_eq!(loaded(&format!("{{{ga4}, {broken}}}")), "ga4", "{broken}");
    }
    // Where it cannot be read what readers agree to, nothing is loaded.
    for broken in [
        r#""cookies": {"key": "c", "value": true}"#,
        r#""cookies": {}"#,
        r#""cookies": "c""#,
        r#""onetrust": {"domainScript": "a", "scriptSource": "https://a.example/b.js", "categoryId": "<"}"#,
        r#""transcend": {"bundleId": "../b"}"#,
    ] {
        assert_eq!(loaded(&format!("{{{ga4}, {broken}}}")), "", "{broken}");
    }
}

#[test]
fn a_legacy_file_is_read_as_if_upgraded() {
    let site = check(
        &[(
            "mint.json",
            r##"{"name": "V", "colors": {"primary": "#0092e0", "anchors": "#fff"}, "favicon": "/f.png",
            "modeToggle": {"default": "dark", "isHidden": true}, "topbarCtaButton": {"name": "Star", "url": "https://x.io"},
            "topbarLinks": [{"name": "Blog", "url": 3}], "primaryTab": {"name": "Start"},
            "tabs": [{"name": "API", "url": "api"}, {"name": "Blog", "url": "https://b.io"}],
            "anchors": [{"name": "Chat", "icon": "discord", "url": "https://d.gg"}],
            "navigation": [{"group": "G", "pages": ["a"]}, {"group": "E", "pages": [{"group": "N", "pages": ["api/x"]}]}],
            "api": {"baseUrl": "https://a.io", "auth": {"method": "bearer"}, "playground": {"mode": "hide"}},
            "footerSocials": [{"type": "x", "url": "https://x.com"}], "analytics": {"ga4": {"measurementId": "G-1"}}, "rounded": "sharp"}"##,
        )],
        expect![[r#"
            mint.json: warning[legacy-config] `mint.json` is the old format; it is upgraded when read
              write a `docs.json`; it wins over `mint.json` when both are there
            mint.json:/topbarLinks/0/url: error[invalid-field] `href` must be a text, not the number `3`
        "#]],
    );
    let navigation = navigation_config(&site.db, site.site);
    let labels: Vec<_> = navigation.children.iter().map(label).collect();
    assert_eq!(labels, ["tab Start", "tab API", "tab Blog"]);
    assert_eq!(navigation.global[0].kind, NodeKind::Anchor);
    let api = api_config(&site.db, site.site);
    assert_eq!(
        (api.playground.display.word(), api.servers.len()),
        ("none", 1)
    );
    let theme = theme_config(&site.db, site.site);
    assert!(theme.appearance.strict && theme.integrations.ga4.is_some());
    assert_eq!(
        theme.footer.socials.get("x").unwrap().as_str(),
        "https://x.com"
    );
}

#[test]
fn legacy_versions_take_the_groups_that_name_them_or_none() {
    let site = check(
        &[(
            "mint.json",
            r##"{"name": "V", "colors": {"primary": "#0092e0"}, "versions": ["2", {"name": "1"}],
            "navigation": [{"group": "Both", "pages": ["a"]}, {"group": "Old", "version": "1", "pages": ["b"]}]}"##,
        )],
        expect![[r#"
            mint.json: warning[legacy-config] `mint.json` is the old format; it is upgraded when read
              write a `docs.json`; it wins over `mint.json` when both are there
        "#]],
    );
    let navigation = navigation_config(&site.db, site.site);
    let groups = navigation.children.iter().map(|child| match child {
        Child::Element(version) => version.children.iter().map(label).collect::<Vec<_>>(),
        Child::Pages(entries) => entries.texts().map(str::to_owned).collect(),
    });
    let groups: Vec<_> = groups.map(|groups| groups.join(", ")).collect();
    assert_eq!(groups, ["group Both", "group Both, group Old"]);
}

fn label(child: &Child) -> String {
    match child {
        Child::Pages(entries) => entries.texts().collect::<Vec<_>>().join(", "),
        Child::Element(element) => {
            format!("{} {}", element.kind.word(), element.label)
        }
    }
}

#[test]
fn deep_nesting_is_refused_without_harm() {
    let mut group = r#"{"group": "leaf", "pages": []}"#.to_owned();
    for _ in 0..40 {
        group = format!(r#"{{"group": "g", "pages": [{group}]}}"#);
    }
    let config = format!(
        r##"{{"theme": "mint", "name": "A", "colors": {{"primary": "#0a7"}}, "navigation": {{"groups": [{group}]}}}}"##
    );
    let site = TestSite::new(&[("docs.json", &config)]);
    assert_eq!(site_config(&site.db, site.site).diagnostics.len(), 1);
}

#[test]
fn synonyms_are_groups_of_words_or_words_with_those_that_mean_the_same() {
    let groups = |written: &str| {
        let site = check_docs(
            &format!(r#""search": {{"prompt": "Ask", "synonyms": {written}}}"#),
            expect![""],
        );
        let config = search_config(&site.db, site.site);
        assert_eq!(config.prompt.as_deref(), Some("Ask"));
        assert_eq!(config.semantic, None);
        config.synonyms.0.clone()
    };
    let written =
        groups(r#"[["Ticket ", "admission", "ticket"], ["api", "API"], ["sign in", "log in"]]"#);
    assert_eq!(
        written,
        [vec!["ticket", "admission"], vec!["sign in", "log in"]]
    );
    let written = groups(r#"{"ticket": ["admission", "pass"], "sign in": "log in"}"#);
    assert_eq!(
        written,
        [
            vec!["ticket", "admission", "pass"],
            vec!["sign in", "log in"]
        ]
    );
    let site = check_docs(
        r#""search": {"semantic": false, "synonyms": "ticket"}"#,
        expect![[r#"
            docs.json:/search/synonyms: error[invalid-field] `synonyms` must be a list of lists of words, or an object from words to words, not `ticket`
        "#]],
    );
    assert_eq!(search_config(&site.db, site.site).semantic, Some(false));
    check_docs(
        r#""search": {"synonyms": {"ticket": 1, "a": ["b", null]}}"#,
        expect![[r#"
            docs.json:/search/synonyms/ticket: error[invalid-field] `ticket` must be a text, not the number `1`
            docs.json:/search/synonyms/a/1: error[invalid-field] each item of `a` must be a text, not `null`
        "#]],
    );
}
