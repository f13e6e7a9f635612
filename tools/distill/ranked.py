"""Rows tuned so that texts rank their neighbours as the teacher ranks them.

Least squares (table.tuned) spends most of its effort on where texts lie in the
large; what search and duplicate detection ask is who is nearest. Here a batch
is made of groups of near texts, and each text's distribution over the others,
by similarity, is drawn towards the teacher's.
"""

import numpy as np


def neighbours(vectors, k, block=1024):
    """Row numbers of the k nearest others of each unit row."""
    vectors = vectors.astype(np.float32)
    out = np.empty((len(vectors), k), np.int32)
    for i in range(0, len(vectors), block):
        score = vectors[i : i + block] @ vectors.T
        score[np.arange(len(score)), np.arange(i, i + len(score))] = -2
        near = np.argpartition(-score, k, axis=1)[:, :k]
        out[i : i + block] = near
    return out


def softmax(x):
    x = x - x.max(axis=1, keepdims=True)
    x = np.exp(x)
    return x / x.sum(axis=1, keepdims=True)


def ranked(taught, start, epochs=8, groups=64, near=3, heat=0.05, pace=1e-2, seed=1, report=None):
    """Adam over rows that a batch touches. `heat` is the temperature of both
    distributions, `pace` the step in units of the mean row length."""
    rng = np.random.default_rng(seed)
    targets = taught.targets.astype(np.float32)
    around = neighbours(targets, 8)
    x = taught.mean.tocsr().astype(np.float32)
    scale = np.linalg.norm(start, axis=1).mean()
    rows = (start / scale).astype(np.float32)
    first, second, seen = np.zeros_like(rows), np.zeros_like(rows), np.zeros(len(rows), np.int32)
    steps = epochs * len(targets) // (groups * (1 + near))
    for step in range(steps):
        heads = rng.integers(0, len(targets), groups)
        tails = around[heads][:, rng.permutation(8)[:near]]
        batch = np.unique(np.concatenate([heads, tails.ravel()]))
        at = x[batch]
        used = np.unique(at.indices)
        local = at[:, used]

        sums = local @ rows[used]
        length = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
        unit = sums / length
        mask = np.eye(len(batch), dtype=np.float32) * 1e4
        goal = softmax((targets[batch] @ targets[batch].T - mask) / heat)
        have = softmax((unit @ unit.T - mask) / heat)
        pull = (have - goal) / heat / len(batch)
        grad = (pull + pull.T) @ unit
        grad = (grad - (grad * unit).sum(axis=1, keepdims=True) * unit) / length
        g = local.T @ grad

        seen[used] += 1
        n = seen[used][:, None]
        first[used] = 0.9 * first[used] + 0.1 * g
        second[used] = 0.99 * second[used] + 0.01 * g * g
        now = pace * 0.5 * (1 + np.cos(np.pi * step / steps))
        rows[used] -= now * (first[used] / (1 - 0.9**n)) / (np.sqrt(second[used] / (1 - 0.99**n)) + 1e-8)
        if report and step % 200 == 0:
            loss = -(goal * np.log(have + 1e-12)).sum(axis=1).mean() + (goal * np.log(goal + 1e-12)).sum(axis=1).mean()
            report(step, steps, float(loss))
    return rows * scale
