//! The numbers of a model, as `model.safetensors` holds them. Each is validated before it is used:
//! what config.json says and what the file has may differ.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use candle_core::safetensors::BufferedSafetensors;
use candle_core::{DType, Device, Tensor};

/// The tensor that every model has, whose name shows the prefix of all names.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// The numbers of a model by name.
pub(crate) struct Weights {
    path: PathBuf,
    tensors: BufferedSafetensors,
    /// Prefix of all names, such as `bert.`.
    before: String,
}

impl Weights {
    /// Weights in `bytes`, of the file at `path`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is invalid.
    pub(crate) fn new(path: &Path, bytes: Vec<u8>) -> anyhow::Result<Self> {
        let tensors = BufferedSafetensors::new(bytes).map_err(|error| {
            anyhow!(
                "{}: it is cut off or damaged ({error}): fetch it again",
                path.display()
            )
        })?;
        let names = tensors.tensors().into_iter().map(|(name, _)| name);
        let before = names.filter_map(|name| name.strip_suffix(WORDS).map(str::to_owned));
        let before = before.min_by_key(String::len).with_context(|| {
            format!(
                "{}: it has no tensor `{WORDS}`: this is no encoder of the BERT family",
                path.display()
            )
        })?;
        Ok(Self {
            path: path.to_owned(),
            tensors,
            before,
        })
    }

    /// The tensor of this name and shape, as `f32`.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not exist, or has another shape than config.json states.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> anyhow::Result<Tensor> {
        let name = format!("{}{name}", self.before);
        let path = self.path.display();
        let view = self.tensors.get(&name).map_err(|_| {
            anyhow!("{path}: it has no tensor `{name}`, which config.json tells of: the two are of different models, or the file is damaged")
        })?;
        ensure!(
            view.shape() == shape,
            "{path}: `{name}` has the shape {:?}, and by config.json {shape:?}: the two are of different models",
            view.shape()
        );
        let tensor = self.tensors.load(&name, &Device::Cpu);
        let tensor = tensor.and_then(|tensor| match tensor.dtype() {
            DType::F32 | DType::F16 | DType::BF16 | DType::F64 => tensor.to_dtype(DType::F32),
            other => candle_core::bail!("{other:?} is not read"),
        });
        tensor.map_err(|error| {
            anyhow!("{path}: `{name}` is of a kind that is not read ({error}): save the model as float32 or float16")
        })
    }

    /// The numbers of the tensor of this name, which has so many.
    ///
    /// # Errors
    ///
    /// As [`Self::tensor`].
    pub(crate) fn numbers(&self, name: &str, count: usize) -> anyhow::Result<Vec<f32>> {
        Ok(self.tensor(name, &[count])?.to_vec1()?)
    }
}
