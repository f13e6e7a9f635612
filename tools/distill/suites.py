"""The measurements by which tables are compared.

The pairs and questions are read from a folder of test data that is not part of
the repository. Nothing is ever fitted to their labels; choosing among variants
by these figures is the only use that is made of them.
"""

import collections
import json
import math
import pathlib
import re

import numpy as np
import snowballstemmer

STOP = set(
    "a an and are as at be been but by did do does for from had has have he her his how i if in is it its me my "
    "of on or our she so that the their them they this to was we were what when where which who why will with you your".split()
)
DENSE_SHARE = 0.4  # of a fused score, after both sides were scaled to 0–1


class Suites:
    """Loads what there is under `folder` once, for many tables."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.pairs = {
            "nl2bash": read_pairs(folder / "duplicates/nl2bash_pairs.jsonl"),
            "gitbugs": read_pairs(folder / "duplicates/gitbugs_seamonkey_pairs.jsonl"),
        }
        self.stores = read_locomo(folder / "retrieval/locomo_shared_3.json")

    def measure(self, embed):
        """All figures of an embedder: a function from texts to unit rows."""
        out = {}
        for name, (a, b, label) in self.pairs.items():
            out[name] = average_precision((embed(a) * embed(b)).sum(axis=1), label)
        dense, fused, n = 0.0, 0.0, 0
        for texts, questions, evidence, lexical in self.stores:
            score = embed(questions) @ embed(texts).T
            mixed = DENSE_SHARE * scaled(score) + (1 - DENSE_SHARE) * scaled(lexical)
            dense += sum(recall(s, e) for s, e in zip(score, evidence))
            fused += sum(recall(s, e) for s, e in zip(mixed, evidence))
            n += len(questions)
        out["locomo"], out["fused"] = dense / n, fused / n
        return out

    def lexical(self):
        """Recall of BM25 alone, to compare with."""
        hits = [recall(s, e) for _, _, evidence, lexical in self.stores for s, e in zip(lexical, evidence)]
        return sum(hits) / len(hits)


def read_pairs(path):
    text = lambda x: x if isinstance(x, str) else x["summary"] + "\n" + x["description"]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [text(r["a"]) for r in rows], [text(r["b"]) for r in rows], np.array([r["label"] for r in rows])


def read_locomo(path):
    """Per conversation: turns, questions, the turns that answer them, BM25."""
    out = []
    for talk in json.loads(path.read_text()):
        turns = {}
        for key, session in talk["conversation"].items():
            if re.fullmatch(r"session_\d+", key):
                for t in session:
                    turns[t["dia_id"]] = f"{t['speaker']}: {t['text']} {t.get('blip_caption', '')}"
        at = {name: i for i, name in enumerate(turns)}
        asked = [(q["question"], {at[e] for e in q.get("evidence", []) if e in at}) for q in talk["qa"]]
        asked = [(q, e) for q, e in asked if e]
        texts, questions = list(turns.values()), [q for q, _ in asked]
        out.append((texts, questions, [e for _, e in asked], bm25(texts, questions)))
    return out


def average_precision(score, label):
    order = np.argsort(-score, kind="stable")
    hit = label[order] == 1
    precision = np.cumsum(hit) / np.arange(1, len(hit) + 1)
    return float(precision[hit].mean())


def recall(score, evidence, k=10):
    top = np.argsort(-score, kind="stable")[:k]
    return len(evidence & set(top.tolist())) / len(evidence)


def scaled(score):
    low = score.min(axis=1, keepdims=True)
    return (score - low) / np.maximum(score.max(axis=1, keepdims=True) - low, 1e-9)


def bm25(texts, questions, k1=1.2, b=0.75):
    stemmer = snowballstemmer.stemmer("english")

    def words(text):
        return stemmer.stemWords([w for w in re.findall(r"[a-z0-9]+", text.lower()) if w not in STOP])

    docs = [collections.Counter(words(t)) for t in texts]
    length = np.array([sum(d.values()) for d in docs])
    postings = collections.defaultdict(list)
    for i, d in enumerate(docs):
        for w, c in d.items():
            postings[w].append((i, c))
    out = np.zeros((len(questions), len(texts)))
    for q, question in enumerate(questions):
        for w in words(question):
            found = postings.get(w, [])
            idf = math.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            for i, c in found:
                out[q, i] += idf * c * (k1 + 1) / (c + k1 * (1 - b + b * length[i] / length.mean()))
    return out
