"""Asks a teacher for the vector of each of its tokens and of each text of a corpus.

This is the slow part (minutes to an hour on two cores) and depends on nothing
that is tuned, so its answer is kept in a file that distill.py reads.

usage: teach.py --teacher DIR --corpus FILE [--limit N] OUT.npz
"""

import argparse
import pathlib
import re
import sys
import time

import numpy as np

from teacher import Teacher


def wanted(token):
    """Tokens that a table has rows for: no control tokens, none reserved."""
    return not re.fullmatch(r"\[(PAD|UNK|CLS|SEP|MASK|unused\d+)\]|</?\w+>", token)


def progress(label):
    start = time.monotonic()

    def report(done, total):
        print(f"\r{label}: {done}/{total}, {time.monotonic() - start:.0f} s", end="", file=sys.stderr)

    return report


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--teacher", required=True)
    p.add_argument("--corpus", required=True)
    p.add_argument("--limit", type=int, default=10**9, help="lines of the corpus")
    p.add_argument("out")
    a = p.parse_args()

    teacher = Teacher(a.teacher)
    names = teacher.vocabulary()
    ids = [i for i, name in enumerate(names) if wanted(name)]
    first, last = teacher.tokenizer.encode("").ids
    tokens = teacher.encode_ids([[first, i, last] for i in ids], progress("tokens"))

    texts = pathlib.Path(a.corpus).read_text().splitlines()[: a.limit]
    encoded = [e.ids for e in teacher.tokenizer.encode_batch(texts)]
    targets = teacher.encode_ids(encoded, progress("\ntexts"))

    # The corpus as row numbers of the table; unknown tokens fall out.
    row = {i: n for n, i in enumerate(ids)}
    rows = [[row[i] for i in e[1:-1] if i in row] for e in encoded]
    np.savez(
        a.out,
        names=np.array([names[i] for i in ids]),
        tokens=tokens,
        targets=targets,
        rows=np.array([r for e in rows for r in e], np.int32),
        lengths=np.array([len(e) for e in rows], np.int32),
    )
    print(file=sys.stderr)


if __name__ == "__main__":
    main()
