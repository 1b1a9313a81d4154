//! The configuration of a site: `docs.json`, or a legacy `mint.json`, as typed values.
//!
//! Reading is lenient: a value of the wrong kind is a diagnostic and its default. The queries over it are in
//! `queries/src/config.rs`.

pub mod api;
pub mod appearance;
pub mod chrome;
pub mod decode;
pub mod derived;
pub mod external;
pub mod fields;
pub mod integrations;
pub mod legacy;
pub mod navigation;
pub mod redirect;
pub mod reference;
pub mod rules;
pub mod seo;
pub mod site;
pub mod unused;

pub use api::{ApiConfig, ReferencePages, SpecSource};
pub use appearance::IconLibrary;
pub use chrome::Search;
pub use external::ExternalPaths;
pub use navigation::{NavigationConfig, NodeKind};
pub use redirect::Redirect;
pub use rules::{RuleLevel, Rules};
pub use seo::Seo;
pub use site::{ContentConfig, SiteConfig, ThemeConfig};
