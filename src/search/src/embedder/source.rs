//! Where vectors come from: an endpoint, or a folder with a model that is run here. Whoever asks sees no difference.

#[cfg(feature = "bert")]
use super::bert::Folder;
use super::endpoint::Endpoint;
use crate::index::vectors::Vector;
pub use quire_net::endpoint::Fault;
use quire_settings::{EmbedderSettings, Maker};

/// What makes vectors.
pub enum Source {
    /// Asked over the network.
    Endpoint(Box<Endpoint>),
    /// Run in this process.
    #[cfg(feature = "bert")]
    Folder(Folder),
}

/// What texts are, as some models are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What someone looks for.
    Question,
    /// What is found.
    Passage,
}

impl Source {
    /// What `settings` name.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the settings. A folder is read later: a site is served without it.
    pub fn new(settings: &EmbedderSettings) -> anyhow::Result<Self> {
        match settings.maker()? {
            Maker::Endpoint { .. } => Ok(Self::Endpoint(Box::new(Endpoint::new(settings)?))),
            #[cfg(feature = "bert")]
            Maker::Folder(folder) => Ok(Self::Folder(Folder::new(folder, settings.threads))),
            #[cfg(not(feature = "bert"))]
            Maker::Folder(_) => anyhow::bail!("this program cannot run models"),
        }
    }

    /// What its vectors are kept by, when they can be made: the name of the model at an endpoint, what is in a folder.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the folder.
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
