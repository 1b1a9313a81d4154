//! A model in a folder: its vectors are those of another implementation, and nothing in a folder is believed.

use quire_encoder::{Kind, Model};
use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::repository;

/// A copy of the small model (`tests/oracle/bert.py` says how it was made).
fn model() -> Folder {
    Folder::copy_of(&repository().join("tests/shell/search/bert"))
}

fn expected() -> Value {
    let path = repository().join("tests/shell/search/bert/expected.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn texts() -> Vec<String> {
    serde_json::from_value(expected()["texts"].clone()).unwrap()
}

/// Changes a file of JSON.
fn change(folder: &Folder, file: &str, change: impl FnOnce(&mut Value)) {
    let text = std::fs::read(folder.at(file)).unwrap();
    let mut value = serde_json::from_slice(&text).unwrap();
    change(&mut value);
    folder.write(file, value.to_string());
}

/// Changes the header of the weights; the numbers stay.
fn change_weights(folder: &Folder, change: impl FnOnce(&mut Value)) {
    let bytes = std::fs::read(folder.at("model.safetensors")).unwrap();
    let (length, rest) = bytes.split_first_chunk::<8>().unwrap();
    let (header, numbers) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let mut header: Value = serde_json::from_slice(header).unwrap();
    change(&mut header);
    let header = header.to_string();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(numbers);
    std::fs::write(folder.at("model.safetensors"), bytes).unwrap();
}

/// Gives tensors other names.
fn rename(folder: &Folder, name: impl Fn(&str) -> String) {
    change_weights(folder, |header| {
        let tensors = header.as_object().unwrap().iter();
        *header = tensors
            .map(|(old, tensor)| (name(old), tensor.clone()))
            .collect();
    });
}

fn read(folder: &Folder) -> Model {
    Model::read(folder.path()).unwrap_or_else(|error| panic!("{error:#}"))
}

#[track_caller]
fn check_vectors(variant: &str, edit: impl FnOnce(&Folder)) {
    let folder = model();
    edit(&folder);
    let vectors = read(&folder).numbers(&texts(), Kind::Document).unwrap();
    let expected: Vec<Vec<f32>> =
        serde_json::from_value(expected()["vectors"][variant].clone()).unwrap();
    check_near(&vectors, &expected, 1e-4);
}

#[track_caller]
fn check_near(vectors: &[Vec<f32>], expected: &[Vec<f32>], most: f32) {
    assert_eq!(vectors.len(), expected.len());
    for (i, (vector, expected)) in vectors.iter().zip(expected).enumerate() {
        assert_eq!(vector.len(), expected.len());
        for (number, expected) in vector.iter().zip(expected) {
            assert!(
                (number - expected).abs() <= most,
                "text {i}: {number}, not {expected}"
            );
        }
    }
}

/// Leaves out the module that makes vectors as long as one.
fn as_they_are(folder: &Folder) {
    change(folder, "modules.json", |modules| {
        modules.as_array_mut().unwrap().pop();
    });
}

fn pool_by(folder: &Folder, mode: &str) {
    as_they_are(folder);
    change(folder, "1_Pooling/config.json", |pooling| {
        for (name, is_set) in pooling.as_object_mut().unwrap() {
            if name.starts_with("pooling_mode_") {
                *is_set = (name == mode).into();
            }
        }
    });
}

fn configure(folder: &Folder, name: &str, value: impl Into<Value>) {
    change(folder, "config.json", |config| config[name] = value.into());
}

#[test]
fn vectors_are_those_of_another_implementation() {
    check_vectors("mean, normalized", |_| {});
    check_vectors("mean", as_they_are);
    check_vectors("cls", |folder| pool_by(folder, "pooling_mode_cls_token"));
    check_vectors("max", |folder| pool_by(folder, "pooling_mode_max_tokens"));
    check_vectors("mean_sqrt_len_tokens", |folder| {
        pool_by(folder, "pooling_mode_mean_sqrt_len_tokens");
    });
    for activation in ["gelu_new", "relu"] {
        check_vectors(activation, |folder| {
            as_they_are(folder);
            configure(folder, "hidden_act", activation);
        });
    }
    check_vectors("epsilon", |folder| {
        as_they_are(folder);
        configure(folder, "layer_norm_eps", 0.1);
    });
}

#[test]
fn the_families_of_bert_are_told_apart() {
    for family in ["roberta", "xlm-roberta", "camembert"] {
        check_vectors("roberta", |folder| {
            as_they_are(folder);
            configure(folder, "model_type", family);
        });
    }
    check_vectors("distilbert", |folder| {
        as_they_are(folder);
        let config = json!({
            "model_type": "distilbert", "activation": "gelu", "dim": 16, "hidden_dim": 32, "n_heads": 2,
            "n_layers": 2, "vocab_size": 137, "max_position_embeddings": 40, "pad_token_id": 0,
        });
        folder.write("config.json", config.to_string());
        rename(folder, |name| {
            let names = [
                ("encoder.layer", "transformer.layer"),
                ("attention.self.query", "attention.q_lin"),
                ("attention.self.key", "attention.k_lin"),
                ("attention.self.value", "attention.v_lin"),
                ("attention.output.dense", "attention.out_lin"),
                ("attention.output.LayerNorm", "sa_layer_norm"),
                ("intermediate.dense", "ffn.lin1"),
                ("output.LayerNorm", "output_layer_norm"),
                ("output.dense", "ffn.lin2"),
            ];
            let renamed = names
                .iter()
                .fold(name.to_owned(), |name, (from, to)| name.replace(from, to));
            format!("distilbert.{renamed}")
        });
    });
}

#[test]
fn neither_neighbors_nor_batches_change_a_vector() {
    let model = read(&model());
    let texts = texts();
    let together = model.numbers(&texts, Kind::Document).unwrap();
    let alone = texts.iter().map(|text| {
        let mut vectors = model
            .numbers(std::slice::from_ref(text), Kind::Document)
            .unwrap();
        vectors.remove(0)
    });
    check_near(&alone.collect::<Vec<_>>(), &together, 1e-6);
    let mut backwards = texts.clone();
    backwards.reverse();
    let mut backwards = model.numbers(&backwards, Kind::Document).unwrap();
    backwards.reverse();
    check_near(&backwards, &together, 1e-6);
    assert_eq!(
        model.numbers(&[], Kind::Document).unwrap(),
        Vec::<Vec<f32>>::new()
    );
}

/// The vector of `text`, of the model that `edit` makes of the small one.
fn vector(text: &str, kind: Kind, edit: impl FnOnce(&Folder)) -> Vec<f32> {
    let folder = model();
    edit(&folder);
    read(&folder)
        .numbers(&[text.to_owned()], kind)
        .unwrap()
        .remove(0)
}

#[test]
fn tokenizers_of_other_families_are_read() {
    let texts = ["tea hot cups", "make tea", "the"].map(str::to_owned);
    let plain = read(&model()).numbers(&texts, Kind::Document).unwrap();
    let words = |folder: &Folder| {
        let tokenizer: Value = serde_json::from_str(&folder.read("tokenizer.json")).unwrap();
        let vocabulary = tokenizer["model"]["vocab"].as_object().unwrap().clone();
        let mut words: Vec<(String, u64)> = vocabulary
            .into_iter()
            .map(|(word, id)| (word, id.as_u64().unwrap()))
            .collect();
        words.sort_by_key(|(_, id)| *id);
        words.into_iter().map(|(word, _)| word).collect::<Vec<_>>()
    };
    // As XLM-RoBERTa has it: words with their probabilities, each with a mark for the space before it.
    let unigram = model();
    let vocabulary = words(&unigram);
    let vocabulary = vocabulary.iter().map(|word| match word.len() {
        2.. if word.chars().all(char::is_alphabetic) => json!([format!("▁{word}"), -2.5]),
        _ => json!([word, -9.75]),
    });
    let vocabulary: Vec<Value> = vocabulary.collect();
    change(&unigram, "tokenizer.json", |tokenizer| {
        tokenizer["normalizer"] = Value::Null;
        tokenizer["pre_tokenizer"] = json!({ "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true });
        tokenizer["model"] = json!({ "type": "Unigram", "unk_id": 1, "vocab": vocabulary });
        tokenizer["decoder"] = Value::Null;
    });
    check_near(
        &read(&unigram).numbers(&texts, Kind::Document).unwrap(),
        &plain,
        1e-6,
    );
    // As RoBERTa has it: pairs of letters that were merged.
    let pairs = model();
    let mut vocabulary = serde_json::Map::new();
    for (id, word) in words(&pairs).iter().enumerate() {
        let word = match word.as_str() {
            "tea" | "hot" | "cups" | "make" | "the" => format!("\u{120}{word}"),
            other => other.to_owned(),
        };
        vocabulary.insert(word, id.into());
    }
    let mut merges = Vec::new();
    for word in ["tea", "hot", "cups", "make", "the"] {
        let mut begun = "\u{120}".to_owned();
        for letter in word.chars() {
            merges.push(json!([begun, letter.to_string()]));
            begun.push(letter);
            // What is merged on the way has to be known; these places are of words that no text here has.
            if !vocabulary.contains_key(&begun) {
                let place = vocabulary
                    .values()
                    .position(|id| *id == 60 + merges.len())
                    .unwrap();
                let old = vocabulary.keys().nth(place).unwrap().clone();
                let id = vocabulary.remove(&old).unwrap();
                vocabulary.insert(begun.clone(), id);
            }
        }
    }
    vocabulary.insert("\u{120}".to_owned(), 136.into());
    vocabulary.retain(|word, id| *id != 136 || word == "\u{120}");
    change(&pairs, "tokenizer.json", |tokenizer| {
        tokenizer["normalizer"] = Value::Null;
        tokenizer["pre_tokenizer"] = json!({ "type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true });
        tokenizer["post_processor"] = json!({
            "type": "RobertaProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2],
            "trim_offsets": true, "add_prefix_space": true,
        });
        tokenizer["decoder"] = Value::Null;
        tokenizer["model"] =
            json!({ "type": "BPE", "unk_token": "[UNK]", "vocab": vocabulary, "merges": merges });
    });
    check_near(
        &read(&pairs).numbers(&texts, Kind::Document).unwrap(),
        &plain,
        1e-6,
    );
}

#[test]
fn a_text_is_cut_where_the_model_ends() {
    let words = |count: usize| vec!["tea"; count].join(" ");
    let vector = |count: usize, edit: fn(&Folder)| vector(&words(count), Kind::Document, edit);
    let longest = |folder: &Folder| folder.remove("sentence_bert_config.json");
    let too_long = |folder: &Folder| {
        folder.write("sentence_bert_config.json", r#"{"max_seq_length": 4096}"#);
    };
    // Two tokens stand around a text: of 32 as the settings of the model say, and of 40 that have positions.
    assert_eq!(vector(30, |_| {}), vector(31, |_| {}));
    assert_ne!(vector(29, |_| {}), vector(30, |_| {}));
    assert_ne!(vector(37, longest), vector(38, longest));
    assert_eq!(vector(38, longest), vector(39, longest));
    assert_eq!(vector(38, longest), vector(5000, too_long));
    // The first position of this family is behind that of what fills up.
    let roberta = |folder: &Folder| {
        folder.remove("sentence_bert_config.json");
        configure(folder, "model_type", "roberta");
    };
    assert_ne!(vector(36, roberta), vector(37, roberta));
    assert_eq!(vector(37, roberta), vector(38, roberta));
}

#[test]
fn a_model_says_what_is_set_before_a_question() {
    let prompts = |prompts: Value| {
        move |folder: &Folder| {
            folder.write("config_sentence_transformers.json", prompts.to_string());
        }
    };
    let plain = |text: &str| vector(text, Kind::Query, |_| {});
    let e5 = json!({ "prompts": { "query": "query: ", "passage": "passage: " } });
    assert_eq!(
        vector("tea", Kind::Query, prompts(e5.clone())),
        plain("query: tea")
    );
    assert_eq!(
        vector("tea", Kind::Document, prompts(e5)),
        plain("passage: tea")
    );
    let always = json!({ "prompts": { "x": "tea: " }, "default_prompt_name": "x" });
    assert_eq!(
        vector("hot", Kind::Document, prompts(always)),
        plain("tea: hot")
    );
    let none = json!({ "prompts": { "x": "tea: " }, "default_prompt_name": null });
    assert_eq!(vector("hot", Kind::Document, prompts(none)), plain("hot"));
    assert_eq!(plain("  hot\n"), plain("hot"));
}

#[test]
fn a_folder_without_the_files_of_sentence_transformers_takes_the_mean() {
    check_vectors("mean", |folder| {
        folder.remove("modules.json");
        folder.remove("sentence_bert_config.json");
        // Its texts are cut at 32 tokens all the same.
        change_weights(folder, |_| {});
        folder.write("sentence_bert_config.json", r#"{"max_seq_length": 32}"#);
    });
    check_vectors("mean", |folder| {
        as_they_are(folder);
        change(folder, "modules.json", |modules| {
            modules[0]["path"] = "0_Transformer".into();
        });
        std::fs::create_dir(folder.at("0_Transformer")).unwrap();
        for file in [
            "config.json",
            "tokenizer.json",
            "model.safetensors",
            "sentence_bert_config.json",
        ] {
            folder.rename(file, &format!("0_Transformer/{file}"));
        }
    });
}

#[test]
fn whatever_changes_a_vector_changes_what_it_is_kept_by() {
    let identity = |edit: fn(&Folder)| {
        let folder = model();
        edit(&folder);
        read(&folder).identity().to_owned()
    };
    // Where a folder is says nothing.
    assert_eq!(identity(|_| {}), identity(|_| {}));
    assert_eq!(
        identity(|_| {}),
        identity(|folder| folder.write("README.md", "tea"))
    );
    let edits: [fn(&Folder); 6] = [
        |_| {},
        |folder| configure(folder, "hidden_act", "relu"),
        |folder| {
            change_weights(folder, |header| {
                header["__metadata__"] = json!({ "a": "b" });
            });
        },
        |folder| {
            change(folder, "tokenizer.json", |value| {
                value["normalizer"]["lowercase"] = false.into();
            });
        },
        |folder| pool_by(folder, "pooling_mode_cls_token"),
        |folder| {
            folder.write(
                "config_sentence_transformers.json",
                r#"{"prompts": {"query": "q"}}"#,
            );
        },
    ];
    let identities = edits.map(identity);
    let different: std::collections::BTreeSet<&String> = identities.iter().collect();
    assert_eq!(different.len(), edits.len());
}

#[track_caller]
fn check_error(file: &str, part: &str, edit: impl FnOnce(&Folder)) {
    let folder = model();
    edit(&folder);
    let error = Model::read(folder.path()).err().expect("it is refused");
    let error = format!("{error:#}");
    let file = folder.at(file);
    assert!(
        error.starts_with(&format!("{}: ", file.display())),
        "{error}"
    );
    assert!(error.contains(part), "{error}");
    assert_eq!(
        error.matches(&*file.display().to_string()).count(),
        1,
        "{error}"
    );
}

#[test]
fn what_is_wrong_with_a_folder_is_said_with_its_file() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        check_error(
            file,
            "it is not there: the folder of a model has",
            |folder| folder.remove(file),
        );
        check_error(file, "it is no file", |folder| {
            folder.remove(file);
            std::fs::create_dir(folder.at(file)).unwrap();
        });
    }
    check_error(
        "config.json",
        "it is not there: the folder of a model has",
        |folder| folder.rename("config.json", "pytorch_model.bin"),
    );
    check_error("model.safetensors", "`safe_serialization=True`", |folder| {
        folder.rename("model.safetensors", "pytorch_model.bin");
    });
    check_error("model.safetensors", "several files", |folder| {
        folder.rename("model.safetensors", "model.safetensors.index.json");
    });
    for json in [
        "config.json",
        "modules.json",
        "1_Pooling/config.json",
        "sentence_bert_config.json",
    ] {
        check_error(json, "it is damaged, or of another kind", |folder| {
            folder.write(json, "{\"a\":");
        });
    }
    check_error(
        "config_sentence_transformers.json",
        "of another kind",
        |folder| {
            folder.write("config_sentence_transformers.json", "{\"prompts\": 1}");
        },
    );
    check_error("tokenizer.json", "no tokenizer that is known", |folder| {
        folder.write("tokenizer.json", "{}");
    });
    check_error("tokenizer.json", "no tokenizer that is known", |folder| {
        change(folder, "tokenizer.json", |value| {
            value["model"]["type"] = "Tea".into();
        });
    });
    check_error(
        "tokenizer.json",
        "the two are of different models",
        |folder| {
            change(folder, "tokenizer.json", |value| {
                value["model"]["vocab"]["more"] = 137.into();
            });
        },
    );
    check_error(
        "tokenizer.json",
        "it adds 2 tokens to each text, and a text can have 2",
        |folder| {
            folder.write("sentence_bert_config.json", r#"{"max_seq_length": 2}"#);
        },
    );
    check_error(
        "modules.json",
        "its modules are Transformer, Pooling, Dense: only",
        |folder| {
            change(folder, "modules.json", |modules| {
                modules[2]["type"] = "a.b.Dense".into();
            });
        },
    );
    check_error("modules.json", "its modules are : only", |folder| {
        folder.write("modules.json", "[]");
    });
    for path in ["../1_Pooling", "/etc"] {
        check_error("modules.json", "leads out of the folder", |folder| {
            change(folder, "modules.json", |modules| {
                modules[1]["path"] = path.into();
            });
        });
    }
    check_error("1_Pooling/config.json", "it is not there", |folder| {
        folder.remove("1_Pooling/config.json");
    });
    check_error(
        "1_Pooling/config.json",
        "the pooling is ``: one of cls",
        |folder| pool_by(folder, ""),
    );
    check_error(
        "1_Pooling/config.json",
        "the pooling is `mean_tokens and lasttoken`",
        |folder| {
            change(folder, "1_Pooling/config.json", |value| {
                value["pooling_mode_lasttoken"] = true.into();
            });
        },
    );
    check_error(
        "1_Pooling/config.json",
        "`word_embedding_dimension` is 17",
        |folder| {
            change(folder, "1_Pooling/config.json", |value| {
                value["word_embedding_dimension"] = 17.into();
            });
        },
    );
}

#[test]
fn a_configuration_that_cannot_be_meant_is_refused() {
    let check = |name: &str, value: Value, part: &str| {
        check_error("config.json", part, |folder| configure(folder, name, value));
    };
    check(
        "model_type",
        "mpnet".into(),
        "`model_type` is `mpnet`: bert, distilbert, roberta",
    );
    check("model_type", Value::Null, "`model_type` is ``");
    check("hidden_act", "silu".into(), "`hidden_act` is `silu`: gelu");
    check("position_embedding_type", "alibi".into(), "only `absolute`");
    check("is_decoder", true.into(), "only encoders");
    for name in [
        "vocab_size",
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "intermediate_size",
        "max_position_embeddings",
        "type_vocab_size",
    ] {
        check(name, 0.into(), &format!("`{name}` is 0: it can be 1 to"));
        check(
            name,
            1_000_000_000.into(),
            &format!("`{name}` is 1000000000: it can be 1 to"),
        );
        check(name, (-1).into(), "of another kind");
        check(name, 1e300.into(), "of another kind");
        check(name, "tea".into(), "of another kind");
    }
    check(
        "num_attention_heads",
        3.into(),
        "which 3 `num_attention_heads` do not divide",
    );
    check("layer_norm_eps", (-1).into(), "`layer_norm_eps` is -1");
    check_error("config.json", "no position is left", |folder| {
        configure(folder, "model_type", "roberta");
        configure(folder, "pad_token_id", 39);
    });
    check_error("config.json", "larger than 1048576 bytes", |folder| {
        folder.write("config.json", " ".repeat((1 << 20) + 1));
    });
}

#[test]
fn weights_that_are_not_those_of_the_configuration_are_refused() {
    let check = |part: &str, edit: &dyn Fn(&Folder)| check_error("model.safetensors", part, edit);
    let other = "the two are of different models";
    for (name, value) in [
        ("hidden_size", 8),
        ("intermediate_size", 31),
        ("max_position_embeddings", 41),
        ("vocab_size", 200),
        ("type_vocab_size", 3),
    ] {
        check(other, &|folder| {
            configure(folder, name, value);
            change(folder, "1_Pooling/config.json", |pooling| {
                pooling
                    .as_object_mut()
                    .unwrap()
                    .remove("word_embedding_dimension");
            });
        });
    }
    check(
        "`encoder.layer.2.attention.self.query.weight`, which config.json tells of",
        &|folder| {
            configure(folder, "num_hidden_layers", 256);
        },
    );
    check("`transformer.layer.0.attention.q_lin.weight`", &|folder| {
        configure(folder, "model_type", "distilbert");
    });
    check("no encoder of the BERT family", &|folder| {
        rename(folder, |name| format!("{name}.tea"));
    });
    check(
        "`encoder.layer.1.output.dense.bias` is of a kind that is not read",
        &|folder| {
            change_weights(folder, |header| {
                header["encoder.layer.1.output.dense.bias"]["dtype"] = "I32".into();
            });
        },
    );
    // Nothing of it is asked for memory before it was looked at.
    check("cut off or damaged", &|folder| {
        change_weights(folder, |header| {
            header["encoder.layer.1.output.dense.bias"]["shape"] = json!([1_u64 << 62]);
        });
    });
    check("cut off or damaged", &|folder| {
        std::fs::write(folder.at("model.safetensors"), u64::MAX.to_le_bytes()).unwrap();
    });
    let whole = std::fs::read(model().at("model.safetensors")).unwrap();
    for length in [0, 7, 8, 100, 3000, whole.len() / 2, whole.len() - 1] {
        check("cut off or damaged", &|folder| {
            std::fs::write(folder.at("model.safetensors"), &whole[..length]).unwrap();
        });
    }
}

#[test]
fn weights_of_half_the_width_are_read_and_numbers_that_are_none_are_not_used() {
    let folder = model();
    let bytes = std::fs::read(folder.at("model.safetensors")).unwrap();
    let (length, rest) = bytes.split_first_chunk::<8>().unwrap();
    let (header, numbers) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let mut header: Value = serde_json::from_slice(header).unwrap();
    for tensor in header.as_object_mut().unwrap().values_mut() {
        tensor["dtype"] = "BF16".into();
        for offset in tensor["data_offsets"].as_array_mut().unwrap() {
            *offset = (offset.as_u64().unwrap() / 2).into();
        }
    }
    let header = header.to_string();
    let write = |change: fn(&mut [u8])| {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        // The upper half of a number is the same number with fewer digits.
        let mut halves: Vec<u8> = numbers
            .chunks_exact(4)
            .flat_map(|number| [number[2], number[3]])
            .collect();
        change(&mut halves);
        bytes.extend(halves);
        std::fs::write(folder.at("model.safetensors"), bytes).unwrap();
    };
    write(|_| {});
    let vectors = read(&folder).numbers(&texts(), Kind::Document).unwrap();
    let whole = read(&model()).numbers(&texts(), Kind::Document).unwrap();
    for (vector, whole) in vectors.iter().zip(&whole) {
        let cosine: f32 = vector.iter().zip(whole).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.999, "{cosine}");
    }
    write(|halves| halves.fill(0xff));
    let error = read(&folder).numbers(&texts(), Kind::Document).unwrap_err();
    assert!(
        format!("{error:#}").contains("its weights are damaged"),
        "{error:#}"
    );
}

#[test]
fn damage_anywhere_is_an_error_or_a_model_and_never_a_panic() {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |most: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % most as u64) as usize
    };
    let mut refused = 0;
    for file in [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "modules.json",
        "1_Pooling/config.json",
    ] {
        let folder = model();
        let whole = std::fs::read(folder.at(file)).unwrap();
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..=below(3) {
                // The header of the weights is the part that is understood.
                let place = below(bytes.len().min(4000));
                match below(3) {
                    0 => bytes[place] ^= 1 << below(8),
                    1 => bytes[place] = b"0123456789-\"[]{},:"[below(18)],
                    _ => drop(bytes.drain(place..(place + 1 + below(40)).min(bytes.len()))),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            std::fs::write(folder.at(file), &bytes).unwrap();
            match Model::read(folder.path()) {
                Ok(model) => {
                    let made = model.numbers(&texts(), Kind::Document);
                    assert!(made.is_err() || made.is_ok_and(|made| made.len() == texts().len()));
                }
                Err(error) => {
                    refused += 1;
                    let error = format!("{error:#}");
                    assert!(
                        error.contains(&*folder.path().display().to_string()),
                        "{error}"
                    );
                    assert!(
                        !error.contains("reading the model failed"),
                        "{file}: {error}"
                    );
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
