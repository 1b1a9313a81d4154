//! The look of a site: templates from view structs to HTML, and the theme the browser gets.
//!
//! Everything here only renders: a view struct goes in, markup comes out, and nothing sees the
//! database or decides what is true. Strings from users are escaped by the templates; slots that
//! take [`maud::PreEscaped`] hold HTML that was rendered before. The queries that render are in
//! `body.rs` and `frame.rs`.

pub mod article;
pub mod ask;
pub mod assets;
pub mod banner;
pub mod card;
pub mod code_scheme;
pub mod color;
pub mod components;
pub mod console;
pub mod css;
pub mod document;
mod element;
pub use element::{ComponentDocs, component_docs, component_names, is_component};
pub mod eyebrow;
pub mod fence;
pub mod footer;
pub mod header;
pub mod hooks;
pub mod html;
pub mod icon;
pub mod icon_library;
mod image;
mod instance;
pub mod label;
pub mod language;
pub mod layout;
pub mod measurements;
pub mod not_found;
pub mod page_foot;
pub mod page_menu;
pub mod pager;
pub mod pill;
pub mod problem;
pub mod prose;
pub mod reference;
pub mod search;
pub mod sidebar;
pub mod site_style;
pub mod switcher;
pub mod toc;
pub mod typeface;
pub mod vendors;
pub mod words;
