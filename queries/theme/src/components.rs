//! One template per family of MDX components. Children come rendered.

pub mod accordion;
pub mod badge;
pub mod callout;
pub mod card;
pub mod code_block;
pub mod code_group;
pub mod color;
pub mod diagram;
pub mod expandable;
pub mod fields;
pub mod frame;
pub mod panel;
pub mod prompt;
pub mod prose;
pub mod steps;
pub mod tabs;
pub mod tile;
pub mod tooltip;
pub mod tree;
pub mod update;
pub mod view;
