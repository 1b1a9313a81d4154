"""Writes the small model of the tests of local embedders, and the vectors that it must make.

    python3 tests/oracle/bert.py        # needs numpy; writes tests/shell/search/bert/

The weights are random, from a fixed seed. The vectors are computed here, in double precision and in the words of the papers
(Devlin et al. 2018, Liu et al. 2019, Sanh et al. 2019), from the same files and with nothing in common with the program.
"""

import json
import math
import pathlib
import struct
import unicodedata

import numpy as np

FOLDER = pathlib.Path(__file__).parent.parent / "shell" / "search" / "bert"

HIDDEN, HEADS, INNER, LAYERS, POSITIONS, MOST = 16, 2, 32, 2, 40, 32
EPSILON = 1e-12
WORDS = """the a an of to and in is it for on with how what make makes tea brew brewing pot water warm rinse first steep three
four minutes price prices cost costs more less sencha cup cups hot cold leaf leaves green black api key keys rotate""".split()
TEXTS = [
    "How to make tea.",
    "Steep, three minutes!",
    "THE PRICE OF SENCHA: 12 cups",
    "Éau zzzqx 東",
    "tea",
    "",
    " ".join(WORDS),
    "warm the pot with hot water and rinse it first " * 5,
]


def vocabulary():
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)] + list("0123456789")
    marks = list(".,:;!?'\"-()/")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words += letters + ["##" + letter for letter in letters] + marks + [w for w in WORDS if len(w) > 1]
    words += ["##s", "##ing", "##er"][1:]
    assert len(words) == len(set(words))
    return words


def tokens(text, words):
    """BERT's own: lower case without accents, cut at spaces and marks, then the longest beginnings."""
    text = unicodedata.normalize("NFD", text.lower())
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    text = "".join(f" {c} " if not c.isascii() or not (c.isalnum() or c.isspace()) else c for c in text)
    ids = {word: i for i, word in enumerate(words)}
    found = []
    for word in text.split():
        parts, rest, before = [], word, ""
        while rest:
            end = next((n for n in range(len(rest), 0, -1) if before + rest[:n] in ids), None)
            if end is None:
                parts = [ids["[UNK]"]]
                break
            parts.append(ids[before + rest[:end]])
            rest, before = rest[end:], "##"
        found += parts
    return [ids["[CLS]"]] + found[: MOST - 2] + [ids["[SEP]"]]


def norm(x, scale, offset, epsilon):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * scale + offset


ACTIVATIONS = {
    "gelu": np.vectorize(lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2)))),
    "gelu_new": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "relu": lambda x: np.maximum(x, 0),
}


def states(weights, ids, heads, activation="gelu", first_position=0, types=True, epsilon=EPSILON):
    """The vectors of the tokens of one text."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][first_position : first_position + len(ids)]
    if types:
        x = x + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"], epsilon)
    layer = 0
    while f"encoder.layer.{layer}.output.dense.bias" in w:
        def linear(name, x):
            name = f"encoder.layer.{layer}.{name}"
            return x @ w[name + ".weight"].T + w[name + ".bias"]

        def normed(name, x):
            name = f"encoder.layer.{layer}.{name}"
            return norm(x, w[name + ".weight"], w[name + ".bias"], epsilon)

        width = x.shape[1] // heads
        query, key, value = (linear(f"attention.self.{part}", x) for part in ("query", "key", "value"))
        heard = []
        for head in range(heads):
            columns = slice(head * width, (head + 1) * width)
            scores = query[:, columns] @ key[:, columns].T / math.sqrt(width)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            heard.append(scores / scores.sum(-1, keepdims=True) @ value[:, columns])
        x = normed("attention.output.LayerNorm", x + linear("attention.output.dense", np.concatenate(heard, 1)))
        x = normed("output.LayerNorm", x + linear("output.dense", ACTIVATIONS[activation](linear("intermediate.dense", x))))
        layer += 1
    return x


POOLINGS = {
    "cls": lambda x: x[0],
    "mean": lambda x: x.mean(0),
    "max": lambda x: x.max(0),
    "mean_sqrt_len_tokens": lambda x: x.sum(0) / math.sqrt(len(x)),
}


def unit(x):
    return x / np.linalg.norm(x)


def random_weights(count):
    random = np.random.default_rng(20261121)
    def draw(*shape, scale=0.6, mean=0.0):
        return (mean + scale * random.standard_normal(shape)).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": draw(count, HIDDEN, scale=1.0),
        "embeddings.position_embeddings.weight": draw(POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": draw(2, HIDDEN),
    }
    def normed(name):
        weights[name + ".weight"] = draw(HIDDEN, scale=0.2, mean=1.0)
        weights[name + ".bias"] = draw(HIDDEN, scale=0.2)

    def linear(name, inner, outer):
        weights[name + ".weight"] = draw(outer, inner, scale=1.2 / math.sqrt(inner))
        weights[name + ".bias"] = draw(outer, scale=0.3)

    normed("embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            linear(f"{name}attention.{part}", HIDDEN, HIDDEN)
        normed(name + "attention.output.LayerNorm")
        linear(name + "intermediate.dense", HIDDEN, INNER)
        linear(name + "output.dense", INNER, HIDDEN)
        normed(name + "output.LayerNorm")
    return weights


def write_weights(path, weights):
    """https://github.com/huggingface/safetensors: a length, a header, the numbers."""
    header, data = {}, b""
    for name, value in weights.items():
        header[name] = {"dtype": "F32", "shape": value.shape, "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    header = json.dumps(header, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def write(name, value):
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def main():
    words = vocabulary()
    weights = random_weights(len(words))
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_weights(FOLDER / "model.safetensors", weights)
    special = [{"id": i, "content": words[i], "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True} for i in range(5)]
    write("tokenizer.json", {
        "version": "1.0",
        # As published models have it: neither may change a vector.
        "truncation": {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 20}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                    "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}},
                     {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": {word: {"id": word, "ids": [words.index(word)], "tokens": [word]}
                               for word in ("[CLS]", "[SEP]")},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {word: i for i, word in enumerate(words)}},
    })
    write("config.json", {
        "architectures": ["BertModel"], "model_type": "bert", "vocab_size": len(words), "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1, "max_position_embeddings": POSITIONS, "type_vocab_size": 2,
        "layer_norm_eps": EPSILON, "pad_token_id": 0, "position_embedding_type": "absolute",
    })
    write("sentence_bert_config.json", {"max_seq_length": MOST, "do_lower_case": False})
    write("modules.json", [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate([("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")])
    ])
    write("1_Pooling/config.json", {
        "word_embedding_dimension": HIDDEN, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
        "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False,
    })
    variants = {
        "mean, normalized": (dict(), lambda x: unit(POOLINGS["mean"](x))),
        **{name: (dict(), pool) for name, pool in POOLINGS.items()},
        "gelu_new": (dict(activation="gelu_new"), POOLINGS["mean"]),
        "relu": (dict(activation="relu"), POOLINGS["mean"]),
        "roberta": (dict(first_position=1), POOLINGS["mean"]),
        "distilbert": (dict(types=False), POOLINGS["mean"]),
        "epsilon": (dict(epsilon=0.1), POOLINGS["mean"]),
    }
    ids = [tokens(text, words) for text in TEXTS]
    vectors = {
        name: [[round(float(x), 6) for x in pool(states(weights, text, HEADS, **options))] for text in ids]
        for name, (options, pool) in variants.items()
    }
    lines = [json.dumps(name) + ": [\n  " + ",\n  ".join(json.dumps(v) for v in of) + "]" for name, of in vectors.items()]
    text = '{"texts": %s,\n"tokens": %s,\n"vectors": {\n%s}}\n' % (
        json.dumps(TEXTS, ensure_ascii=False), json.dumps(ids), ",\n".join(lines))
    json.loads(text)
    (FOLDER / "expected.json").write_text(text)


if __name__ == "__main__":
    main()
