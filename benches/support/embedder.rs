//! The embedder that the environment names: the endpoint `QUIRE_EMBEDDER_URL`, whose model is `QUIRE_EMBEDDER_MODEL`, or the
//! model in the folder `QUIRE_EMBEDDER_FOLDER`, with `QUIRE_EMBEDDER_THREADS`.

use quire_settings::EmbedderSettings;

/// Embedder that makes the vectors, if there is one.
pub(crate) fn settings() -> Option<EmbedderSettings> {
    let variable = |name: &str| std::env::var(name).ok();
    if let Some(folder) = variable("QUIRE_EMBEDDER_FOLDER") {
        let settings = EmbedderSettings {
            threads: variable("QUIRE_EMBEDDER_THREADS").and_then(|count| count.parse().ok()),
            ..EmbedderSettings::of_folder(folder.as_ref())
        };
        settings.check().expect("settings");
        return Some(settings);
    }
    let (url, model) = (
        variable("QUIRE_EMBEDDER_URL")?,
        variable("QUIRE_EMBEDDER_MODEL")?,
    );
    Some(EmbedderSettings {
        private: true,
        ..EmbedderSettings::new(&url, &model)
    })
}
