// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/source.hpp"

namespace shardstone::results {

// Peak rates of one core of a machine, by each record that measured them. The performance of a
// shared machine varies: ratios between records are valid only if it was the same.

/// Largest factor between measurements of one peak for the machine to count as the same.
constexpr double most_peaks_apart = 1.1;

struct MeasuredPeak {
    const Source* source = nullptr;
    std::string quantity;  ///< "peak arithmetic rate of a core, fp32"
    std::string unit;      ///< "GFLOP/s" or "GB/s"
    double value = 0.0;
    bool disturbed = false;

    std::string text() const;  ///< "54.0 GFLOP/s", marked where it was disturbed
};

/// One quantity, by all records of one machine that hold it, the least first.
struct PeakRange {
    std::vector<MeasuredPeak> peaks;

    const MeasuredPeak& least() const { return peaks.front(); }
    const MeasuredPeak& greatest() const { return peaks.back(); }
    double factor() const { return greatest().value / least().value; }
    bool apart() const { return factor() > most_peaks_apart; }
};

/// Of the records of one machine (system.hpp: machine_of()), in the order of their first mention.
std::vector<PeakRange> peak_ranges(const std::vector<const Source*>& machine);

/// "the peak of this machine differs by a factor of 1.28 between records", of what is furthest
/// apart on the machine of `source`; "" where nothing is by more than most_peaks_apart.
std::string peak_change(const Source& source, const std::vector<Source>& sources);

}  // namespace shardstone::results
