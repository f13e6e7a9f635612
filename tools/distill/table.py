"""From a teacher's vectors to a table of int8 rows."""

import numpy as np
import scipy.sparse as sp

DIM = 256


class Taught:
    """What teach.py wrote; of the corpus the first `limit` texts."""

    def __init__(self, path, limit=None):
        z = np.load(path)
        self.names = [str(n) for n in z["names"]]
        self.tokens = z["tokens"].astype(np.float64)
        targets = z["targets"].astype(np.float64)
        keep = (z["lengths"] > 0) & (np.arange(len(targets)) < (limit or len(targets)))
        self.targets = (targets / np.linalg.norm(targets, axis=1, keepdims=True))[keep]
        # Texts that are not kept are at the end or empty: they own no rows before.
        lengths = z["lengths"][keep]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        used = z["rows"][: ends[-1]]
        counted = sp.csr_matrix((np.ones(len(used)), used, ends), (len(lengths), len(self.names)))
        counted.sum_duplicates()
        self.counts = np.asarray(counted.sum(axis=0)).ravel()
        # A text's vector is the mean of its rows: one line of this matrix.
        self.mean = sp.diags(1 / lengths) @ counted


def principal(vectors, dim=DIM):
    """Mean and the `dim` directions of greatest variance. Signs are fixed, so
    that the same vectors give the same table everywhere."""
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :dim]
    return mean, axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])


def sif_by_rank(n, a=1e-4):
    """Weights of Model2Vec: the vocabulary's order stands for frequency."""
    p = 1 / np.arange(2, n + 2)
    return a / (a + p / p.sum())


def sif_by_count(counts, a=1e-4, smooth=0.5):
    """Weights from counts in a corpus, a token that it lacks counting as half."""
    p = counts + smooth
    return a / (a + p / p.sum())


def plain(taught, weight):
    """The teacher's tokens, reduced and weighted: Model2Vec without training."""
    mean, axes = principal(taught.tokens)
    return ((taught.tokens - mean) @ axes) * weight[:, None]


def tuned(taught, weight, ridge, rounds=40):
    """Rows whose means come closest to the teacher's vectors of whole texts.

    A least-squares problem with one solution, found by conjugate gradients: no
    learning rate, no shuffling, no seed. `ridge` holds a row to the plain one
    in proportion to how seldom the corpus has it.
    """
    mean, axes = principal(taught.targets)
    goal = (taught.targets - mean) @ axes
    start = ((taught.tokens - taught.tokens.mean(axis=0)) @ axes) * weight[:, None]
    guess = taught.mean @ start
    start *= (guess * goal).sum() / (guess * guess).sum()

    # Only rows that the corpus has can move.
    seen = taught.counts > 0
    x = taught.mean.tocsc()[:, seen].tocsr()
    apply = lambda m: x.T @ (x @ m) + ridge * m
    rest = x.T @ (goal - taught.mean @ start)
    change = np.zeros_like(rest)
    step, size = rest.copy(), (rest * rest).sum(axis=0)
    for _ in range(rounds):
        ahead = apply(step)
        pace = size / np.maximum((step * ahead).sum(axis=0), 1e-30)
        change += step * pace
        rest -= ahead * pace
        now = (rest * rest).sum(axis=0)
        step = rest + step * (now / np.maximum(size, 1e-30))
        size = now
    start[seen] += change
    return start


def quantised(rows, clip=1.0):
    """int8 with one scale for the whole table, so that a row's length, which is
    its weight in the mean, survives. `clip` is the quantile of magnitudes that
    becomes 127; below 1 a few outliers are cut off for finer steps."""
    top = np.abs(rows).max() if clip >= 1 else np.quantile(np.abs(rows), clip)
    return np.clip(np.rint(rows / top * 127), -127, 127).astype(np.int8)


def embedder(rows, names, tokenizer):
    """A function from texts to unit rows, as the product computes them."""
    at = {name: i for i, name in enumerate(names)}
    rows = rows.astype(np.float64)
    cache = {}

    def tokens(texts):
        key = hash(tuple(texts))
        if key not in cache:
            cache[key] = [[at[t] for t in e.tokens if t in at] for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
        return cache[key]

    def embed(texts, rows=rows):
        out = np.array([rows[t].sum(axis=0) if t else np.zeros(rows.shape[1]) for t in tokens(list(texts))])
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)

    return embed
