# SPDX-License-Identifier: BSD-3-Clause
"""The section on stalls and stragglers: what stood still, and of each rank what the points of its
record say of it."""
import math

from estimates import median


def number_and_unit(size_bytes):
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size_bytes >= unit:
            return f"{size_bytes / unit:.4g} {name}"
    return f"{size_bytes:.0f} B"


def where(row):
    """Point, and step or iteration, as a reader is told them."""
    point = [word for word in (row["operation"], row["algorithm"]) if word]
    parts = [", ".join(point)] if point else []
    sweep = math.isfinite(row["size_bytes"])
    if sweep:
        parts = [" ".join(point), number_and_unit(row["size_bytes"])] + ["out of place"] * (row["in_place"] == 0)
    for name in ("step", "iteration"):
        if math.isfinite(row[name]):
            parts.append(f"{'' if row['timed'] == 1 else 'before '}{name} {row[name]:.0f}")
            break
    else:
        if row["timed"] != 1 and (sweep or math.isfinite(row["usual_s"])):
            parts.append("outside the timed parts")
    return ", ".join(parts) or "in the measurement"


def compare_stalls(compare, table, records, _):
    """Two lines for each row of table outliers: its figures, and below them what happened."""
    rows = records[table["file"]].rows("outliers")
    which = f"{table['file']}, stalls"
    if len(table["rows"]) != 2 * len(rows):
        compare.differ.append(f"{which}: {len(table['rows'])} lines shown of {len(rows)} rows")
        return
    for row, texts, below in zip(rows, table["rows"][0::2], table["rows"][1::2]):
        cells = dict(zip(table["columns"], texts))
        verdict = ("excused" if row["excused"] == 1 else "stalled") + ", repeated" * (row["kept"] == 0)
        for said, expected in ((cells["where"], where(row)), (cells["place"], row["place"]),
                               (cells["verdict"], verdict), (below, [row["machine"]])):
            compare.counts["texts"] += 1
            if said != expected:
                compare.differ.append(f"{which}: the page says {said!r}, the record {expected!r}")
        for column in ("time_s", "usual_s", "still_s"):
            if cells[column] != "-" or math.isfinite(row[column]):
                compare.number("the record", f"{which}, {column}", cells[column], row[column])


def points_of(rows):
    """The ranks of a point follow one another, by number."""
    points = []
    for row in rows:
        if not points or row["rank"] <= points[-1][-1]["rank"]:
            points.append([])
        points[-1].append(row)
    return points


def factors_of(rows, rank):
    """Time of a rank over the median of the others' in each point."""
    factors = []
    for point in points_of(rows):
        own = [row["own_s"] for row in point if row["rank"] == rank]
        others = [row["own_s"] for row in point if row["rank"] != rank]
        if own and others and all(map(math.isfinite, own + others)):
            factors.append(own[0] / median(others))
    return factors


def compare_stragglers(compare, table, records, _):
    """One row for each rank: medians over the points, and the standstills that are its."""
    record = records[table["file"]]
    times = record.rows("rank_times")
    ranks = sorted({row["rank"] for row in times})
    which = f"{table['file']}, stragglers"
    if [row[0] for row in table["rows"]] != [f"{rank:.0f}" for rank in ranks]:
        compare.differ.append(f"{which}: ranks {[row[0] for row in table['rows']]} shown of {ranks}")
        return
    for rank, texts in zip(ranks, table["rows"]):
        cells = dict(zip(table["columns"], texts))
        points = [row for row in times if row["rank"] == rank]
        factors = factors_of(times, rank)
        late = [row["late_s"] for row in points if math.isfinite(row["late_s"])]
        still = sum(row["still_s"] for row in record.rows("outliers") if row["rank"] == rank and row["kept"] != 0)
        for column, expected in (("node", points[0]["node"]), ("factor", median(factors) if factors else None),
                                 ("factor_most", max(factors) if factors else None),
                                 ("late_s", median(late) if late else None), ("still_s", still)):
            if expected is not None:
                compare.number("the samples" if column.startswith("factor") else "the record",
                               f"{which}, rank {rank:.0f}, {column}", cells[column], expected)


COMPOSED = {"stalls": compare_stalls, "stragglers": compare_stragglers}
