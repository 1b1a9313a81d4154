//! The playground's relay: what it sends and hands on, whom it refuses, what it costs.

mod hostile;
mod limits;
mod redirects;
mod refused;
mod sent;
mod streams;
mod support;
