"""Makes tables in several ways, measures them, and writes the one that is named.

usage: distill.py --taught FILE.npz --tokenizer tokenizer.json --data DIR
                  [--limit N] [--only NAME] [--write DIR]

Without --only every variant is measured and printed as a line of README.md's
table. --write puts table.bin and vocab.txt of the variant of --only into a
folder: services/internal/model/embed/static of this repository.
"""

import argparse
import functools
import pathlib

import numpy as np
from tokenizers import Tokenizer

import table
from ranked import ranked
from suites import Suites

CLIP = 0.9999


class Variants:
    """The ways from one teacher to a table. Steps that several share run once."""

    def __init__(self, taught):
        self.taught = taught
        n = len(taught.names)
        self.rank = table.sif_by_rank(n)
        self.count = table.sif_by_count(taught.counts, a=1e-3)
        self.all = {
            "plain": lambda: table.plain(taught, np.ones(n)),
            "rank": lambda: table.plain(taught, self.rank),
            "count": lambda: table.plain(taught, self.count),
            "tuned": lambda: self.tuned,
            # The weighting again, at half strength: potion models weigh after
            # training too. Full strength costs what it gains.
            "weighted": lambda: self.tuned * np.sqrt(self.rank)[:, None],
            "ranked": lambda: ranked(taught, self.tuned),
        }

    @functools.cached_property
    def tuned(self):
        return table.tuned(self.taught, self.count, ridge=0.01)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--taught", required=True, help="what teach.py wrote")
    p.add_argument("--tokenizer", required=True)
    p.add_argument("--data", required=True, help="folder of the measurements' data")
    p.add_argument("--limit", type=int, help="texts of the corpus, all")
    p.add_argument("--only", help="one variant")
    p.add_argument("--write", help="folder for table.bin and vocab.txt")
    a = p.parse_args()
    if a.write and not a.only:
        p.error("--write needs --only")

    taught = table.Taught(a.taught, a.limit)
    tokenizer = Tokenizer.from_file(a.tokenizer)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    suites = Suites(a.data)
    variants = Variants(taught).all
    print("| variant | nl2bash AP | gitbugs AP | LoCoMo R@10 | with BM25 |\n|---|---|---|---|---|")
    for name in [a.only] if a.only else variants:
        rows = table.quantised(variants[name](), CLIP)
        m = suites.measure(table.embedder(rows, taught.names, tokenizer))
        print(f"| {name} | {m['nl2bash']:.3f} | {m['gitbugs']:.3f} | {m['locomo']:.3f} | {m['fused']:.3f} |", flush=True)
        if a.write:
            folder = pathlib.Path(a.write)
            rows.tofile(folder / "table.bin")
            (folder / "vocab.txt").write_text("\n".join(taught.names) + "\n")


if __name__ == "__main__":
    main()
