# SPDX-License-Identifier: BSD-3-Clause
"""The section on stalls and stragglers: of each rank what the points of its record say of it."""
import math

from estimates import median


def compare_stragglers(compare, table, records, _):
    """One row for each rank: medians over the points, and the standstills that are its."""
    record = records[table["file"]]
    ranks = sorted({row["rank"] for row in record.rows("rank_times")})
    where = f"{table['file']}, stragglers"
    if [row[0] for row in table["rows"]] != [f"{rank:.0f}" for rank in ranks]:
        compare.differ.append(f"{where}: ranks {[row[0] for row in table['rows']]} shown of {ranks}")
        return
    for rank, texts in zip(ranks, table["rows"]):
        cells = dict(zip(table["columns"], texts))
        points = [row for row in record.rows("rank_times") if row["rank"] == rank]
        factors = [row["factor"] for row in points if math.isfinite(row["factor"])]
        late = [row["late_s"] for row in points if math.isfinite(row["late_s"])]
        still = sum(row["still_s"] for row in record.rows("outliers") if row["rank"] == rank)
        for column, expected in (("node", points[0]["node"]), ("factor", median(factors) if factors else None),
                                 ("factor_most", max(factors) if factors else None),
                                 ("late_s", median(late) if late else None), ("still_s", still)):
            if expected is not None:
                compare.number("the record", f"{where}, rank {rank:.0f}, {column}", cells[column], expected)


COMPOSED = {"stragglers": compare_stragglers}
