#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the bus bandwidth of a sweep over the message size: an example for shardstone_records.

    plot_collectives.py out/quickstart/collectives.h5 bandwidth.png
"""
import sys

import shardstone_records


def main(path, out):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    record = shardstone_records.read(path)
    points = record.rows("collectives")
    for algorithm in dict.fromkeys(point["algorithm"] for point in points):
        own = [point for point in points if point["algorithm"] == algorithm]
        plt.plot([point["size_bytes"] for point in own], [point["busbw_gb_s"] for point in own],
                 marker="o", label=algorithm)
    plt.xscale("log", base=2)
    plt.yscale("log")
    plt.xlabel("size (B)")
    plt.ylabel("bus bandwidth (" + (record.unit("collectives", "busbw_gb_s") or "GB/s") + ")")
    plt.title(f"{record.title}, {record.environment['machine']['cpu']}")
    plt.legend(fontsize="x-small")
    plt.savefig(out, dpi=120)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
