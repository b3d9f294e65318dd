// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/source.hpp"

namespace shardstone::results {

/// One row of an `all_reduce` table. Infinite or undefined where something was not measured.
struct SweepPoint {
    std::string algorithm;
    double size_bytes = 0.0;
    double time_s = 0.0;
    double low_s = 0.0;  ///< 95 % interval for the median
    double high_s = 0.0;
    double busbw_gb_s = 0.0;
    double predicted_s = 0.0;

    bool has_interval() const;
    bool has_prediction() const;
    /// The prediction as a bandwidth: bytes on the bus are fixed, so it goes by 1 / time.
    double predicted_busbw_gb_s() const { return busbw_gb_s * time_s / predicted_s; }
};

/// The points of one record at one number of ranks.
struct Sweep {
    const Source* source = nullptr;
    double ranks = 0.0;
    std::vector<SweepPoint> points;

    std::vector<std::string> algorithms() const;  ///< in order of appearance
    std::vector<double> sizes() const;            ///< rising, each once
    std::vector<SweepPoint> of(const std::string& algorithm) const;
    /// The quickest of the libraries' own at a size, or nothing.
    const SweepPoint* rival(double size_bytes) const { return quickest(size_bytes, true); }
    /// The quickest of ours at a size, or nothing.
    const SweepPoint* fastest(double size_bytes) const { return quickest(size_bytes, false); }
    /// "8 ranks", with the title of the run behind it where `several` have as many ranks.
    std::string title(bool several) const;

  private:
    const SweepPoint* quickest(double size_bytes, bool of_rivals) const;
};

/// All sweeps of all records, in the order given, fewest ranks first within a record.
std::vector<Sweep> sweeps_of(const std::vector<Source>& sources);

}  // namespace shardstone::results
