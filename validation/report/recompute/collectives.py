# SPDX-License-Identifier: BSD-3-Clause
"""The section on collectives: rates, intervals and ratios from the samples of a sweep."""
import functools
import math
import re

from estimates import median, median_interval
from page import shown_number


def bus_factor(operation, ranks):
    """nccl-tests, doc/PERFORMANCE.md."""
    return {"all_reduce": 2 * (ranks - 1) / ranks, "reduce_scatter": (ranks - 1) / ranks,
            "all_gather": (ranks - 1) / ranks, "all_to_all": (ranks - 1) / ranks,
            "alltoall": (ranks - 1) / ranks, "broadcast": 1.0, "reduce": 1.0,
            "gather": (ranks - 1) / ranks, "scatter": (ranks - 1) / ranks}.get(operation)


@functools.cache
def group_samples(record):
    samples = {}
    for row in record.rows("samples"):
        key = (row["operation"], row["algorithm"], row["in_place"], row["size_bytes"])
        samples.setdefault(key, []).append(row)
    return samples


def collectives_row(record, row):
    key = ("operation", "algorithm", "in_place", "size_bytes")
    chosen = group_samples(record).get(tuple(row[column] for column in key))
    if not chosen:
        return {}
    times = [s["time_s"] for s in chosen]
    middle, (low, high) = median(times), median_interval(times)
    factor = bus_factor(row["operation"], row["ranks"])
    rate = row["size_bytes"] / middle / 1e9
    found = {"time_s": middle, "time_low_s": low, "time_high_s": high, "busbw_gb_s": None if factor is None else rate * factor}
    found["algbw_gb_s"] = None if row["ranks"] == 1 else rate  # one rank sends nothing
    skews = [s["skew_s"] for s in chosen if "skew_s" in s and not math.isnan(s["skew_s"])]
    if skews and len(skews) == len(chosen):
        found["skew_s"] = median(skews)
    return found


def noise_floor_row(record, row):
    key = ("operation", "algorithm", "in_place", "size_bytes")
    ratios = [r["ratio"] for r in record.rows("noise_floor_rounds")
              if all(r[k] == row[k] for k in key)]
    return {"ratio": median(ratios), "ratio_low": min(ratios), "ratio_high": max(ratios)} \
        if ratios else {}


def compare_headline(compare, table, records, place):
    """`auto` beside the library's own: from the samples of the sweep of the record that has this
    place."""
    record = records[table["file"]]
    operation, in_place, ranks = sweeps_of(record)[place]
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
        match = re.match(r"([\d.]+) times (faster|slower)", cells["advantage"])
        library = [s["time_s"] for s in samples.get((operation, "mpi", in_place, size), [])]
        if match and library and "measured by" not in cells["advantage"]:  # by another record
            ratio = median(library) / median(times)
            compare.number("the samples", where + ", advantage", match.group(1),
                           max(ratio, 1 / ratio))
            if (match.group(2) == "faster") != (ratio >= 1):
                compare.differ.append(f"{where}: '{cells['advantage']}' of a ratio of {ratio}")


def sweeps_of(record):
    """The sweeps of a record, in the order of the page: fewest ranks first within an operation."""
    found = []
    for row in record.rows("collectives"):
        key = (row["operation"], row["in_place"], row["ranks"])
        if key not in found:
            found.append(key)
    order = list(dict.fromkeys(operation for operation, _, _ in found))
    return sorted(found, key=lambda key: (order.index(key[0]), key[1], key[2]))


COMPOSED = {"headline": compare_headline}
ROWS = {"collectives": collectives_row, "noise_floor": noise_floor_row}
