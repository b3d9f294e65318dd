#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes a page of `shardstone report` and the records it was made of, recomputes what the page says
from the samples, and compares with the texts that a reader sees.

recompute FOLDER PAGE: FOLDER holds the records. Ends with 1 when a number differs. It shares no
code with Shardstone: medians, intervals, warm-up and bus factors are written out from their
sources (estimates.py, collectives.py). One file for each section of the page.
"""
import sys
from collections import Counter
from pathlib import Path

import collectives
import stalls
import studies
import training
from comparison import Comparison
from page import Tables
from record import Record

LEAST_RECOMPUTED = 200
# What each row of a record's table should be, by the samples.
ROWS = {**collectives.ROWS, **studies.ROWS, **training.ROWS}
# Tables that the page composes of several records or of parts of one.
COMPOSED = {**collectives.COMPOSED, **stalls.COMPOSED, **training.COMPOSED}


def compare_record_table(compare, table, record):
    """A table shown as the record has it: each cell against the record, and against the samples."""
    rows = record.rows(table["name"])
    where = f"{table['file']}, table {table['name']}"
    if len(rows) != len(table["rows"]):
        compare.differ.append(f"{where}: {len(table['rows'])} rows shown of {len(rows)}")
        return
    recompute = ROWS.get(table["name"], lambda *_: {})
    for place, (texts, row) in enumerate(zip(table["rows"], rows)):
        recomputed = recompute(record, row)
        for column, text in zip(table["columns"], texts):
            cell = f"{where}, row {place}, {column}"
            value = row.get(column)
            if isinstance(value, str):
                compare.counts["texts"] += 1
                if value != text:
                    compare.differ.append(f"{cell}: the page says '{text}', the record '{value}'")
                continue
            if text != "-":
                compare.number("the record", cell, text, value)
                compare.number("the samples", cell, text, recomputed.get(column))


class Records(dict):
    """The records of a folder by the names of their files, read when they are asked for."""

    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)

    def __missing__(self, name):
        self[name] = Record(self.folder / name)
        return self[name]


def compare_page(text, folder):
    compare, records, seen = Comparison(), Records(folder), Counter()
    for table in Tables(text).tables:
        name, file = table["name"], table["file"]
        if name in COMPOSED:
            COMPOSED[name](compare, table, records, seen[name, file])
            seen[name, file] += 1
        elif name != "layout_matrix":
            compare_record_table(compare, table, records[file])
    return compare


def main():
    folder, page = sys.argv[1:]
    compare = compare_page(Path(page).read_text(), folder)
    for line in compare.differ[:20]:
        print(line)
    print(", ".join(f"{count} numbers against {how}" if how != "texts" else f"{count} texts"
                    for how, count in compare.counts.items()))
    if compare.differ:
        print(f"{len(compare.differ)} differ")
        return 1
    if compare.counts["the samples"] < LEAST_RECOMPUTED:
        print(f"fewer than {LEAST_RECOMPUTED} could be recomputed")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
