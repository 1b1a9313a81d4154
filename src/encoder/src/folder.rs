//! Reads the folder of a model: what sentence-transformers writes, or config.json, tokenizer.json
//! and model.safetensors alone. Nothing in it is trusted: the folder may be meant for another
//! program, or be malicious.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Model;
use crate::operations::Activation;
use crate::pooling::{Choice, Pooling};
use crate::tokens::{Reading, Tokens};
use crate::transformer::{Config, Family, Transformer};
use crate::weights::Weights;

/// Changes when the same files make other vectors.
const VERSION: &str = "2";

/// Largest file of settings, and largest tokenizer and weights, in bytes.
const MAX_SETTINGS: u64 = 1 << 20;
const MAX_TOKENIZER: u64 = 64 << 20;
const MAX_WEIGHTS: u64 = 4 << 30;

/// Maximum number of tokens of a text, even if a model takes more: a passage has a few hundred, and
/// time grows with their square.
const MAX_TOKENS: usize = 1024;

/// Reads the model in `folder`.
pub(crate) fn read(folder: &Path) -> anyhow::Result<Model> {
    ensure!(
        folder.is_dir(),
        "{}: there is no such folder",
        folder.display()
    );
    let mut files = Files {
        folder,
        read: Vec::new(),
    };
    let modules = Modules::of(&mut files)?;
    let at = |name: &str| modules.transformer.join(name);
    let config = config(&mut files, &at("config.json"))?;
    let sentence: Sentence = files.settings(&at("sentence_bert_config.json"))?;
    let prompts: Prompts = files.settings(Path::new("config_sentence_transformers.json"))?;
    let pooling = modules.pooling(&mut files, config.hidden, &prompts)?;
    let most = sentence.max_seq_length.unwrap_or(usize::MAX);
    let reading = Reading {
        max_tokens: most.min(config.most_tokens()).min(MAX_TOKENS),
        is_lower_case: sentence.do_lower_case,
        query: prompts.of(&["query"]),
        document: prompts.of(&["document", "passage"]),
    };
    let path = files.path(&at("tokenizer.json"));
    let tokenizer = files.needed(&at("tokenizer.json"), MAX_TOKENIZER)?;
    let tokens = Tokens::new(&path, &tokenizer, config.words, reading)?;
    let path = files.path(&at("model.safetensors"));
    let weights = files.needed(&at("model.safetensors"), MAX_WEIGHTS)?;
    let identity = files.identity();
    let weights = Weights::new(&path, weights)?;
    let transformer = Transformer::new(config, &weights)?;
    Ok(Model {
        tokens,
        transformer,
        pooling,
        identity,
    })
}

/// The files of a folder, and what was read of them.
struct Files<'a> {
    folder: &'a Path,
    read: Vec<(PathBuf, [u8; 32])>,
}

impl Files<'_> {
    fn path(&self, name: &Path) -> PathBuf {
        self.folder.join(name)
    }

    /// Reads a file of at most `most` bytes; `None` if it does not exist.
    fn optional(&mut self, name: &Path, most: u64) -> anyhow::Result<Option<Vec<u8>>> {
        let path = self.path(name);
        let metadata = match std::fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        ensure!(metadata.is_file(), "{}: it is no file", path.display());
        let too_large = || format!("{}: it is larger than {most} bytes", path.display());
        ensure!(metadata.len() <= most, too_large());
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len())?);
        let file = std::fs::File::open(&path).with_context(|| path.display().to_string())?;
        // It may grow in the meantime.
        let length = file.take(most + 1).read_to_end(&mut bytes);
        let length = length.with_context(|| path.display().to_string())?;
        ensure!(length as u64 <= most, too_large());
        let digest = *blake3::hash(&bytes).as_bytes();
        self.read.push((name.to_owned(), digest));
        Ok(Some(bytes))
    }

    /// Reads a file that must exist.
    fn needed(&mut self, name: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
        if let Some(bytes) = self.optional(name, most)? {
            return Ok(bytes);
        }
        let is_weights = name
            .file_name()
            .is_some_and(|name| name == "model.safetensors");
        let has = |other: &str| is_weights && self.path(&name.with_file_name(other)).exists();
        let hint = if has("model.safetensors.index.json") {
            "weights in several files are not read; save the model in one"
        } else if has("pytorch_model.bin") {
            "pytorch_model.bin is not read; save the model with `safe_serialization=True`"
        } else {
            "the folder of a model has config.json, tokenizer.json and model.safetensors"
        };
        bail!("{}: it is not there: {hint}", self.path(name).display())
    }

    /// The settings in a file; those of an empty one if it is not there.
    fn settings<T: DeserializeOwned + Default>(&mut self, name: &Path) -> anyhow::Result<T> {
        match self.optional(name, MAX_SETTINGS)? {
            Some(bytes) => self.parse(name, &bytes),
            None => Ok(T::default()),
        }
    }

    fn parse<T: DeserializeOwned>(&self, name: &Path, bytes: &[u8]) -> anyhow::Result<T> {
        let parsed = serde_json::from_slice(bytes);
        parsed.with_context(|| {
            format!(
                "{}: it is damaged, or of another kind",
                self.path(name).display()
            )
        })
    }

    /// Names everything that was read.
    fn identity(&self) -> String {
        let mut read = self.read.clone();
        read.sort();
        // Each part behind its length, so that no two lists of parts are the same bytes.
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(b"model in a folder");
        add(VERSION.as_bytes());
        for (name, digest) in &read {
            add(name.to_string_lossy().as_bytes());
            add(digest);
        }
        format!("folder {}", hasher.finalize().to_hex())
    }
}

/// Content of `modules.json`: the steps that a text goes through.
struct Modules {
    /// The folder of config.json, tokenizer.json and model.safetensors.
    transformer: PathBuf,
    /// The folder of the settings of the pooling; without one, the mean is taken.
    pooling: Option<PathBuf>,
    is_normalized: bool,
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    path: PathBuf,
}

impl Modules {
    fn of(files: &mut Files<'_>) -> anyhow::Result<Self> {
        let name = Path::new("modules.json");
        let mut modules = Self {
            transformer: PathBuf::new(),
            pooling: None,
            is_normalized: false,
        };
        let Some(bytes) = files.optional(name, MAX_SETTINGS)? else {
            return Ok(modules);
        };
        let module_list: Vec<Module> = files.parse(name, &bytes)?;
        let path = files.path(name);
        let kinds = module_list.iter().map(|module| {
            let kind = module.kind.rsplit('.').next();
            kind.unwrap_or_default()
        });
        let kinds: Vec<&str> = kinds.collect();
        modules.is_normalized = match kinds[..] {
            ["Transformer", "Pooling"] => false,
            ["Transformer", "Pooling", "Normalize"] => true,
            _ => bail!(
                "{}: its modules are {}: only Transformer, Pooling and Normalize are known, in this order",
                path.display(),
                kinds.join(", ")
            ),
        };
        for module in &module_list {
            let mut parts = module.path.components();
            ensure!(
                parts.all(|part| matches!(part, Component::Normal(_))),
                "{}: `path` leads out of the folder: {}",
                path.display(),
                module.path.display()
            );
        }
        modules.transformer.clone_from(&module_list[0].path);
        modules.pooling = Some(module_list[1].path.clone());
        Ok(modules)
    }

    /// Returns how the vector of a text is made from those of its tokens.
    fn pooling(
        &self,
        files: &mut Files<'_>,
        hidden: usize,
        prompts: &Prompts,
    ) -> anyhow::Result<Pooling> {
        let mut pooling = Pooling {
            choice: Choice::Mean,
            is_normalized: self.is_normalized,
        };
        let Some(folder) = &self.pooling else {
            return Ok(pooling);
        };
        let name = folder.join("config.json");
        let bytes = files.needed(&name, MAX_SETTINGS)?;
        let pooling_config: Value = files.parse(&name, &bytes)?;
        let path = files.path(&name);
        let path = path.display();
        let width = ["word_embedding_dimension", "embedding_dimension"];
        let width = width
            .iter()
            .find_map(|name| pooling_config.get(name)?.as_u64());
        ensure!(
            width.is_none_or(|width| width == hidden as u64),
            "{path}: `word_embedding_dimension` is {}, and `hidden_size` of config.json {hidden}",
            width.unwrap_or_default()
        );
        let modes: Vec<&str> = match &pooling_config["pooling_mode"] {
            Value::String(mode) => vec![mode],
            _ => {
                let fields = pooling_config.as_object().into_iter().flatten();
                let modes = fields.filter(|(_, is_set)| **is_set == Value::Bool(true));
                modes
                    .filter_map(|(name, _)| name.strip_prefix("pooling_mode_"))
                    .collect()
            }
        };
        pooling.choice = match modes[..] {
            ["cls" | "cls_token"] => Choice::First,
            ["mean" | "mean_tokens"] => Choice::Mean,
            ["max" | "max_tokens"] => Choice::Largest,
            ["mean_sqrt_len_tokens"] => Choice::MeanByRoot,
            _ => bail!(
                "{path}: the pooling is `{}`: one of cls, mean, max and mean_sqrt_len_tokens is known",
                modes.join(" and ")
            ),
        };
        ensure!(
            pooling_config["include_prompt"] != Value::Bool(false) || prompts.prompts.is_empty(),
            "{path}: `include_prompt` is false: that the words before a text are left out of its vector is not supported"
        );
        Ok(pooling)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sentence {
    max_seq_length: Option<usize>,
    do_lower_case: bool,
}

/// Prefixes of texts.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Prompts {
    prompts: std::collections::BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

impl Prompts {
    /// The first of those with these names, else that which is always set.
    fn of(&self, names: &[&str]) -> String {
        let named = names.iter().find_map(|name| self.prompts.get(*name));
        let always = || self.prompts.get(self.default_prompt_name.as_ref()?);
        named.or_else(always).cloned().unwrap_or_default()
    }
}

/// Fields used from `config.json`. DistilBERT has names of its own.
#[derive(Deserialize)]
struct ModelConfig {
    vocab_size: usize,
    #[serde(alias = "dim")]
    hidden_size: usize,
    #[serde(alias = "n_layers")]
    num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    num_attention_heads: usize,
    #[serde(alias = "hidden_dim")]
    intermediate_size: usize,
    #[serde(alias = "activation")]
    hidden_act: String,
    max_position_embeddings: usize,
    #[serde(default = "types")]
    type_vocab_size: usize,
    layer_norm_eps: Option<f64>,
    pad_token_id: Option<u32>,
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
}

fn types() -> usize {
    2
}

fn config(files: &mut Files<'_>, name: &Path) -> anyhow::Result<Config> {
    let bytes = files.needed(name, MAX_SETTINGS)?;
    let path = files.path(name);
    let path = path.display();
    let kind: Value = files.parse(name, &bytes)?;
    let kind = kind["model_type"].as_str().unwrap_or("");
    let family = match kind {
        "bert" => Family::Bert,
        "roberta" | "xlm-roberta" | "camembert" => Family::Roberta,
        "distilbert" => Family::DistilBert,
        _ => bail!(
            "{path}: `model_type` is `{kind}`: bert, distilbert, roberta, xlm-roberta and camembert are known; others can be asked behind an endpoint"
        ),
    };
    let model_config: ModelConfig = files.parse(name, &bytes)?;
    let activation = match model_config.hidden_act.as_str() {
        "gelu" => Activation::Gelu,
        "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Activation::GeluTanh,
        "relu" => Activation::Relu,
        other => bail!("{path}: `hidden_act` is `{other}`: gelu, gelu_new and relu are known"),
    };
    let positions = model_config.position_embedding_type.as_deref();
    ensure!(
        positions.is_none_or(|kind| kind == "absolute"),
        "{path}: `position_embedding_type` is `{}`: only `absolute` is known",
        positions.unwrap_or_default()
    );
    ensure!(
        !model_config.is_decoder,
        "{path}: `is_decoder` is true: only encoders are known"
    );
    for (name, value, most) in [
        ("vocab_size", model_config.vocab_size, 1 << 24),
        ("hidden_size", model_config.hidden_size, 8192),
        ("num_hidden_layers", model_config.num_hidden_layers, 256),
        (
            "num_attention_heads",
            model_config.num_attention_heads,
            8192,
        ),
        ("intermediate_size", model_config.intermediate_size, 1 << 20),
        (
            "max_position_embeddings",
            model_config.max_position_embeddings,
            1 << 20,
        ),
        ("type_vocab_size", model_config.type_vocab_size, 1 << 10),
    ] {
        ensure!(
            (1..=most).contains(&value),
            "{path}: `{name}` is {value}: it can be 1 to {most}"
        );
    }
    let (hidden, heads) = (model_config.hidden_size, model_config.num_attention_heads);
    ensure!(
        hidden.is_multiple_of(heads),
        "{path}: `hidden_size` is {hidden}, which {heads} `num_attention_heads` do not divide"
    );
    let epsilon = model_config.layer_norm_eps.unwrap_or(1e-12);
    ensure!(
        (0.0..=1.0).contains(&epsilon),
        "{path}: `layer_norm_eps` is {epsilon}: it can be 0 to 1"
    );
    let config = Config {
        family,
        words: model_config.vocab_size,
        positions: model_config.max_position_embeddings,
        types: model_config.type_vocab_size,
        hidden,
        inner: model_config.intermediate_size,
        layers: model_config.num_hidden_layers,
        heads,
        activation,
        epsilon: epsilon as f32,
        filler: model_config.pad_token_id.unwrap_or(match family {
            Family::Roberta => 1,
            Family::Bert | Family::DistilBert => 0,
        }),
    };
    ensure!(
        config.most_tokens() > 0,
        "{path}: `max_position_embeddings` is {} and `pad_token_id` {}: no position is left",
        config.positions,
        config.filler
    );
    Ok(config)
}
