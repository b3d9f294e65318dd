// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "jobs/submit/script.hpp"

namespace shardstone::submit {

inline constexpr const char* small_study = R"(about = "a small study"
command = "train"
ranks = [4, 8]
[stop]
repetitions = 2
minutes = 7
[fixed]
model = "nano"
global-batch = "{2*ranks}"
[vary]
plan = ["dp={ranks}", "dp={ranks/2},tp=2"]
)";

inline constexpr const char* small_site = R"(about = "a small site"
scheduler = "slurm"
launcher = "srun"
launcher_options = ["--mpi=pmi2"]
partition = "main"
nodes = 2
ranks_per_node = 4
cores_per_node = 8
gpus_per_node = 4
binding = "core"
[environment]
UCX_TLS = "tcp,self"
[options.train]
steps = 3
)";

/// The small study at the small site (or others), with fixed places.
inline Plan small_plan(const std::string& study = small_study,
                       const std::string& site = small_site) {
    Plan plan{parse_study(study, "small.toml"),
              parse_site(site, "place.toml"),
              {},
              "/bin/stone",
              "/runs/small",
              "0123abcd"};
    plan.points = expand_study(plan.study, plan.site);
    return plan;
}

/// `text` with its first `what` replaced.
inline std::string with(std::string text, const std::string& what, const std::string& instead) {
    return text.replace(text.find(what), what.size(), instead);
}

}  // namespace shardstone::submit
