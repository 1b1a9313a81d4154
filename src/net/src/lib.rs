//! The network: the one way out ([`network`]), endpoints of models, health of a server, rates of clients, and
//! the relay of the playground.

pub mod clients;
pub mod endpoint;
pub mod health;
pub mod network;
pub mod relay;
