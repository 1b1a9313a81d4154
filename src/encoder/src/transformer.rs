//! The transformer: vectors of the tokens of texts, each seen with all others of its text.
//!
//! The families differ in how they name their tensors, where positions begin, and little else. Texts stand one after the
//! other in one matrix, without anything to fill them up: a text looks at itself only, and its neighbors change nothing.

use anyhow::Context;
use candle_core::{Device, Tensor};

use crate::operations::{Activate, Activation, Normalize, Shift, Softmax};
use crate::weights::Weights;

/// Model family: its tensors, and their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// `bert`.
    Bert,
    /// `roberta`, `xlm-roberta`, `camembert`: positions begin behind the token that fills up.
    Roberta,
    /// `distilbert`: without types of tokens.
    DistilBert,
}

/// Settings of a transformer from `config.json`, all of them validated.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) family: Family,
    pub(crate) words: usize,
    pub(crate) positions: usize,
    pub(crate) types: usize,
    pub(crate) hidden: usize,
    pub(crate) inner: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) activation: Activation,
    pub(crate) epsilon: f32,
    /// The token that fills up.
    pub(crate) filler: u32,
}

/// The layers with their weights.
pub(crate) struct Transformer {
    config: Config,
    words: Tensor,
    positions: Tensor,
    /// Vector added to each token: that of the first type.
    shift: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Norm {
    scale: Vec<f32>,
    offset: Vec<f32>,
}

struct Layer {
    /// Computes query, key and value of each token.
    query_key_value: Linear,
    attention_output: Linear,
    attention: Norm,
    inner: Linear,
    outer: Linear,
    output: Norm,
}

struct Linear {
    /// Turned over, row after row: a column for each number that comes out.
    weight: Tensor,
    shift: Vec<f32>,
}

/// Names of the tensors of a layer, after the number of the layer.
struct Names {
    layers: &'static str,
    query_key_value: [&'static str; 3],
    attention_output: &'static str,
    attention: &'static str,
    inner: &'static str,
    outer: &'static str,
    output: &'static str,
}

const BERT: Names = Names {
    layers: "encoder.layer",
    query_key_value: [
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
    ],
    attention_output: "attention.output.dense",
    attention: "attention.output.LayerNorm",
    inner: "intermediate.dense",
    outer: "output.dense",
    output: "output.LayerNorm",
};

const DISTIL_BERT: Names = Names {
    layers: "transformer.layer",
    query_key_value: ["attention.q_lin", "attention.k_lin", "attention.v_lin"],
    attention_output: "attention.out_lin",
    attention: "sa_layer_norm",
    inner: "ffn.lin1",
    outer: "ffn.lin2",
    output: "output_layer_norm",
};

impl Config {
    /// Returns the maximum number of tokens of a text.
    pub(crate) fn most_tokens(&self) -> usize {
        match self.family {
            Family::Roberta => self.positions.saturating_sub(self.filler as usize + 1),
            Family::Bert | Family::DistilBert => self.positions,
        }
    }

    /// The positions of the tokens of a text.
    fn positions<'a>(&self, text: &'a [u32]) -> impl Iterator<Item = u32> + use<'a> {
        let (filler, is_roberta) = (self.filler, self.family == Family::Roberta);
        let mut next = 0;
        text.iter().map(move |token| {
            // A text may hold the name of the token that fills up.
            if is_roberta && *token == filler {
                return filler;
            }
            next += 1;
            if is_roberta { filler + next } else { next - 1 }
        })
    }
}

impl Transformer {
    /// Creates what `config` describes.
    ///
    /// # Errors
    ///
    /// Returns an error if weights are missing or have other shapes.
    pub(crate) fn new(config: Config, weights: &Weights) -> anyhow::Result<Self> {
        let hidden = config.hidden;
        let words = "embeddings.word_embeddings.weight";
        let positions = "embeddings.position_embeddings.weight";
        let types = "embeddings.token_type_embeddings.weight";
        let shift = match config.family {
            Family::DistilBert => vec![0.0; hidden],
            Family::Bert | Family::Roberta => {
                let types = weights.tensor(types, &[config.types, hidden])?;
                types.get(0)?.to_vec1()?
            }
        };
        // Before the tables, which are long: a model that claims too many layers is seen at the first that is missing.
        let mut layers = Vec::new();
        for number in 0..config.layers {
            layers.push(Layer::new(number, &config, weights)?);
        }
        Ok(Self {
            words: weights.tensor(words, &[config.words, hidden])?,
            positions: weights.tensor(positions, &[config.positions, hidden])?,
            shift,
            norm: Norm::new("embeddings.LayerNorm", hidden, weights)?,
            layers,
            config,
        })
    }

    /// Returns the number of dimensions of a vector.
    pub(crate) fn hidden(&self) -> usize {
        self.config.hidden
    }

    /// The vectors of the tokens of each text, one after the other. A text has at most as many as the model takes.
    ///
    /// # Errors
    ///
    /// Returns the error of the library.
    pub(crate) fn states(&self, texts: &[Vec<u32>]) -> anyhow::Result<Vec<Vec<f32>>> {
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let tokens = texts.concat();
        if tokens.is_empty() {
            return Ok(vec![Vec::new(); texts.len()]);
        }
        let positions = texts.iter().flat_map(|text| self.config.positions(text));
        let positions: Vec<u32> = positions.collect();
        let states = self.run(&tokens, &positions, &lengths);
        let states: Vec<f32> = states.context("run the model")?;
        let mut rest = &states[..];
        let of_texts = lengths.iter().map(|length| {
            let (text, behind) = rest.split_at(length * self.config.hidden);
            rest = behind;
            text.to_vec()
        });
        Ok(of_texts.collect())
    }

    fn run(
        &self,
        tokens: &[u32],
        positions: &[u32],
        lengths: &[usize],
    ) -> candle_core::Result<Vec<f32>> {
        let ids = |ids: &[u32]| Tensor::new(ids, &Device::Cpu);
        let mut states = self.words.index_select(&ids(tokens)?, 0)?;
        let positions = self.positions.index_select(&ids(positions)?, 0)?;
        let norm = |norm| self.normalize(norm, &self.shift);
        states.inplace_op2(&positions, &norm(&self.norm))?;
        for layer in &self.layers {
            let asked = states.matmul(&layer.query_key_value.weight)?;
            asked.inplace_op1(&Shift(&layer.query_key_value.shift))?;
            let attended = self.attend(&asked, lengths)?;
            let attended = attended.matmul(&layer.attention_output.weight)?;
            let norm = self.normalize(&layer.attention, &layer.attention_output.shift);
            attended.inplace_op2(&states, &norm)?;
            let inner = attended.matmul(&layer.inner.weight)?;
            inner.inplace_op1(&Activate(&layer.inner.shift, self.config.activation))?;
            states = inner.matmul(&layer.outer.weight)?;
            let norm = self.normalize(&layer.output, &layer.outer.shift);
            states.inplace_op2(&attended, &norm)?;
        }
        states.flatten_all()?.to_vec1()
    }

    fn normalize<'a>(&self, norm: &'a Norm, shift: &'a [f32]) -> Normalize<'a> {
        Normalize {
            shift,
            scale: &norm.scale,
            offset: &norm.offset,
            epsilon: self.config.epsilon,
        }
    }

    /// Self-attention: mixes the values of the tokens of each text by their queries and keys
    /// (`projected` holds all three).
    fn attend(&self, projected: &Tensor, lengths: &[usize]) -> candle_core::Result<Tensor> {
        let Config { hidden, heads, .. } = self.config;
        let projected = projected.reshape((projected.dim(0)?, 3, heads, hidden / heads))?;
        let mut outputs = Vec::new();
        let mut start = 0;
        for length in lengths.iter().filter(|length| **length > 0) {
            let text = projected.narrow(0, start, *length)?;
            let part = |i| text.narrow(1, i, 1)?.squeeze(1)?.transpose(0, 1);
            // What is asked was divided by the root of the width when the weights were read.
            let scores = part(0)?.matmul(&part(1)?.transpose(1, 2)?)?;
            scores.inplace_op1(&Softmax)?;
            let context = scores.matmul(&part(2)?)?;
            outputs.push(context.transpose(0, 1)?.reshape((*length, hidden))?);
            start += length;
        }
        Tensor::cat(&outputs, 0)
    }
}

impl Norm {
    fn new(name: &str, hidden: usize, weights: &Weights) -> anyhow::Result<Self> {
        Ok(Self {
            scale: weights.numbers(&format!("{name}.weight"), hidden)?,
            offset: weights.numbers(&format!("{name}.bias"), hidden)?,
        })
    }
}

impl Layer {
    fn new(number: usize, config: &Config, weights: &Weights) -> anyhow::Result<Self> {
        let names = match config.family {
            Family::Bert | Family::Roberta => BERT,
            Family::DistilBert => DISTIL_BERT,
        };
        let name = |name: &str| format!("{}.{number}.{name}", names.layers);
        let (hidden, inner) = (config.hidden, config.inner);
        let asked = names.query_key_value.map(&name);
        // The scores are divided by this; here it costs nothing.
        let root = ((hidden / config.heads) as f32).sqrt();
        let mut parts = Vec::new();
        let mut shift = Vec::new();
        for (i, part) in asked.iter().enumerate() {
            let by = if i == 0 { 1.0 / root } else { 1.0 };
            let weight = weights.tensor(&format!("{part}.weight"), &[hidden, hidden])?;
            parts.push((weight * f64::from(by))?);
            let shifts = weights.numbers(&format!("{part}.bias"), hidden)?;
            shift.extend(shifts.iter().map(|number| number * by));
        }
        let linear = |part: &str, from: usize, to: usize| {
            let part = name(part);
            let weight = weights.tensor(&format!("{part}.weight"), &[to, from])?;
            let shift = weights.numbers(&format!("{part}.bias"), to)?;
            Linear::new(&weight, shift)
        };
        Ok(Self {
            query_key_value: Linear::new(&Tensor::cat(&parts, 0)?, shift)?,
            attention_output: linear(names.attention_output, hidden, hidden)?,
            attention: Norm::new(&name(names.attention), hidden, weights)?,
            inner: linear(names.inner, hidden, inner)?,
            outer: linear(names.outer, inner, hidden)?,
            output: Norm::new(&name(names.output), hidden, weights)?,
        })
    }
}

impl Linear {
    fn new(weight: &Tensor, shift: Vec<f32>) -> anyhow::Result<Self> {
        Ok(Self {
            // Copied, so that a product reads it in order: a query of a few tokens takes a third of the time.
            weight: weight.t()?.contiguous()?,
            shift,
        })
    }
}
