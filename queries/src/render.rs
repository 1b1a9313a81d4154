//! The look of a site: templates from view structs to HTML, and the theme the browser gets.
//!
//! Files in this folder only draw: a view struct goes in, markup comes out, and nothing there sees the database or
//! decides what is true. Strings from users are escaped by the templates; slots that take [`maud::PreEscaped`] hold
//! HTML that was rendered before.

pub mod article;
pub mod banner;
pub mod colour;
pub mod components;
pub mod document;
mod element;
pub mod eyebrow;
pub mod fence;
pub mod footer;
pub mod header;
pub mod html;
pub mod icon;
pub mod layout;
pub mod not_found;
pub mod pager;
pub mod pill;
pub mod problem;
pub mod prose;
pub mod sidebar;
pub mod site_style;
pub mod switcher;
pub mod theme;
pub mod toc;

#[cfg(test)]
mod gallery;
