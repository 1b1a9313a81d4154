//! The theme's files, embedded in the program: the only table of them.
//!
//! Every file is served under a name that holds the digest of its content, so a browser may keep it for ever; but for those
//! whose address others know ([`Asset::is_fixed`]).

use std::sync::LazyLock;

use base::content::ContentHash;

use crate::words;

/// One embedded file of the theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// The name templates ask for it by: `quire.css`.
    pub name: &'static str,
    /// Media type, with the charset.
    pub media_type: &'static str,
    /// Content, compressed or not.
    pub bytes: &'static [u8],
    /// Whether the content is compressed with gzip.
    pub is_gzip: bool,
}

impl Asset {
    /// Returns true if its URL has no digest and never changes: authorization servers redirect
    /// readers to the sign-in page, and must know its URL beforehand.
    pub fn is_fixed(&self) -> bool {
        self.name.starts_with("oauth.")
    }

    /// The theme that it is the stylesheet of.
    pub fn theme(&self) -> Option<&'static str> {
        self.name.strip_prefix("theme-")?.strip_suffix(".css")
    }

    /// Returns true if it holds the words of one language.
    pub fn is_words(&self) -> bool {
        self.name
            .split_once('.')
            .is_some_and(|(stem, _)| stem.ends_with("-words"))
    }

    /// Returns true if it is a font file.
    pub fn is_typeface(&self) -> bool {
        self.name.ends_with(".woff2")
    }

    /// Returns true if it is only useful with a server: an export has neither a console nor an
    /// assistant, and there is neither a preview nor a count of readers.
    pub fn needs_server(&self) -> bool {
        let name = self.name;
        (["console.", "readers.", "served.", "ask", "reload."].iter())
            .any(|start| name.starts_with(start))
    }
}

/// The script that makes pictures of diagrams, larger than all others together: only pages that show one name it.
pub const DIAGRAMS: &str = "mermaid.js";

/// The script that components of a site run on: only pages that use one name it.
pub const ISLANDS: &str = "islands.js";
/// What it leaves to the pages that need it: components of the theme, and more of React than hooks.
pub const MORE_OF_ISLANDS: &str = "islands-more.js";

/// Returns true if a page requests [`DIAGRAMS`].
pub fn has_diagrams(page: &str) -> bool {
    memchr::memmem::find(page.as_bytes(), asset_url(DIAGRAMS).as_bytes()).is_some()
}

/// The theme without a stylesheet of its own.
pub const PLAIN_THEME: &str = "mint";

/// The stylesheet that makes the theme called `name` what it is; none for the plain one and for
/// unknown names.
pub fn theme_css(name: &str) -> Option<&'static str> {
    let of = |asset: &&Asset| asset.theme() == Some(name);
    ASSETS.iter().find(of).map(|asset| asset.name)
}

/// The text of a stylesheet or script, without what is written for its readers (`build.rs`).
macro_rules! text {
    ($path:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $path))
    };
}

/// The stylesheet of a theme.
macro_rules! theme {
    ($name:literal) => {
        Asset {
            name: concat!("theme-", $name, ".css"),
            media_type: "text/css; charset=utf-8",
            bytes: include_bytes!(concat!(env!("OUT_DIR"), "/css/themes/", $name, ".css")),
            is_gzip: false,
        }
    };
}

/// The file of a typeface, which is compressed already.
macro_rules! face {
    ($name:literal) => {
        Asset {
            name: $name,
            media_type: "font/woff2",
            bytes: include_bytes!(concat!("../fonts/", $name)),
            is_gzip: false,
        }
    };
}

/// All stylesheets in cascade order.
macro_rules! css {
    () => {
        concat!(
            text!("css/variables.css"),
            text!("css/base.css"),
            text!("css/layout.css"),
            text!("css/page.css"),
            text!("css/prose.css"),
            text!("css/components.css"),
            text!("css/api.css"),
            text!("css/reference.css"),
            text!("css/search.css"),
            text!("css/utilities.css"),
            text!("css/print.css"),
        )
    };
}

/// All behaviors of a published page. Each file is a function of its own; all use the words, which come first.
macro_rules! js {
    () => {
        concat!(
            text!("js/words.js"),
            text!("js/theme.js"),
            text!("js/nav.js"),
            text!("js/visit.js"),
            text!("js/opener.js"),
            text!("js/tabs.js"),
            text!("js/choices.js"),
            text!("js/zoom.js"),
            text!("js/copy.js"),
            text!("js/menu.js"),
            text!("js/feedback.js"),
            text!("js/diagrams.js"),
            text!("js/server.js"),
            text!("js/try.js"),
            text!("js/pairs.js"),
            text!("js/folds.js"),
            text!("js/rows.js"),
            text!("js/previews.js"),
            text!("js/stars.js"),
        )
    };
}

/// The panel of the assistant: one module of several files, each of which uses those above it.
const ASK: &str = concat!(
    text!("js/ask/markdown.js"),
    text!("js/ask/stream.js"),
    text!("js/ask/memory.js"),
    text!("js/ask/cite.js"),
    text!("js/ask/parts.js"),
    text!("js/ask/panel.js"),
);

/// The form that sends the request of a page: one module of several files, each of which uses those above it.
const PLAYGROUND: &str = concat!(
    // The templates of samples, which hold no grave accent: those that the build fills in.
    "const sampleTable = String.raw`\n",
    include_str!("../../openapi/src/code/languages/shell.tpl"),
    include_str!("../../openapi/src/code/languages/script.tpl"),
    include_str!("../../openapi/src/code/languages/compiled.tpl"),
    include_str!("../../openapi/src/code/languages/managed.tpl"),
    "`;\n",
    text!("js/playground/json.js"),
    text!("js/playground/request.js"),
    text!("js/playground/samples.js"),
    text!("js/playground/colors.js"),
    text!("js/playground/follow.js"),
    text!("js/playground/check.js"),
    text!("js/playground/memory.js"),
    text!("js/playground/fields.js"),
    text!("js/playground/send.js"),
    text!("js/playground/oauth.js"),
    text!("js/playground/curl.js"),
    text!("js/playground/sections.js"),
    text!("js/playground/view.js"),
    text!("js/playground/response.js"),
    text!("js/playground/panel.js"),
);

/// Every file of the theme. Those that hold words are made of the one table of them, once.
pub static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let of_words = |(name, content): (String, String)| Asset {
        name: name.leak(),
        media_type: "text/javascript; charset=utf-8",
        bytes: content.leak().as_bytes(),
        is_gzip: false,
    };
    let written = FILES.iter().copied();
    written.chain(words::files().map(of_words)).collect()
});

/// The files that are written as they are served.
const FILES: &[Asset] = &[
    Asset {
        name: "quire.css",
        media_type: "text/css; charset=utf-8",
        bytes: css!().as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "quire.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: js!().as_bytes(),
        is_gzip: false,
    },
    // Those of a page that has an assistant: one file each, as a reader waits for both.
    Asset {
        name: "served.css",
        media_type: "text/css; charset=utf-8",
        bytes: concat!(css!(), text!("css/ask-entry.css")).as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "served.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: concat!(js!(), text!("js/ask/entry.js")).as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "ask.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: ASK.as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "ask.css",
        media_type: "text/css; charset=utf-8",
        bytes: text!("css/ask.css").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "ask-search.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/ask/search.js").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "reload.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/reload.js").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: ISLANDS,
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../vendor/islands.min.js"),
        is_gzip: false,
    },
    Asset {
        name: MORE_OF_ISLANDS,
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../vendor/more.min.js"),
        is_gzip: false,
    },
    Asset {
        name: "search.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/search.js").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "searcher.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/searcher.js").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "seldom.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/seldom.js").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "vendors.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/vendors.js").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "readers.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/readers.js").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "playground.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: PLAYGROUND.as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "playground.css",
        media_type: "text/css; charset=utf-8",
        bytes: text!("css/playground.css").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "oauth.html",
        media_type: "text/html; charset=utf-8",
        bytes: text!("js/oauth/oauth.html").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "oauth.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/oauth/oauth.js").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "oauth.css",
        media_type: "text/css; charset=utf-8",
        bytes: text!("css/oauth.css").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "console.css",
        media_type: "text/css; charset=utf-8",
        bytes: text!("css/console.css").as_bytes(),
        is_gzip: false,
    },
    Asset {
        name: "console.js",
        media_type: "text/javascript; charset=utf-8",
        bytes: text!("js/console.js").as_bytes(),
        is_gzip: false,
    },
    theme!("maple"),
    theme!("palm"),
    theme!("willow"),
    theme!("linden"),
    theme!("almond"),
    theme!("aspen"),
    theme!("luma"),
    theme!("sequoia"),
    face!("inter-latin.woff2"),
    face!("inter-latin-ext.woff2"),
    face!("jetbrains-mono-latin.woff2"),
    face!("jetbrains-mono-latin-ext.woff2"),
    Asset {
        name: DIAGRAMS,
        media_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../vendor/mermaid.min.js.gz"),
        is_gzip: true,
    },
];

/// The addresses of [`ASSETS`], in the same order. The contents are constants, so this can never be stale.
static URLS: LazyLock<Vec<String>> = LazyLock::new(|| {
    ASSETS
        .iter()
        .map(|asset| {
            if asset.is_fixed() {
                return format!("/_theme/{}", asset.name);
            }
            let digest = ContentHash::of(asset.bytes).short();
            match asset.name.rsplit_once('.') {
                Some((stem, extension)) => format!("/_theme/{stem}.{digest}.{extension}"),
                None => format!("/_theme/{}.{digest}", asset.name),
            }
        })
        .collect()
});

/// The address of the asset called `name`: `/_theme/<stem>.<digest>.<extension>`, without the digest if it is fixed.
///
/// # Panics
///
/// If no asset has that name. Names are written in templates, never in a user's files.
pub fn asset_url(name: &str) -> String {
    let at = ASSETS
        .iter()
        .position(|asset| asset.name == name)
        .expect("asset names are those of ASSETS");
    URLS[at].clone()
}

/// The asset served at `url`; `None` if nothing of the theme is there.
pub fn asset_at(url: &str) -> Option<&'static Asset> {
    let at = URLS.iter().position(|known| known == url)?;
    Some(&ASSETS[at])
}

/// Sets the reader's choice of theme before the first paint, and says that scripts run.
///
/// It stands inline in the head: a file would arrive after the first paint and flash the wrong colors.
pub const ANTI_FLASH: &str = r#"(function(){var r=document.documentElement,c=null;r.classList.add("js");if(!r.hasAttribute("data-strict"))try{c=localStorage.getItem("quire-theme")}catch(e){}if(c==="light"||c==="dark")r.setAttribute("data-theme",c);else if(c==="system")r.removeAttribute("data-theme");r.setAttribute("data-theme-choice",c||r.getAttribute("data-theme")||"system");var t=r.getAttribute("data-theme")||(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");r.classList.toggle("dark",t==="dark")})()"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_the_digest_of_the_content() {
        for asset in &*ASSETS {
            let url = asset_url(asset.name);
            assert!(url.starts_with("/_theme/"), "{url}");
            assert_eq!(
                url.contains(&ContentHash::of(asset.bytes).short()),
                !asset.is_fixed(),
                "{url}"
            );
            assert_eq!(asset_at(&url).map(|found| found.name), Some(asset.name));
        }
        assert!(asset_at("/_theme/quire.css").is_none());
    }

    #[test]
    fn names_are_unique() {
        for (i, asset) in ASSETS.iter().enumerate() {
            assert!(ASSETS[..i].iter().all(|other| other.name != asset.name));
        }
    }

    #[test]
    fn nothing_can_end_the_inline_script_early() {
        assert!(!ANTI_FLASH.contains("</"));
        assert!(!ANTI_FLASH.contains("<!--"));
    }

    #[test]
    fn templates_of_samples_can_stand_in_a_script() {
        let end = PLAYGROUND.find("`;\n").unwrap();
        let table = &PLAYGROUND["const sampleTable = String.raw`".len()..end];
        assert!(table.contains("=== curl |") && table.contains("=== dart |"));
        assert!(!table.contains("${") && !table.contains(['`', '\u{0}']));
    }

    #[test]
    fn the_theme_asks_nothing_of_other_hosts() {
        for asset in (ASSETS.iter()).filter(|asset| !asset.is_gzip && !asset.is_typeface()) {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            // Fields show it as an example of an address: the name is nobody's (RFC 2606, 3).
            let text = text.replace("https://example.com\"", "");
            // The name of the language of pictures, which nobody asks for.
            let text = text.replace("http://www.w3.org/2000/svg\"", "");
            let text = text.replace("http://www.w3.org/2000/svg'", "");
            // Those of elements as Preact has them.
            let text = text.replace("http://www.w3.org/1998/Math/MathML\"", "");
            let text = text.replace("http://www.w3.org/1999/xhtml\"", "");
            assert!(!text.contains("@import"), "{}", asset.name);
            assert!(!text.contains("http://"), "{}", asset.name);
            assert!(!text.contains("https://"), "{}", asset.name);
        }
    }

    /// The classes of the theme are told apart from utilities by name, so that the rules of a page's text never touch what
    /// stands around it.
    #[test]
    fn no_class_of_the_theme_is_a_utility() {
        let css = ASSETS
            .iter()
            .find(|asset| asset.name == "quire.css")
            .unwrap();
        let css = std::str::from_utf8(css.bytes).unwrap();
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_';
        let classes: std::collections::BTreeSet<String> = css
            .split('.')
            .skip(1)
            .map(|rest| rest.split(ends).next().unwrap())
            .filter(|class| class.starts_with(|c: char| c.is_ascii_lowercase()))
            .map(str::to_owned)
            .collect();
        assert!(classes.len() > 100, "{classes:?}");
        assert_eq!(utility::stylesheet(&classes, ""), "");
    }
}
