# SPDX-License-Identifier: BSD-3-Clause
"""What a reader sees: the tables of a page, and the numbers that its texts stand for."""
import html.parser
import math
import re

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
            self.cell += data.replace("\u202f", " ").replace("\u00a0", " ")  # as breaks are avoided

    def handle_endtag(self, tag):
        if tag == "td" and self.cell is not None:
            self.table["rows"][-1].append(self.cell)
            self.cell = None
        elif tag == "table" and self.table is not None:
            self.table["rows"] = [row for row in self.table["rows"] if row]
            self.tables.append(self.table)
            self.table = None


def shown_number(text):
    """Value and the half of its last place: "12.5 us", "12 345", "54.7 %", "yes"; None where no number."""
    if text in ("yes", "no"):
        return (1.0 if text == "yes" else 0.0), 0.0
    text = re.sub(r"^error: (.*) of what is possible$", r"\1", text).removesuffix(" !")
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
