//! The foot of every page: columns of links, and where else the makers can be found.

use maud::{Markup, html};

/// Content of the footer.
#[derive(Clone, Debug, Default)]
pub struct Footer {
    /// Name of the site.
    pub site_name: String,
    /// Name of the network as the configuration has it, and address.
    pub socials: Vec<(String, String)>,
    /// Columns of links.
    pub columns: Vec<FooterColumn>,
}

/// One column of links.
#[derive(Clone, Debug, Default)]
pub struct FooterColumn {
    /// Heading.
    pub header: Option<String>,
    /// Label and address.
    pub items: Vec<(String, String)>,
}

/// Renders the footer.
pub fn footer(view: &Footer) -> Markup {
    html! {
        footer.site-footer.footer.advanced-footer[!view.columns.is_empty()] id="footer" {
            @if !view.columns.is_empty() {
                div.footer-columns {
                    @for column in &view.columns {
                        div.footer-column {
                            @if let Some(header) = &column.header { p.footer-heading { (header) } }
                            ul { @for (label, href) in &column.items { li { a href=(href) { (label) } } } }
                        }
                    }
                }
            }
            div.footer-end {
                p.footer-name { (view.site_name) }
                @if !view.socials.is_empty() {
                    ul.socials {
                        @for (network, href) in &view.socials {
                            li { a href=(href) rel="me noopener" { (network_name(network)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The name of a network as people write it. Names are text: their marks are not ours to use.
pub(crate) fn network_name(key: &str) -> &str {
    match key {
        "x" | "x-twitter" => "X",
        "twitter" => "Twitter",
        "website" | "earth-americas" => "Website",
        "facebook" => "Facebook",
        "youtube" => "YouTube",
        "discord" => "Discord",
        "slack" => "Slack",
        "github" => "GitHub",
        "linkedin" => "LinkedIn",
        "instagram" => "Instagram",
        "hacker-news" => "Hacker News",
        "medium" => "Medium",
        "telegram" => "Telegram",
        "bluesky" => "Bluesky",
        "threads" => "Threads",
        "reddit" => "Reddit",
        "podcast" => "Podcast",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_addresses_are_escaped() {
        let html = footer(&Footer {
            site_name: "M".into(),
            socials: vec![("my<net>".into(), "\"><script>".into())],
            columns: Vec::new(),
        })
        .into_string();
        assert!(
            !html.contains("<script>") && !html.contains("<net>"),
            "{html}"
        );
    }
}
