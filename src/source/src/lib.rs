//! Sources of a site: a folder, a commit of a repository, specifications that are fetched; and the
//! watch that follows them.

pub mod external;
pub mod fetch;
pub mod ignored;
pub mod images;
pub mod links_out;
pub mod load;
pub mod repository;
pub mod root_dir;
pub mod sources;
pub mod watch;
