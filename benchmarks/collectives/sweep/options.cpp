// SPDX-License-Identifier: BSD-3-Clause
// The options of a sweep as JSON, so that its record says how it was made.
#include "benchmarks/collectives/sweep/options.hpp"

namespace shardstone::benchmarks {

nlohmann::json to_json(const SweepOptions& options) {
    return {{"operations", options.operations},
            {"algorithms", options.algorithms},
            {"device", options.device},
            {"smallest", options.smallest},
            {"largest", options.largest},
            {"factor", options.factor},
            {"iterations", options.iterations},
            {"warmup", options.warmup},
            {"checks", options.checks},
            {"type", options.type},
            {"reduction", options.reduction},
            {"in_place", options.in_place},
            {"shares", options.shares},
            {"rotate", options.rotate},
            {"root", options.root},
            {"seconds_per_point", options.seconds_per_point},
            {"ranks_per_node", options.ranks_per_node},
            {"noise_floor", options.noise_floor},
            {"fail_on_outlier", options.fail_on_outlier},
            {"cluster", options.cluster_path}};
}

}  // namespace shardstone::benchmarks
