// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/source.hpp"
#include "results/schema/collectives.hpp"

namespace shardstone::results {

/// Most curves that can be distinguished in one figure.
constexpr std::size_t most_drawn = 8;

bool has_interval(const CollectiveRow& point);
/// Whether its expected time, `predicted_s` or `measured_before_s`, is known.
bool has_expected(const CollectiveRow& point, double CollectiveRow::*expected_s);
/// The expected time as a bandwidth, which is proportional to 1 / time.
double expected_busbw_gb_s(const CollectiveRow& point, double CollectiveRow::*expected_s);

/// The points of one record of one operation at one number of ranks, in or out of place.
struct ReportedSweep {
    const Source* source = nullptr;
    std::string operation;
    double in_place = 1.0;
    double ranks = 0.0;
    std::vector<CollectiveRow> points;
    std::string machine_change = {};  ///< machine_peaks.hpp: peak_change()

    std::vector<std::string> algorithms() const;  ///< in order of appearance
    /// Those drawn as curves: all, or, with more than most_drawn, `auto`, the libraries' own, and
    /// those of ours that are fastest at most sizes; in order of appearance.
    std::vector<std::string> drawn() const;
    std::vector<double> sizes() const;                                  ///< rising, each once
    std::vector<CollectiveRow> of(const std::string& algorithm) const;  ///< by size
    /// Null if that algorithm was not measured at that size.
    const CollectiveRow* find(const std::string& algorithm, double size_bytes) const;
    /// The fastest of ours at a size by its median, in hindsight, or null.
    const CollectiveRow* fastest_of_ours(double size_bytes) const;
    /// "All-reduce on 8 ranks, out of place".
    std::string title() const;
    /// Properties that two sweeps share if their times are comparable.
    std::string comparable() const;
};

/// All sweeps of all records, by operation in the order given, fewest ranks first.
std::vector<ReportedSweep> sweeps_of(const std::vector<Source>& sources);

/// A library's own time, and the record that it is from.
struct Rival {
    const CollectiveRow* point = nullptr;
    const Source* source = nullptr;

    /// "MPI's own with UCX_TLS=posix,self", "MPI's own with its default settings".
    std::string name() const;
};

/// The fastest of the libraries' own at a size among all sweeps comparable with `sweep`, including
/// those with other settings; disturbed ones only if there is no other.
Rival best_rival(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
                 double size_bytes);

}  // namespace shardstone::results
