//! The shell from outside: real sockets on loopback, real folders, the built program.

mod assistant;
mod cli;
mod corpus;
mod crash;
mod crash_points;
mod daemon;
mod events;
mod eviction;
mod export;
mod faults;
mod fetch;
mod host;
mod http_feedback;
mod http_gate;
mod http_mcp;
mod http_mock;
mod http_search;
mod http_site;
mod licenses;
mod links;
mod openapi;
mod pack;
mod previews;
#[path = "../random_numbers.rs"]
mod random_numbers;
mod relay;
mod restart;
mod search;
mod signals;
mod state_folder;
mod storage;
mod support;
mod texts;
mod traversal;
mod unfinished;
mod watch;
