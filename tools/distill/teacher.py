"""The forward pass of a sentence transformer in numpy.

Two shapes are enough for the teachers that we compare: BERT (all-MiniLM-L6-v2)
and MPNet (all-mpnet-base-v2). Both pool by the mean over all positions. There
is no dropout and no padding: texts are batched by their exact token count, so
no attention mask is needed and a text's vector does not depend on its batch.
"""

import json
import pathlib

import numpy as np
from scipy.special import erf
from tokenizers import Tokenizer

BATCH_TOKENS = 4096


class Teacher:
    """A loaded model. `folder` holds model.safetensors and tokenizer.json."""

    def __init__(self, folder, max_tokens=128):
        folder = pathlib.Path(folder)
        self.config = json.loads((folder / "config.json").read_text())
        self.weights = load_safetensors(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)
        self.mpnet = self.config["model_type"] == "mpnet"
        self.heads = self.config["num_attention_heads"]
        self.eps = self.config["layer_norm_eps"]

    def vocabulary(self):
        """Tokens by id."""
        vocab = self.tokenizer.get_vocab()
        return sorted(vocab, key=vocab.get)

    def encode(self, texts):
        """Mean-pooled vectors of texts, one row a text, not normalised."""
        return self.encode_ids([e.ids for e in self.tokenizer.encode_batch(list(texts))])

    def encode_ids(self, rows, progress=None):
        """Mean-pooled vectors of token id lists that hold the special tokens."""
        out = np.zeros((len(rows), self.config["hidden_size"]), np.float32)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        start = 0
        while start < len(order):
            length = len(rows[order[start]])
            end = start
            while end < len(order) and len(rows[order[end]]) == length and (end - start) * length < BATCH_TOKENS:
                end += 1
            batch = order[start:end]
            out[batch] = self._forward(np.array([rows[i] for i in batch])).mean(axis=1)
            start = end
            if progress:
                progress(start, len(order))
        return out

    def _forward(self, ids):
        w, n = self.weights, ids.shape[1]
        # MPNet counts positions from 2: 0 and 1 are the pad's.
        first = 2 if self.mpnet else 0
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][first : first + n]
        if not self.mpnet:
            x = x + w["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        bias = self._relative_bias(n) if self.mpnet else 0
        for i in range(self.config["num_hidden_layers"]):
            x = self._layer(x, f"encoder.layer.{i}.", bias)
        return x

    def _layer(self, x, name, bias):
        q, k, v, o = ("attn.q", "attn.k", "attn.v", "attn.o") if self.mpnet else (
            "self.query", "self.key", "self.value", "output.dense")
        after = "attention.LayerNorm" if self.mpnet else "attention.output.LayerNorm"
        b, n, d = x.shape
        split = lambda y: y.reshape(b, n, self.heads, -1).transpose(0, 2, 1, 3)
        q, k, v = (split(self._dense(x, f"{name}attention.{p}")) for p in (q, k, v))
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d / self.heads).astype(np.float32) + bias
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ v).transpose(0, 2, 1, 3).reshape(b, n, d)
        x = self._norm(x + self._dense(mixed, f"{name}attention.{o}"), name + after)
        h = self._dense(x, name + "intermediate.dense")
        h = h * 0.5 * (1 + erf(h * np.float32(2**-0.5)))
        return self._norm(x + self._dense(h, name + "output.dense"), name + "output.LayerNorm")

    def _dense(self, x, name):
        # One large product: numpy would multiply a stack text by text.
        flat = x.reshape(-1, x.shape[-1]) @ self.weights[name + ".weight"].T
        return (flat + self.weights[name + ".bias"]).reshape(*x.shape[:-1], -1)

    def _norm(self, x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(self.eps))
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def _relative_bias(self, n):
        """MPNet's bias by distance: exact to 8, then logarithmic to 128."""
        far = np.arange(n)[:, None] - np.arange(n)[None, :]
        bucket = np.where(far < 0, 16, 0)
        far = np.abs(far)
        log = 8 + (np.log(np.maximum(far, 1) / 8) / np.log(16) * 8).astype(int)
        bucket = bucket + np.where(far < 8, far, np.minimum(log, 15))
        return self.weights["encoder.relative_attention_bias.weight"][bucket].transpose(2, 0, 1)[None]


def load_safetensors(path):
    """All float32 tensors of a safetensors file, by name."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    size = int.from_bytes(raw[:8].tobytes(), "little")
    header = json.loads(raw[8 : 8 + size].tobytes())
    out = {}
    for name, t in header.items():
        if name == "__metadata__" or t["dtype"] != "F32":
            continue
        a, b = t["data_offsets"]
        flat = raw[8 + size + a : 8 + size + b].view(np.float32)
        out[name] = np.array(flat).reshape(t["shape"])
    return out
