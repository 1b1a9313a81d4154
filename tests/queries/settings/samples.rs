//! Configurations in which each field that is known stands at least once, in a form in which it has an effect if it has one.

use serde_json::{Value, json};

/// Pages and other files of the sample site.
pub(super) const FILES: &[(&str, &str)] = &[
    (
        "start.mdx",
        "---\ntitle: Start\n---\n\nSome {{word}}, <Icon icon=\"star\" />, $one two$ and so on.\n\n```js a.js\nlet a = 1;\n```\n\n## Part\n\n![A](/logo.svg)\n",
    ),
    (
        "other.mdx",
        "---\ntitle: Other\nlastUpdatedDate: 2026-03-04\n---\n\nWords.\n",
    ),
    ("third.mdx", "---\ntitle: Third\n---\n\nWords.\n"),
    ("fourth.mdx", "---\ntitle: Fourth\n---\n\nWords.\n"),
    (
        "hidden.mdx",
        "---\ntitle: Hidden\nhidden: true\n---\n\nWords.\n",
    ),
    (
        "lost.mdx",
        "---\ntitle: Lost\n---\n\nIn no navigation, costs $5 to $6.\n",
    ),
    ("bound.mdx", "---\nopenapi: GET /pets\n---\n"),
    ("model.mdx", "---\nopenapi-schema: Pet\n---\n"),
    ("async.yaml", ASYNC),
    (
        "manual.mdx",
        "---\ntitle: By hand\napi: POST /things/{id}\n---\n\n<ParamField body=\"color\" type=\"string\" required>Of it.</ParamField>\n",
    ),
    ("logo.svg", "10x10"),
    ("dark.svg", "10x11"),
    ("sans.woff", "font"),
    ("api.json", API),
    ("more.json", MORE),
    ("o.yaml", OVERLAY),
];

const OVERLAY: &str = "overlay: 1.0.0\ninfo: {title: O, version: '1'}\nactions:\n- target: $.paths['/more'].get\n  update: {summary: Much more}\n";

const API: &str = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.example"}],
    "paths": {"/pets": {"get": {"summary": "List pets", "security": [{"key": []}],
        "parameters": [{"name": "limit", "in": "query", "example": 7, "schema": {"type": "integer", "x-stage": "beta"}}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}},
        "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}}}},
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        "schemas": {"Pet": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "example": "p1"}, "size": {"type": "object", "properties": {"w": {"type": "integer"}}}}}}}}"##;

const ASYNC: &str = r##"{"asyncapi": "3.0.0", "info": {"title": "T", "version": "1"}, "channels": {
    "chat": {"address": "/chat", "messages": {"said": {"payload": {"type": "string"}}}}}}"##;
const MORE: &str = r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {
    "/more": {"get": {"summary": "More", "responses": {}}}, "/pets": {"get": {"summary": "Other pets", "responses": {}}}}}"##;

/// What stands in each of the samples, unless they say otherwise.
fn base() -> Value {
    json!({
        "theme": "maple", "name": "Sample", "colors": {"primary": "#00aa77"}, "variables": {"word": "thing"},
        "navigation": {"groups": [
            {"group": "G", "pages": ["start", "other", "hidden", "bound", "model", "manual"]},
            {"group": "API", "openapi": "api.json"},
        ]},
    })
}

/// The frontmatter of the page `/sample`, line by line: each field that is known stands in one of them.
pub(super) const PAGES: &[&[&str]] = &[
    &[
        "title: A page",
        "description: What it is about",
        "sidebarTitle: Short",
        "icon: star",
        "iconType: regular",
        "tag: NEW",
        "mode: wide",
        "keywords: [one, two]",
        "boost: 2",
        "deprecated: true",
        "hideFooterPagination: true",
        "canonical: https://a.example/b",
        "version: v9",
        "public: false",
        "timestamp: true",
        "lastUpdatedDate: '2026-01-02'",
        "createdDate: '2025-01-02'",
        "rss: true",
        "contextual: {options: [view]}",
        "og:title: Other",
    ],
    &["title: A page", "hidden: true"],
    &["title: A page", "searchable: false"],
    &["title: A page", "noindex: true"],
    &["title: A page", "url: https://a.example"],
    &["title: A page", "robots: noarchive"],
    &[
        "openapi: GET /pets",
        "hideApiMarker: true",
        "playground: none",
    ],
    &["api: POST https://a.example/a", "authMethod: basic"],
    &["openapi-schema: Pet"],
    &["asyncapi: async.yaml chat"],
];

/// A site with that page.
pub(super) fn docs_with_page() -> Value {
    let mut docs = base();
    docs["navigation"] = json!({"groups": [{"group": "G", "pages": ["start", "sample", "other"]}]});
    docs
}

pub(super) fn samples() -> Vec<Value> {
    let samples = [
        everything(),
        // What is hidden above by what stands beside it.
        json!({
            "fonts": {"family": "Inter", "weight": 450, "source": "/sans.woff", "format": "woff"},
            "styling": {"latex": true, "codeblocks": {"theme": {"light": "dracula", "dark": "github-light"}}},
            "navbar": {"links": [{"label": "Source", "href": "https://github.com/a/b", "type": "github"}, {"href": "https://a.example", "type": "github", "icon": {"name": "star", "style": "regular"}}], "primary": {"type": "github", "href": "https://g.example"}},
            "api": {"params": {"expanded": "all"}, "examples": {"languages": ["python"], "defaults": "required", "prefill": true},
                "server": "https://s.example", "display": "none", "auth": {"method": "key", "name": "X-Own"}},
        }),
        json!({
            "styling": {"codeblocks": "dracula"}, "server": ["https://one.example"], "display": "none", "auth": {"method": "key", "name": "X-Own"},
            "logo": "/logo.svg", "favicon": "/logo.svg", "banner": {"content": "Hi", "color": "#112233"},
        }),
        json!({"authMethod": "basic", "server": "https://one.example", "navigation": {"pages": ["start", "bound", "manual"]},
            "api": {"openapi": {"source": "more.json", "directory": "d", "overlays": ["o.yaml"]}}}),
        json!({"api": {"authMethod": "basic", "server": "https://one.example", "examples": {"prefill": true}}}),
        json!({"contextual": {"options": ["copy", "download-spec",
            {"title": "Own", "icon": {"name": "star", "style": "regular"}, "href": "/other"}]}, "userAuth": {"type": "jwt"},
            "feedback": {"thumbs": true}, "integrations": {"telemetry": {"enabled": false}}}),
        json!({"feedback": {"thumbsRating": true, "suggestEdit": true, "raiseIssue": true}}),
        json!({"api": {"playground": {"proxy": false, "credentials": true}}}),
        json!({"navigation": {"groups": [{"group": "G", "pages": ["start"]}, {"group": "R", "openapi": "api.json"}]},
            "api": {"introduction": false, "models": true}}),
        json!({"navigation": languages()}),
        json!({"navigation": tabs()}),
        json!({"navigation": products()}),
        json!({"navigation": {"anchors": [
            {"anchor": "A", "icon": "star", "color": {"light": "#111111", "dark": "#222222"}, "pages": ["start"]},
            {"anchor": "B", "openapi": "api.json", "groups": [{"group": "G", "pages": ["GET /pets"]}]}]}}),
        json!({"navigation": {"dropdowns": [
            {"dropdown": "A", "icon": "star", "description": "About A", "pages": ["start"]},
            {"dropdown": "B", "groups": [{"group": "G", "pages": ["other"]}]}]}}),
    ];
    let with = |more: Value| {
        let mut sample = base();
        for (key, value) in more.as_object().expect("an object") {
            sample[key] = value.clone();
        }
        sample
    };
    samples.into_iter().map(with).collect()
}

fn everything() -> Value {
    json!({
        "description": "What it is about",
        "colors": {"primary": "#00aa77", "light": "#22cc99", "dark": "#008855"},
        "logo": {"light": "/logo.svg", "dark": "/dark.svg", "href": "/other"},
        "favicon": {"light": "/logo.svg", "dark": "/dark.svg"},
        "appearance": {"default": "dark", "strict": true},
        "fonts": {"heading": {"family": "Head", "weight": 700, "source": "/sans.woff", "format": "woff"},
            "body": {"family": "Body", "weight": 450, "source": "/sans.woff", "format": "woff"}},
        "icons": {"library": "lucide"},
        "background": {"decoration": "grid", "color": {"light": "#fefefe", "dark": "#010101"}, "image": {"light": "/logo.svg", "dark": "/dark.svg"}},
        "styling": {"eyebrows": "breadcrumbs", "codeblocks": {"theme": "dracula", "languages": {"custom": ["/a.json"]}}},
        "thumbnails": {"appearance": "light", "background": "/logo.svg", "fonts": {"family": "Inter"}},
        "navbar": navbar(), "footer": footer(), "banner": banner(),
        "interaction": {"drilldown": true},
        "contextual": {"display": "toc", "options": ["copy",
            {"title": "Own", "description": "It", "icon": icon(), "href": {"base": "https://e.example", "query": [{"key": "q", "value": "$page"}]}}]},
        "search": {"prompt": "Ask", "synonyms": [["a", "b"]], "semantic": false},
        "feedback": {"thumbs": true, "edits": true, "issues": true},
        "errors": {"404": {"redirect": false, "title": "Nothing", "description": "Here"}},
        "variations": {"options": [{"id": "a", "label": "A"}]},
        "metadata": {"timestamp": true},
        "markdown": {"schema": false, "instructions": "Be kind"},
        "public": false,
        "redirects": [{"source": "/old", "destination": "/start", "permanent": false}],
        "seo": {"indexing": "all", "metatags": {"og:x": "y"}, "paths": [{"path": "/other", "metatags": {"og:z": "w"}}], "trailingSlash": true,
            "organization": {"id": "https://e.example", "name": "E", "legalName": "E Inc", "url": "https://e.example", "logo": "/logo.svg", "sameAs": ["https://x.com/e"]}},
        "api": {"asyncapi": {"source": "gone.yaml", "directory": "d", "overlays": ["o.yaml"]},
            "params": {"expanded": "all", "post": ["x-stage"]},
            "playground": {"display": "simple", "proxy": false, "credentials": true},
            "examples": {"autogenerate": false},
            "rules": {"servers-missing": "off"},
            "url": "full", "mdx": {"auth": {"method": "key", "name": "X-Own"}, "server": "https://mdx.example"}},
        "integrations": integrations(),
    })
}

fn integrations() -> Value {
    json!({
        "adobe": {"launchUrl": "https://a.example/launch.js"}, "amplitude": {"apiKey": "a"}, "clarity": {"projectId": "a"}, "clearbit": {"publicApiKey": "a"},
        "fathom": {"siteId": "a"}, "frontchat": {"snippetId": "a"}, "ga4": {"measurementId": "G-1"}, "gtm": {"tagId": "GTM-1"},
        "heap": {"appId": "1"}, "hightouch": {"writeKey": "a", "apiHost": "b.example"}, "hotjar": {"hjid": "1", "hjsv": "2"}, "intercom": {"appId": "a"},
        "koala": {"publicApiKey": "a"}, "logrocket": {"appId": "a"}, "mixpanel": {"projectToken": "a", "region": "eu"},
        "onetrust": {"domainScript": "a", "categoryId": "b", "scriptSource": "https://c.example/stub.js"}, "pirsch": {"id": "a"}, "plausible": {"domain": "a", "server": "b.example"},
        "posthog": {"apiKey": "phc_a", "apiHost": "https://b.example", "sessionRecording": true}, "segment": {"key": "a", "cdnUrl": "https://b.example"},
        "telemetry": {"enabled": true}, "cookies": {"key": "a", "value": "b"}, "transcend": {"bundleId": "a", "analyticsPurpose": "b"},
    })
}

fn icon() -> Value {
    json!({"name": "star", "style": "regular", "library": "tabler"})
}

fn navbar() -> Value {
    json!({"links": [{"label": "Blog", "href": "https://blog.example", "icon": icon(), "type": "link"}],
        "primary": {"type": "button", "label": "Go", "href": "https://go.example"}})
}

fn footer() -> Value {
    json!({"socials": {"x": "https://x.com/a"}, "links": [{"header": "More", "items": [{"label": "Other", "href": "/other"}]}]})
}

fn banner() -> Value {
    json!({"content": "Hi", "dismissible": true, "type": "warning", "color": {"light": "#112233", "dark": "#445566"}})
}

fn languages() -> Value {
    json!({"global": {"anchors": [{"anchor": "Blog", "href": "https://blog.example", "icon": icon()}]}, "languages": [
        {"language": "de", "groups": [{"group": "G", "pages": ["fourth"]}]},
        {"language": "en", "default": true, "banner": banner(), "footer": footer(), "navbar": navbar(), "groups": [
            {"group": "E", "icon": icon(), "tag": "NEW", "root": "other", "boost": 2, "public": false, "directory": "card", "pages": [
                "start", {"group": "Inner", "expanded": true, "icon": {"name": "star", "style": "regular"}, "pages": ["third"]}]},
            {"group": "F", "searchable": true, "hidden": true, "pages": ["manual"]},
            {"group": "API", "version": "v9", "openapi": {"source": "more.json", "directory": "d", "overlays": ["o.yaml"]}},
            {"group": "Events", "asyncapi": {"source": "async.yaml", "directory": "d", "overlays": ["o.yaml"]}, "pages": ["bound"]},
            {"group": "Graph", "graphql": {"source": "schema.graphql", "directory": "d", "overlays": ["o.yaml"]},
                "sdk": {"format": "typedoc", "source": "sdk.json", "directory": "d"}, "pages": ["model"]},
        ]},
    ]})
}

fn tabs() -> Value {
    json!({
        "global": {
            "tabs": [{"tab": "Blog", "href": "https://blog.example"}], "dropdowns": [{"dropdown": "Down", "href": "https://down.example"}],
            "languages": [{"language": "fr", "href": "https://fr.example"}], "versions": [{"version": "v0", "href": "https://v0.example"}],
            "products": [{"product": "P", "href": "https://p.example"}]},
        "tabs": [
            {"tab": "One", "icon": "star", "align": "end", "menu": [
                {"item": "First", "icon": icon(), "description": "About it", "pages": ["start"]}, {"item": "Second", "groups": [{"group": "G", "pages": ["other"]}]}]},
            {"tab": "Two", "versions": [{"version": "v1", "pages": ["third"]}, {"version": "v2", "tag": "new", "default": true, "pages": ["fourth"]}]},
            {"tab": "Three", "href": "https://three.example"},
            {"tab": "Four", "hidden": true, "pages": ["manual"]},
        ],
    })
}

fn products() -> Value {
    json!({"products": [
        {"product": "One", "name": "Name", "description": "About One", "icon": icon(), "tabs": [{"tab": "T", "pages": ["start"]}, {"tab": "S", "pages": ["fourth"]}]},
        {"product": "Two", "dropdowns": [{"dropdown": "D", "pages": ["other"]}, {"dropdown": "E", "anchors": [{"anchor": "A", "pages": ["third"]}, {"anchor": "B", "href": "https://b.example"}]}]},
        {"product": "Three", "languages": [{"language": "en", "pages": ["bound"]}, {"language": "de", "products": [{"product": "Deep", "pages": ["manual"]}]}]},
    ]})
}
