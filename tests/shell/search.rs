//! The search index by itself: what is found, in which order, and that neither history nor damage shows.

mod comparable;
mod damage;
mod deadline;
mod embedders;
mod endpoint;
mod engines;
mod exact;
mod following;
mod history;
mod intervals;
mod invented;
pub(crate) mod judged;
mod languages;
#[cfg(feature = "bert")]
mod local;
#[cfg(feature = "bert")]
mod local_sites;
mod nearest;
mod nonsense;
pub(crate) mod off_topic;
mod phrases;
mod quality;
mod questions;
mod results;
mod words_first;
