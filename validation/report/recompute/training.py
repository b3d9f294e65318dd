# SPDX-License-Identifier: BSD-3-Clause
"""The sections on training: speeds, their intervals and shares of the time, from what each rank
measured of each step (table rank_steps)."""
import collections
import functools
import math

from estimates import median, median_interval, quartile, warmup_count

PARTS = ("compute_s", "communication_s", "data_s", "optimizer_s", "preempted_s")


def tokens_per_step(record):
    return record.settings.get("global_batch", 0) * record.settings.get("sequence", 0)


@functools.cache
def rank_steps(record):
    """The rows of every rank by step, in order; none in records of version 1."""
    steps = {}
    for row in record.rows("rank_steps"):
        steps.setdefault(row["step"], []).append(row)
    return dict(sorted(steps.items()))


@functools.cache
def speed(record):
    """What the summary says of the speed: a step takes as long as its slowest rank, and those of
    the warm-up do not count."""
    steps = list(rank_steps(record).values())
    if not steps:
        return {}
    times = [max(row["time_s"] for row in ranks) for ranks in steps]
    first, tokens = warmup_count(times), tokens_per_step(record)
    middle, (low, high) = median(times[first:]), median_interval(times[first:])
    found = {"step_s": middle, "step_s_low": low, "step_s_high": high,
             "tokens_per_s": tokens / middle, "tokens_per_s_low": tokens / high,
             "tokens_per_s_high": tokens / low, "tokens_per_step": tokens,
             "uncounted_steps": first, "counted_steps": len(times) - first}
    for part in PARTS:
        found[part] = sum(sum(row[part] for row in ranks) / len(ranks) for ranks in steps[first:])
    return found


def summary_row(record, row):
    found = dict(speed(record))
    if found and row.get("flop_per_s"):
        peak = row["core_peak_flop_per_s"] * row["busy_cores"]
        flop = row["flop_per_s"] * row["step_s"]  # of one step: what the model asks
        found["flop_per_s"] = flop / found["step_s"]
        found["mfu"] = found["flop_per_s"] / peak
    return found


def steps_row(record, row):
    tokens = tokens_per_step(record)
    ranks = rank_steps(record).get(row["step"], [])
    time_s = max(r["time_s"] for r in ranks) if ranks else row["time_s"]
    found = {"tokens_per_s": tokens / time_s} if tokens and time_s else {}
    for part in PARTS if ranks else ():
        found[part] = sum(r[part] for r in ranks) / len(ranks)
    return {**found, "time_s": time_s}


ROWS = {"summary": summary_row, "steps": steps_row}


def compare_interval(compare, how, where, text, ends):
    """Both ends of "930 to 1 070"; a page that gives none where there is one differs."""
    for shown, expected in zip(text.split(" to "), ends):
        compare.number(how, where, shown, expected)


def cells_of(table, texts):
    """Of a row, by column; the page leaves out columns in which no row has anything."""
    return collections.defaultdict(lambda: "-", zip(table["columns"], texts))


def compare_runs(compare, table, records, _):
    for texts in table["rows"]:
        cells = cells_of(table, texts)
        record = records[cells["file"]]
        steps, summary = record.rows("steps"), record.rows("summary")[0]
        where = f"{cells['file']}, runs"
        compare.number("the samples", where + ", final loss", cells["final_loss"],
                       steps[-1]["loss"])
        evaluations = record.rows("evaluations")
        if evaluations:
            compare.number("the samples", where + ", validation loss", cells["validation_loss"],
                           evaluations[-1]["validation_loss"])
        first = summary.get("uncounted_steps", 0)  # records of version 1 do not tell
        rates = [s["tokens_per_s"] for s in steps[0 if math.isnan(first) else int(first):]]
        compare_interval(compare, "the samples", where + ", middle half", cells["middle_half"],
                         [quartile(rates, part) for part in (0.25, 0.75)])
        compare.number("the record", where + ", tokens/s", cells["tokens_per_s"],
                       summary["tokens_per_s"])
        compare.number("the record", where + ", MFU", cells["mfu"], summary["mfu"])
        measured = speed(record)
        if measured:
            compare.number("the samples", where + ", tokens/s", cells["tokens_per_s"],
                           measured["tokens_per_s"])
            compare_interval(compare, "the samples", where + ", interval", cells["interval"],
                             (measured["tokens_per_s_low"], measured["tokens_per_s_high"]))


def compare_time_split(compare, table, records, _):
    for texts in table["rows"]:
        cells = cells_of(table, texts)
        record = records[cells["file"]]
        summary, measured = record.rows("summary")[0], speed(record)
        where = f"{cells['file']}, time"
        known = [part for part in PARTS if not math.isnan(summary.get(part, math.nan))]
        if cells["preempted_s"] == "-" and summary.get("preempted_s") == 0:  # paced: not counted
            known.remove("preempted_s")
        total = sum(measured.get(part, summary[part]) for part in known)
        for part in known:
            compare.number("the record", f"{where}, {part}", cells[part], summary[part])
            compare.number("the samples", f"{where}, {part}", cells[part], measured.get(part))
        compare.number("the samples", where + ", sum", cells["sum_s"], total)
        if "time of the cores" not in cells["compute_share"]:
            compare.number("the samples", where + ", compute share", cells["compute_share"],
                           measured.get("compute_s", summary["compute_s"]) / total)


COMPOSED = {"runs": compare_runs, "time_split": compare_time_split}
