# SPDX-License-Identifier: BSD-3-Clause
"""Reads the records that Shardstone writes (--hdf5 or --json).

    import shardstone_records
    record = shardstone_records.read("out/quickstart/collectives.h5")
    record.title, record.verified, record.environment["machine"]["cpu"]
    points = record.table("collectives")     # {"algorithm": [...], "time_s": array, ...}
    record.unit("collectives", "time_s")     # "s"; of JSON from version 3 on

What the tables hold: results/schema/README.md. Needs numpy; h5py for HDF5. It does not check the
hashes: `shardstone verify` does.
"""
import json
import pathlib

import numpy


class Record:
    """One run: kind, identity, configuration, environment, checks, tables, units."""

    def __init__(self, about, tables, checks, units):
        self.kind = about["kind"]
        self.identity = about["identity"]
        self.configuration = about["configuration"]
        self.environment = about["environment"]
        self.checks = checks  # list of {"name", "passed", "detail"}
        self._tables = tables
        self._units = units

    @property
    def title(self):
        return self.identity["title"]

    @property
    def verified(self):
        return bool(self.checks) and all(check["passed"] for check in self.checks)

    @property
    def table_names(self):
        return list(self._tables)

    def table(self, name):
        """Columns by name: arrays of numbers, lists of texts. KeyError names what there is."""
        if name not in self._tables:
            raise KeyError(f"no table '{name}': this {self.kind} record holds "
                           + ", ".join(self._tables))
        return self._tables[name]

    def rows(self, name):
        """The rows of a table, each a dictionary."""
        columns = self.table(name)
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    def unit(self, table, column):
        return self._units.get((table, column), "")


def read(path):
    """Reads either format, by content. OSError or ValueError where it is no record."""
    with open(path, "rb") as file:
        begins = file.read(17)
    if begins == b"shardstone record":
        return _read_hdf5(path)
    if begins.startswith(b'{"seal": "'):
        return _read_json(path)
    raise ValueError(f"'{path}' is not a Shardstone record")


def read_all(*paths):
    """All records among files and folders; of a run in both formats only one."""
    found = {}
    for path in map(pathlib.Path, paths):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix in (".h5", ".json"):
                record = read(file)
                found.setdefault(record.identity["id"], record)
    return list(found.values())


def _read_hdf5(path):
    import h5py

    with h5py.File(path, "r") as file:
        about = {name: file["about"][name][0].decode() for name in file["about"]}
        for name in ("identity", "configuration", "environment"):
            about[name] = json.loads(about[name])
        tables, units = {}, {}
        for group in (file["derived"], file["samples"]):
            for table, columns in group.items():
                tables[table] = {name: _column(columns[name]) for name in columns}
                for name in columns:
                    units[table, name] = _text(columns[name].attrs.get("unit", b""))
        stored = {name: _column(file["verification"][name]) for name in file["verification"]}
    checks = [{"name": name, "passed": bool(passed), "detail": detail}
              for name, passed, detail in zip(stored["name"], stored["passed"], stored["detail"])]
    return Record(about, tables, checks, units)


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


def _column(data):
    values = data[:]
    return values if values.dtype.kind == "f" else [_text(value) for value in values]


def _read_json(path):
    document = json.loads(pathlib.Path(path).read_text())
    tables, units = {}, {}
    for table in document["derived"] + document["samples"]:
        tables[table["name"]] = {
            column["name"]: column["texts"] if "texts" in column
            else numpy.array([float(value) for value in column["numbers"]])
            for column in table["columns"]}
        for column in table["columns"]:
            units[table["name"], column["name"]] = column.get("unit", "")
    return Record(document, tables, document["verification"], units)
