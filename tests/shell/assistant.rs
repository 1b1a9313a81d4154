//! The assistant: what it answers, what it refuses, and what of it is on a page.

mod asked;
mod direct;
mod http;
mod needs;
mod pairs;
mod preferred;
mod quality;
mod quoted;

use crate::search::off_topic;
