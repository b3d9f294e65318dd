# SPDX-License-Identifier: BSD-3-Clause
"""The sections on kernels, pipelines and overlap: each row from the repetitions behind it."""
import re

from estimates import median, median_interval


def kernels_row(record, row):
    times = [t["time_s"] for t in record.rows("kernel_times")
             if (t["name"], t["size"]) == (row["name"], row["size"])]
    if not times:
        return {}
    low, high = median_interval(times)
    return {"time_s": median(times), "time_low_s": low, "time_high_s": high,
            "intensity": row["gflop_s"] / row["gb_s"] if row.get("gb_s") else None}


def utilisation_row(record, row):
    steps = [s for s in record.rows("pipeline_steps")
             if (s["schedule"], s["micro_batches"]) == (row["schedule"], row["micro_batches"])]
    if not steps:
        return {}
    shares = [s["utilisation"] for s in steps]
    low, high = median_interval(shares)
    return {"measured": median(shares), "measured_low": low, "measured_high": high,
            "median_span_s": median([s["span_s"] for s in steps])}


def overlap_row(record, row):
    match = re.match(r"(overlapped|apart)_(step|exposed|compute|preempted)_s$", row["figure"])
    if not match:
        return {}
    values = [r[match.group(2) + "_s"] for r in record.rows("overlap_rounds")
              if r["way"] == match.group(1)]
    return {"median": median(values)} if values else {}


ROWS = {"kernels": kernels_row, "utilisation": utilisation_row, "overlap": overlap_row}
