"""Writes the token ids that the reference tokenizer gives to texts of our own.

The Go tokenizer is tested against them. An id is a line number of the table's
vocabulary, counted from 0; -1 is a word that the vocabulary cannot spell.

usage: reference.py --tokenizer tokenizer.json --vocabulary vocab.txt OUT.jsonl
"""

import argparse
import json
import pathlib

from tokenizers import Tokenizer

TEXTS = [
    "",
    "   \t\n ",
    "Set max_connections to 200 in postgresql.conf, then reload.",
    "Use pgx v5.10.0, not lib/pq: `pool.Acquire(ctx)` returns *pgxpool.Conn",
    "don't can't it's the users' 3.14 1,000,000 0x7fff_ffff 50% $HOME ~/.ssh a+b=c <tag> [x] {y} |z| ^ ` \\",
    "https://example.com/a/b?c=d&e=f#g user@example.com --dry-run=true -rf ./...",
    "CamelCaseIdentifier SCREAMING_SNAKE_CASE kebab-case-name getInstance() foo::bar->baz",
    "Größe der Verbindungspools: Straße, Übermäßig, ÄÖÜ äöü ß ẞ, „Anführung“ – Gedankenstrich …",
    "Die Datenbankmigrationsprüfung läuft nachts um drei Uhr und schlägt montags fehl.",
    "naïve café résumé Ångström İstanbul ıssız Ǆ ﬁle ﬂow ŉ ǰ",
    "e\u0301 combining, a\u0308o\u0308u\u0308, n\u0303, q\u0323\u0307 and Z\u0351\u036b\u0343algo",
    "数据库连接池的大小是八。日本語のテキスト、カタカナとひらがな。한국어 텍스트 입니다",
    "混合text与English中文 一二三abc四五六 豈更車 𠀀𪜀 〆々 ㍿ ｆｕｌｌｗｉｄｔｈ！？～",
    "Привет мир, база данных недоступна. Ёлка й. Γειά σου Κόσμε ΟΔΟΣ. שלום עולם مرحبا بالعالم",
    "हिन्दी में लिखा हुआ पाठ ไทยภาษา தமிழ் বাংলা ქართული Հայերեն",
    "🚀 deploy ok ✅ 👩‍👩‍👧‍👦 family 🇩🇪 flag ❤️ heart ☃ ™ © ® € £ ¥ ₿ → ← ⇒ ≤ ≥ ≠ ∞ √ × ÷ ± ° ½ ² ³ ﷺ",
    "soft\u00adhyphen zero\u200bwidth\u200d join\u200cer word\u2060join \ufeffbom \u202ertl\u202c private\ue000use",
    "nul\u0000byte bell\u0007 vt\u000bff\u000cnel\u0085nbsp\u00a0thin\u2009ideo\u3000line\u2028para\u2029end del\u007f esc\u001b[31mred\u001b[0m",
    "replacement \ufffd char un\u0378assigned non\uffffchar \U0001f9ff\U000e0041",
    "tabs\tand\r\nnewlines\n\n\nand   runs",
    "a" * 100 + " " + "b" * 101 + " " + "é" * 100 + " " + "é" * 101 + " end",
    "supercalifragilisticexpialidocious antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "ZXhhbXBsZSBvZiBiYXNlNjQgdGV4dCB0aGF0IGlzIGxvbmc= d41d8cd98f00b204e9800998ecf8427e 01JQ8ZK3V7N5M2T4",
    "## #hash ##markdown heading ##ing [CLS] [SEP] [UNK] [PAD] [MASK] [unused1] [unused99]",
    "!!! ... --- ___ *** \"quoted\" 'single' (paren) a.b.c a-b-c a_b_c ¿qué? ¡sí! «fr» ‹x› 「日」 § ¶ • · ‰",
    "SELECT * FROM memories WHERE tenant = $1 AND scope = ANY($2) ORDER BY created_at DESC LIMIT 20;",
    "func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {",
    "I moved to Lisbon in May 2023; before that I lived in Oslo for 4 years.",
    "ÀÉÎÕÜ ŁÓDŹ łódź ĐĐ đ Øø Ææ Œœ Þþ Ðð ħ ŧ ƒ",
    "1️⃣ 2⃣ ① ⑳ Ⅷ ⅓ ㉑ 𝟘 𝐁𝐨𝐥𝐝 𝒮 Ａ ａ ª º µ Ω Å K",
]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tokenizer", required=True)
    p.add_argument("--vocabulary", required=True)
    p.add_argument("out")
    a = p.parse_args()
    rows = {t: i for i, t in enumerate(pathlib.Path(a.vocabulary).read_text().splitlines())}
    reference = Tokenizer.from_file(a.tokenizer)
    reference.no_padding()
    reference.no_truncation()
    with open(a.out, "w") as out:
        for text in TEXTS:
            # The names of control tokens are words like others to a text that
            # holds them, which the library only believes when told.
            reference.encode_special_tokens = True
            tokens = reference.encode(text, add_special_tokens=False).tokens
            ids = [rows.get(t, -1) for t in tokens]
            out.write(json.dumps({"text": text, "ids": ids}) + "\n")


if __name__ == "__main__":
    main()
