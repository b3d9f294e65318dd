# SPDX-License-Identifier: BSD-3-Clause
"""Natural misuses of every subcommand: each ends with code 2 and one clear line on stderr, before any
table. misuse_test.py SUBCOMMAND SHARDSTONE MPIEXEC, with the lines in misuses/SUBCOMMAND.txt:

    [RANKS:] ARGUMENTS => WORDS

WORDS (a regular expression) must be in that line, as a rule the value that was wrong. {root} is the
repository, {cluster} a cluster description in it; text.txt, record.json, damaged.json and the folder
empty are there.
"""
import re
import sys

from command import HERE, ROOT, Place, expect


def lines_of(subcommand):
    values = {"{root}": str(ROOT), "{cluster}": str(ROOT / "jobs/clusters/ethernet-one-nic.toml")}
    for line in (HERE / "misuses" / f"{subcommand}.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        for name, value in values.items():
            line = line.replace(name, value)
        arguments, words = re.split("(?:^| )=> ", line)
        ranks, colon, rest = arguments.partition(": ")
        yield (int(ranks), rest, words) if colon else (0, arguments, words)


def main():
    subcommand, program, launcher = sys.argv[1:4]
    place = Place(program, launcher)
    place.path("text.txt").write_text("to be or not to be, that is the question\n" * 200)
    place.succeeds("collectives --algorithm ring -b 4 -e 4 -n 10 --json record.json")
    place.path("damaged.json").write_text(place.path("record.json").read_text().replace("7", "8", 1))
    place.path("empty").mkdir()
    before = place.files()
    misuses = list(lines_of(subcommand))
    for ranks, line, words in misuses:
        place.refuses(f"{subcommand} {line}", words, ranks)
        expect(place.files() == before, f"'{subcommand} {line}' leaves no file: {place.files()}")
    expect(len(misuses) >= 20, f"{subcommand} has its twenty misuses: {len(misuses)}")
    print(f"{subcommand}: {len(misuses)} misuses refused")


main()
