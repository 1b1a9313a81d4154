//! Sources of vectors: an endpoint, or a folder with a model that runs in this process. Callers see
//! no difference.

use super::endpoint::Endpoint;
#[cfg(feature = "bert")]
use super::folder::Folder;
use crate::index::vectors::Vector;
pub use quire_net::endpoint::Fault;
use quire_settings::{EmbedderSettings, Maker};

/// Source of vectors.
pub enum Source {
    /// Asked over the network.
    Endpoint(Box<Endpoint>),
    /// Run in this process.
    #[cfg(feature = "bert")]
    Folder(Folder),
}

/// Kind of a text; some models need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Question of a reader.
    Question,
    /// Passage to be found.
    Passage,
}

impl Source {
    /// Creates the source that `settings` name.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings are invalid. A folder is read later: a site is served
    /// without it.
    pub fn new(settings: &EmbedderSettings) -> anyhow::Result<Self> {
        match settings.maker()? {
            Maker::Endpoint { .. } => Ok(Self::Endpoint(Box::new(Endpoint::new(settings)?))),
            #[cfg(feature = "bert")]
            Maker::Folder(folder) => Ok(Self::Folder(Folder::new(folder, settings.threads))),
            #[cfg(not(feature = "bert"))]
            Maker::Folder(_) => anyhow::bail!("this program cannot run models"),
        }
    }

    /// Returns the cache key of its vectors, once they can be made: the name of the model at an
    /// endpoint, or the content of a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder is invalid.
    pub async fn identity(&self, name: &str) -> Result<String, Fault> {
        match self {
            Self::Endpoint(_) => Ok(name.to_owned()),
            #[cfg(feature = "bert")]
            Self::Folder(folder) => folder.identity().await,
        }
    }

    /// The vectors of `texts`, in their order.
    ///
    /// # Errors
    ///
    /// Returns why there are none, and whether there may be some later.
    #[cfg_attr(
        not(feature = "bert"),
        expect(unused_variables, reason = "an endpoint is told no kind")
    )]
    pub async fn embed(&self, texts: &[String], kind: Kind) -> Result<Vec<Vector>, Fault> {
        match self {
            Self::Endpoint(endpoint) => endpoint.embed(texts).await,
            #[cfg(feature = "bert")]
            Self::Folder(folder) => folder.embed(texts, kind).await,
        }
    }
}
