//! Search: the index of a site ([`index`]), vectors of passages ([`embedder`]), and the service that
//! keeps both current ([`search_service`]); copies of an index that others answer from ([`stored`]).

pub mod embedder;
pub mod index;
pub mod search_service;
pub mod stored;
