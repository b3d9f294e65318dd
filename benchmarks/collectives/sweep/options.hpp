// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace shardstone::benchmarks {

/// Options of `shardstone collectives`; flags that nccl-tests also has are the same.
struct SweepOptions {
    std::vector<std::string> operations{"all_reduce"};  ///< --op
    std::vector<std::string> algorithms{"all"};
    std::string device = "cpu";        ///< cpu or cuda; where the vectors are
    std::string smallest = "4";        ///< -b
    std::string largest = "4M";        ///< -e
    std::int64_t factor = 8;           ///< -f
    std::int64_t iterations = 0;       ///< -n; 0: until the interval is narrow enough
    std::int64_t warmup = -1;          ///< -w; -1: until the times settle
    std::int64_t checks = 1;           ///< -c; runs per point whose every element is checked
    std::string type = "fp32";         ///< -d
    std::string reduction = "sum";     ///< -o
    std::string in_place = "auto";     ///< yes, no, both, auto
    std::string shares = "even";       ///< even, ramp
    std::string rotate = "off";        ///< off, auto, a number of buffers
    int root = 0;                      ///< -r
    double seconds_per_point = 0.5;    ///< unless -n is given
    double relative_precision = 0.05;  ///< of the median's interval, at which a point is done
    int ranks_per_node = 0;            ///< 0: as detected
    bool noise_floor = false;
    bool fail_on_outlier = false;
    /// Whether the vectors are in memory of GPUs.
    bool on_gpus() const { return device == "cuda"; }

    std::string cluster_path;  ///< description for predictions and choices; empty: calibrate first
    std::string json_path;
    std::string hdf5_path;
};

/// Every option in force, for the record.
nlohmann::json to_json(const SweepOptions& options);

}  // namespace shardstone::benchmarks
