//! The language model of a site. Its previews ask the same one, so that together they stay within what a day may cost,
//! and what was asked today is known after a restart.

use std::sync::{Arc, Mutex, PoisonError};

use quire_assistant::model::Model;
use quire_assistant::model::limits::DailyUse;
use quire_settings::AssistantSettings;
use quire_storage::{Error, Expected, Kind, Name, Record, Storage, wait};

/// Number of times that the use is compared again because another has written it.
const MAX_ATTEMPTS: usize = 10;

/// The model of a site and of its previews, made when it is needed first.
pub(super) struct SharedModel {
    settings: AssistantSettings,
    storage: Arc<dyn Storage>,
    id: String,
    model: Mutex<Option<Arc<Model>>>,
}

impl SharedModel {
    /// The model that `settings` of the site `id` name, which keeps what it used in `storage`.
    pub(super) fn new(settings: &AssistantSettings, storage: Arc<dyn Storage>, id: &str) -> Self {
        Self {
            settings: settings.clone(),
            storage,
            id: id.to_owned(),
            model: Mutex::default(),
        }
    }

    /// The model, if the settings name one.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the settings.
    pub(super) fn get(&self) -> anyhow::Result<Option<Arc<Model>>> {
        let Some(settings) = &self.settings.model else {
            return Ok(None);
        };
        let mut model_slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = &*model_slot {
            return Ok(Some(model.clone()));
        }
        let name = Name::of(Kind::ModelUse, &self.id);
        let used = recorded_use(&*self.storage, &name).0;
        let storage = self.storage.clone();
        let keep = move |used: DailyUse| keep(&*storage, &name, used);
        let model = Model::new(settings, self.settings.rerank.as_ref(), used, keep)?;
        Ok(Some(model_slot.insert(Arc::new(model)).clone()))
    }
}

/// Last recorded use, with its version; empty if it cannot be read.
fn recorded_use(storage: &dyn Storage, name: &Name) -> (DailyUse, Expected) {
    match wait(storage.get(name)) {
        Ok(Some(Record { bytes, version })) => (
            serde_json::from_slice(&bytes).unwrap_or_default(),
            Expected::Version(version),
        ),
        Ok(None) | Err(_) => (DailyUse::default(), Expected::Absent),
    }
}

/// Writes down what is used, unless more was written before: a limit that cannot be kept still holds until the end of the
/// process.
fn keep(storage: &dyn Storage, name: &Name, now: DailyUse) {
    let Ok(text) = serde_json::to_vec(&now) else {
        return;
    };
    for _ in 0..MAX_ATTEMPTS {
        let (before, expected) = recorded_use(storage, name);
        if (before.day, before.count) >= (now.day, now.count) {
            return;
        }
        match wait(storage.put(name, &text, expected)) {
            // Another answer was begun meanwhile.
            Err(Error::Conflict) => {}
            Err(error) => {
                tracing::debug!("failed to save the usage of the assistant's model: {error}");
                return;
            }
            Ok(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quire_settings::{ModelApi, ModelSettings};
    use quire_storage::memory::Memory;

    #[test]
    fn what_a_model_used_today_is_known_after_a_restart() {
        let storage: Arc<dyn Storage> = Arc::new(Memory::default());
        let name = Name::of(Kind::ModelUse, "docs");
        let days = [(20_000, 1), (20_000, 3), (20_000, 2), (20_001, 1)];
        let kept = days.map(|(day, count)| {
            keep(&*storage, &name, DailyUse { day, count });
            let kept = recorded_use(&*storage, &name).0;
            (kept.day, kept.count)
        });
        assert_eq!(kept, [(20_000, 1), (20_000, 3), (20_000, 3), (20_001, 1)]);
        let model = ModelSettings::new(ModelApi::OpenAi, "https://models.example/v1", "small");
        let settings = AssistantSettings {
            model: Some(model),
            ..AssistantSettings::default()
        };
        let shared = SharedModel::new(&settings, storage, "docs");
        let model = shared.get().unwrap().unwrap();
        assert_eq!(model.status().today, (1, Some(1000)));
        assert!(Arc::ptr_eq(&model, &shared.get().unwrap().unwrap()));
    }
}
