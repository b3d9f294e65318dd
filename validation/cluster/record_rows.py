# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a JSON record, for the checks of what the cluster tests measured."""


def rows_of(record, tables, table):
    for each in record[tables]:
        if each["name"] == table:
            columns = {c["name"]: c.get("texts") or c["numbers"] for c in each["columns"]}
            return [dict(zip(columns, values)) for values in zip(*columns.values())]
    return []
