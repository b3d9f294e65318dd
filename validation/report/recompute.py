#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes a page of `shardstone report` and the records it was made of, recomputes what the page says
from the samples, and compares with the texts that a reader sees.

recompute.py FOLDER PAGE: FOLDER holds the records. Ends with 1 when a number differs. It shares no
code with Shardstone: medians, intervals and bus factors are written out below from their sources.
"""
import html.parser
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path

import h5py

LEAST_RECOMPUTED = 200

# Units as the page writes them, in those of the record's columns.
UNITS = {
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9,
    "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
    "TB/s": 1e3, "GB/s": 1.0, "MB/s": 1e-3, "kB/s": 1e-6, "B/s": 1e-9,
    "TFLOP/s": 1e3, "GFLOP/s": 1.0, "MFLOP/s": 1e-3, "%": 1e-2,
}


class Tables(html.parser.HTMLParser):
    """The tables of a page that say where they are from: file, table, columns, rows of texts."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.table, self.cell = [], None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table" and "data-table" in attributes:
            self.table = {"file": attributes.get("data-file", ""),
                          "name": attributes["data-table"], "columns": [], "rows": []}
        elif self.table is not None and tag == "th":
            self.table["columns"].append(attributes["data-column"])
        elif self.table is not None and tag == "tr":
            self.table["rows"].append([])
        elif self.table is not None and tag == "td":
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag == "td" and self.cell is not None:
            self.table["rows"][-1].append(self.cell)
            self.cell = None
        elif tag == "table" and self.table is not None:
            self.table["rows"] = [row for row in self.table["rows"] if row]
            self.tables.append(self.table)
            self.table = None


class Record:
    """Tables by name as dicts of lists, from either format and version."""

    OLD_NAMES = {"all_reduce": "collectives"}

    def __init__(self, path):
        self.tables = {}
        if path.suffix == ".json":
            content = json.loads(path.read_text())
            self.kind, self.settings = content["kind"], content["configuration"]
            for group in ("samples", "derived"):
                self.read_json_tables(content[group])
            return
        with h5py.File(path) as file:
            self.kind = file["about/kind"][0].decode()
            self.version = int(file["about/version"][0])
            self.settings = json.loads(file["about/configuration"][0])
            for group in ("samples", "derived"):
                for name, table in file.get(group, {}).items():
                    self.tables[self.present_name(group, name)] = {
                        column: self.values(data) for column, data in table.items()}
        self.name_the_operation()

    def present_name(self, group, name):
        if self.kind == "pipeline" and group == "samples" and name == "steps":
            return "pipeline_steps"
        return self.OLD_NAMES.get(name, name)

    def name_the_operation(self):
        for name in ("collectives", "samples"):
            table = self.tables.get(name)
            if table and "operation" not in table and "size_bytes" in table:
                rows = len(table["size_bytes"])
                table.update(operation=["all_reduce"] * rows, in_place=[1.0] * rows)

    def read_json_tables(self, tables):
        for table in tables:
            self.tables[table["name"]] = {
                column["name"]: [float(value) for value in column["numbers"]]
                if "numbers" in column else column["texts"] for column in table["columns"]}

    @staticmethod
    def values(data):
        return [v.decode() if isinstance(v, bytes) else float(v) for v in data[()]]

    def rows(self, name):
        table = self.tables.get(name, {})
        return [dict(zip(table, values)) for values in zip(*table.values())]


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def median_interval(values):
    """Le Boudec, "Performance Evaluation", theorem 2.1: the order statistics j and n + 1 - j with
    the largest j for which a binomial(n, 1/2) number lies below j with at most 2.5 %."""
    n, below, j = len(values), 0.0, 0
    while True:
        below += math.exp(math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
                          - n * math.log(2))
        if below > 0.025:
            break
        j += 1
    values = sorted(values)
    return (values[j - 1], values[n - j]) if j else (math.nan, math.nan)


def quartile(values, part):
    """Hyndman and Fan, type 7."""
    values = sorted(values)
    place = part * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def bus_factor(operation, ranks):
    """nccl-tests, doc/PERFORMANCE.md."""
    return {"all_reduce": 2 * (ranks - 1) / ranks, "reduce_scatter": (ranks - 1) / ranks,
            "all_gather": (ranks - 1) / ranks, "all_to_all": (ranks - 1) / ranks,
            "alltoall": (ranks - 1) / ranks, "broadcast": 1.0, "reduce": 1.0,
            "gather": (ranks - 1) / ranks, "scatter": (ranks - 1) / ranks}.get(operation)


def shown_number(text):
    """Value and the half of its last place: "12.5 us", "12 345", "54.7 %"; None where no number."""
    text = re.sub(r"^error: (.*) of what is possible$", r"\1", text)
    match = re.match(r"^(-?\d[\d ]*(?:\.\d+)?(?:e[-+]?\d+)?)(?: ([A-Za-z/%]+))?$", text.strip())
    if not match or (match.group(2) and match.group(2) not in UNITS):
        return None
    digits, unit = match.group(1).replace(" ", ""), UNITS.get(match.group(2), 1.0)
    mantissa, _, power = digits.partition("e")
    half = 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
    value = float(digits)
    if match.group(2) in ("B", "KiB", "MiB", "GiB", "TiB") and value:  # "%.4g" drops zeros
        half = min(half, 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) - 3))
    return value * unit, half * unit * 1.001


class Comparison:
    def __init__(self):
        self.counts, self.differ = Counter(), []

    def number(self, how, where, text, expected):
        if expected is None or isinstance(expected, str) or math.isnan(expected):
            return
        shown = shown_number(text)
        if shown is None:
            if text not in ("unbounded", "-unbounded", "too few samples"):
                self.differ.append(f"{where}: '{text}' is no number; expected {expected!r}")
            return
        self.counts[how] += 1
        value, half = shown
        if abs(value - expected) > half + 1e-12 * abs(expected):
            self.differ.append(f"{where}: the page says '{text}', {how} gives {expected!r}")


def group_samples(record):
    samples = {}
    for row in record.rows("samples"):
        key = (row["operation"], row["algorithm"], row["in_place"], row["size_bytes"])
        samples.setdefault(key, []).append(row)
    return samples


def collectives_row(record, row, samples):
    chosen = samples.get((row["operation"], row["algorithm"], row["in_place"], row["size_bytes"]))
    if not chosen:
        return {}
    times = [s["time_s"] for s in chosen]
    middle, (low, high) = median(times), median_interval(times)
    factor = bus_factor(row["operation"], row["ranks"])
    rate = row["size_bytes"] / middle / 1e9
    found = {"time_s": middle, "time_low_s": low, "time_high_s": high, "algbw_gb_s": rate,
             "busbw_gb_s": None if factor is None else rate * factor}
    skews = [s["skew_s"] for s in chosen if "skew_s" in s and not math.isnan(s["skew_s"])]
    if skews and len(skews) == len(chosen):
        found["skew_s"] = median(skews)
    return found


def kernels_row(record, row, _):
    times = [t["time_s"] for t in record.rows("kernel_times")
             if (t["name"], t["size"]) == (row["name"], row["size"])]
    if not times:
        return {}
    low, high = median_interval(times)
    return {"time_s": median(times), "time_low_s": low, "time_high_s": high,
            "intensity": row["gflop_s"] / row["gb_s"] if row.get("gb_s") else None}


def utilisation_row(record, row, _):
    steps = [s for s in record.rows("pipeline_steps")
             if (s["schedule"], s["micro_batches"]) == (row["schedule"], row["micro_batches"])]
    if not steps:
        return {}
    shares = [s["utilisation"] for s in steps]
    low, high = median_interval(shares)
    return {"measured": median(shares), "measured_low": low, "measured_high": high,
            "median_span_s": median([s["span_s"] for s in steps])}


def overlap_row(record, row, _):
    match = re.match(r"(overlapped|apart)_(step|exposed|compute)_s$", row["figure"])
    if not match:
        return {}
    values = [r[match.group(2) + "_s"] for r in record.rows("overlap_rounds")
              if r["way"] == match.group(1)]
    return {"median": median(values)} if values else {}


def noise_floor_row(record, row, _):
    key = ("operation", "algorithm", "in_place", "size_bytes")
    ratios = [r["ratio"] for r in record.rows("noise_floor_rounds")
              if all(r[k] == row[k] for k in key)]
    return {"ratio": median(ratios), "ratio_low": min(ratios), "ratio_high": max(ratios)} \
        if ratios else {}


def steps_row(record, row, _):
    tokens = record.settings.get("global_batch", 0) * record.settings.get("sequence", 0)
    return {"tokens_per_s": tokens / row["time_s"]} if tokens and row["time_s"] else {}


FROM_SAMPLES = {"collectives": collectives_row, "kernels": kernels_row,
                "utilisation": utilisation_row, "overlap": overlap_row,
                "noise_floor": noise_floor_row, "steps": steps_row}


def compare_record_table(compare, table, record):
    """A table shown as the record has it: each cell against the record, and against the samples."""
    rows = record.rows(table["name"])
    where = f"{table['file']}, table {table['name']}"
    if len(rows) != len(table["rows"]):
        compare.differ.append(f"{where}: {len(table['rows'])} rows shown of {len(rows)}")
        return
    samples = group_samples(record) if table["name"] == "collectives" else None
    recompute = FROM_SAMPLES.get(table["name"], lambda *_: {})
    for place, (texts, row) in enumerate(zip(table["rows"], rows)):
        recomputed = recompute(record, row, samples)
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


def compare_headline(compare, table, record, which):
    """`auto` beside the library's own: from the samples of one sweep of the record."""
    operation, in_place, ranks = which
    samples = group_samples(record)
    for texts in table["rows"]:
        cells = dict(zip(table["columns"], texts))
        size = shown_number(cells["size_bytes"])[0]
        times = [s["time_s"] for s in samples.get((operation, "auto", in_place, size), [])]
        if not times:
            continue
        where = f"{table['file']}, headline {operation} {cells['size_bytes']}"
        compare.number("the samples", where + ", auto", cells["auto_s"], median(times))
        for text, expected in zip(cells["auto_interval_s"].split(" to "), median_interval(times)):
            compare.number("the samples", where + ", interval", text, expected)
        compare.number("the samples", where + ", bandwidth", cells["auto_busbw_gb_s"],
                       size / median(times) / 1e9 * bus_factor(operation, ranks))
        match = re.match(r"([\d.]+) times (quicker|slower)", cells["advantage"])
        library = [s["time_s"] for s in samples.get((operation, "mpi", in_place, size), [])]
        if match and library and "default" not in cells["rival"]:
            continue  # the best of several records' settings
        if match and library:
            ratio = median(library) / median(times)
            compare.number("the samples", where + ", advantage", match.group(1),
                           max(ratio, 1 / ratio))
            if (match.group(2) == "quicker") != (ratio >= 1):
                compare.differ.append(f"{where}: '{cells['advantage']}' of a ratio of {ratio}")


def compare_runs(compare, table, records):
    for texts in table["rows"]:
        cells = dict(zip(table["columns"], texts))
        record = records[cells["file"]]
        steps, summary = record.rows("steps"), record.rows("summary")[0]
        where = f"{cells['file']}, runs"
        compare.number("the samples", where + ", final loss", cells["final_loss"],
                       steps[-1]["loss"])
        evaluations = record.rows("evaluations")
        if evaluations:
            compare.number("the samples", where + ", validation loss", cells["validation_loss"],
                           evaluations[-1]["validation_loss"])
        rates = [s["tokens_per_s"] for s in steps]
        for text, part in zip(cells["middle_half"].split(" to "), (0.25, 0.75)):
            compare.number("the samples", where + ", middle half", text, quartile(rates, part))
        compare.number("the record", where + ", tokens/s", cells["tokens_per_s"],
                       summary["tokens_per_s"])
        compare.number("the record", where + ", MFU", cells["mfu"], summary["mfu"])


def compare_time_split(compare, table, records):
    parts = ("compute_s", "communication_s", "data_s", "optimizer_s", "preempted_s")
    for texts in table["rows"]:
        cells = dict(zip(table["columns"], texts))
        summary = records[cells["file"]].rows("summary")[0]
        where = f"{cells['file']}, time"
        known = [part for part in parts if not math.isnan(summary.get(part, math.nan))]
        total = sum(summary[part] for part in known)
        for part in known:
            compare.number("the record", f"{where}, {part}", cells[part], summary[part])
        compare.number("the samples", where + ", sum", cells["sum_s"], total)
        if "cores can give" not in cells["compute_share"]:
            compare.number("the samples", where + ", compute share", cells["compute_share"],
                           summary["compute_s"] / total)


def sweeps_of(record):
    """The sweeps of a record, in the order of the page: fewest ranks first within an operation."""
    found = []
    for row in record.rows("collectives"):
        key = (row["operation"], row["in_place"], row["ranks"])
        if key not in found:
            found.append(key)
    order = list(dict.fromkeys(operation for operation, _, _ in found))
    return sorted(found, key=lambda key: (order.index(key[0]), key[1], key[2]))


def compare_page(text, folder):
    compare, records, headlines = Comparison(), {}, Counter()
    tables = Tables(text).tables
    for path in Path(folder).iterdir():
        if path.suffix in (".h5", ".json"):
            records[path.name] = path
    loaded = {}

    def record(name):
        if name not in loaded:
            loaded[name] = Record(records[name])
        return loaded[name]

    class Lazily(dict):
        def __missing__(self, name):
            return record(name)

    for table in tables:
        name, file = table["name"], table["file"]
        if name == "runs":
            compare_runs(compare, table, Lazily())
        elif name == "time_split":
            compare_time_split(compare, table, Lazily())
        elif name == "headline":
            sweeps = sweeps_of(record(file))
            compare_headline(compare, table, record(file), sweeps[headlines[file]])
            headlines[file] += 1
        elif name != "layout_matrix":
            compare_record_table(compare, table, record(file))
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
