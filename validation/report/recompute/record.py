# SPDX-License-Identifier: BSD-3-Clause
"""Records as tables, in either format and of every version."""
import json

import h5py


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
        kernels = self.tables.get("kernels")
        if kernels and self.version == 1:  # there the share was of the fastest repetition
            kernels["share"] = [rate / bound for rate, bound in
                                zip(kernels["gflop_s"], kernels["roofline_gflop_s"])]
        summary = self.tables.get("summary", {})
        if self.kind == "train" and "warmup_steps" in summary:  # up to version 2
            summary["uncounted_steps"] = summary.pop("warmup_steps")

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
