"""Gathers unlabelled text that reads like memories, one a line.

Nothing here comes from the data that a table is measured on. Three voices, the
same number of lines of each, chosen by a fixed seed:

  commands       tldr-pages (CC BY 4.0): what a command does, one line each
  programming    doc comments and change logs of Go modules (MIT, BSD, Apache)
  conversation   Topical-Chat (CDLA-Sharing 1.0), held-out parts: turns of talk

usage: corpus.py --tldr DIR --go DIR [--go DIR…] --topical DIR --each N OUT
"""

import argparse
import json
import pathlib
import random
import re

SEED = 1


def commands(folder):
    for page in sorted(pathlib.Path(folder).rglob("pages/**/*.md")):
        for line in page.read_text().splitlines():
            if line.startswith("> ") and not line.startswith(("> More info", "> See also", "> Note:")):
                yield line[2:]
            elif line.startswith("- "):
                # "[c]reate an archi[v]e" marks option letters, not text.
                yield re.sub(r"\[(\w+)\]", r"\1", line[2:].rstrip(":"))


def programming(folder):
    folder = pathlib.Path(folder)
    for source in sorted(folder.rglob("*.go")):
        if source.name.endswith("_test.go") or "testdata" in source.parts:
            continue
        text = source.read_text(errors="ignore")
        if re.search(r"^// Code generated", text, re.M):
            continue
        for block in re.findall(r"((?:^[ \t]*// .*\n)+)", text, re.M):
            block = " ".join(re.sub(r"^[ \t]*// ", "", line) for line in block.splitlines())
            if not re.search(r"copyright|license", block, re.I):
                yield from sentences(block)
    for log in sorted(folder.rglob("CHANGELOG*.md")):
        for line in log.read_text(errors="ignore").splitlines():
            if re.match(r"\s*[-*] ", line):
                line = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.strip(" -*"))
                yield re.sub(r"\s*\(?(#\d+|[0-9a-f]{7,40}|@\w+)\)?", "", line)


def conversation(folder):
    for part in sorted(pathlib.Path(folder).rglob("conversations/*.json")):
        for talk in json.loads(part.read_text()).values():
            for turn in talk["content"]:
                yield turn["message"]


def sentences(block):
    """One or two sentences at a time, as memories are."""
    parts = re.split(r"(?<=[.!?]) +(?=[A-Z])", block)
    for i in range(0, len(parts), 2):
        yield " ".join(parts[i : i + 2])


def fits(text):
    return 4 <= len(text.split()) <= 60 and len(text) <= 400 and sum(c.isalpha() for c in text) > len(text) / 2


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tldr", required=True)
    p.add_argument("--go", required=True, action="append")
    p.add_argument("--topical", required=True)
    p.add_argument("--each", type=int, default=12000)
    p.add_argument("out")
    a = p.parse_args()

    lines = []
    for name, source in (
        ("commands", commands(a.tldr)),
        ("programming", (t for g in a.go for t in programming(g))),
        ("conversation", conversation(a.topical)),
    ):
        found = sorted({" ".join(t.split()) for t in source if fits(t)})
        random.Random(SEED).shuffle(found)
        print(f"{name}: {len(found)} texts, {min(a.each, len(found))} taken")
        lines += found[: a.each]
    random.Random(SEED).shuffle(lines)
    pathlib.Path(a.out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
