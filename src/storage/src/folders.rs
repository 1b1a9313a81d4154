//! Cache folders of the user.

use std::path::PathBuf;

/// The cache folder of the user: `$XDG_CACHE_HOME`, else `~/.cache`; none if neither is known.
pub fn cache() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    base.filter(|base| base.is_absolute()).or_else(home)
}
