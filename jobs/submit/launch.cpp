// SPDX-License-Identifier: BSD-3-Clause
// How a point's ranks are started and bound, by srun or mpiexec.
#include "jobs/submit/launch.hpp"

#include <fmt/format.h>

#include "jobs/submit/shell_words.hpp"

namespace shardstone::submit {

namespace {

const char* cpu_bind(Binding binding) {
    if (binding == Binding::core) return "--cpu-bind=cores";
    return binding == Binding::numa ? "--cpu-bind=ldoms" : "--cpu-bind=none";
}

const char* bind_to(Binding binding) {
    if (binding == Binding::core) return "core";
    return binding == Binding::numa ? "numa" : "none";
}

/// Ranks of a node take the NICs in turn. The shell is replaced by the program.
std::vector<std::string> nic_words(const Site& site) {
    if (site.nics.empty()) return {};
    const char* lane = site.launcher == Launcher::srun ? "SLURM_LOCALID" : "MPI_LOCALRANKID";
    std::string nics;
    for (const std::string& nic : site.nics) nics += (nics.empty() ? "" : " ") + shell_word(nic);
    return {"bash", "-c",
            fmt::format("nics=({}); export UCX_NET_DEVICES=${{nics[{} % {}]}}; exec \"$@\"", nics,
                        lane, site.nics.size()),
            "rank"};
}

/// Lanes of a node beside GPUs of the same numbers go by sockets, as these do: else Slurm deals the
/// sockets out in turn, and half of the ranks are far from their GPU.
std::string distribution(const Point& point) {
    const std::string nodes = point.cyclic ? "cyclic" : "block";
    return point.gpus_per_node > 0 ? nodes + ":block" : nodes;
}

}  // namespace

std::vector<std::string> resource_words(const Site& site, const Point& point) {
    std::vector<std::string> words{
        fmt::format("--nodes={}", point.nodes), fmt::format("--ntasks={}", point.ranks),
        fmt::format("--ntasks-per-node={}", point.ranks_per_node),
        fmt::format("--cpus-per-task={}", site.cores_per_rank(point.ranks_per_node))};
    if (point.gpus_per_node > 0) {
        words.push_back(fmt::format("--gres=gpu:{}", point.gpus_per_node));
    }
    return words;
}

std::vector<std::string> launch_words(const Site& site, const Point& point) {
    std::vector<std::string> words;
    if (site.launcher == Launcher::srun) {
        words = resource_words(site, point);
        words.insert(words.begin(), "srun");
        words.emplace_back(cpu_bind(site.binding));
        words.push_back("--distribution=" + distribution(point));
    } else {
        words = {"mpiexec", "-n", std::to_string(point.ranks)};
        if (site.ranks_per_node > 0) {
            // MPICH deals this many ranks to each node, and then begins with the first again.
            words.insert(words.end(),
                         {"-ppn", std::to_string(point.cyclic ? 1 : point.ranks_per_node)});
        }
        words.insert(words.end(), {"-bind-to", bind_to(site.binding)});
    }
    words.insert(words.end(), site.launcher_options.begin(), site.launcher_options.end());
    const auto nics = nic_words(site);
    words.insert(words.end(), nics.begin(), nics.end());
    return words;
}

}  // namespace shardstone::submit
