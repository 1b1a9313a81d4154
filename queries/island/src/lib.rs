//! Components of a site as scripts of browsers: JSX and TypeScript become JavaScript, and the files that a page imports
//! become one module.
//!
//! A *use* is an element or an expression of a page that shows a component with state. The page holds what it shows at
//! first; the module of the page calls the component over that.
//!
//! ```text
//! import { island } from "/_theme/islands.<digest>.js";
//! const $ = island(import.meta.url), { h: $h, Fragment: $f, useState } = $;
//! const $1 = (() => { …/snippets/counter.jsx…; return { Counter } })();
//! const $0 = (() => { const Counter = $1["Counter"]; …the page…; return { rows, Counter } })();
//! $.mount([(({ Counter, rows }) => $s => $h(Counter, { rows }, $s(0)))({ ...$0 })], [$1, $0]);
//! ```
//!
//! The lowering is that of oxc; imports and exports are taken out of the text before it, since each file becomes a
//! function.

mod module;
mod script;

pub use module::{Linked, Part, Runtime, Target, Use, module};
pub use script::{Fault, Import, Script, expression, script, without_types};
