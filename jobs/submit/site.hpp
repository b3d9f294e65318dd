// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/submit/study.hpp"

namespace shardstone::submit {

enum class Scheduler : std::uint8_t { none, slurm };
enum class Launcher : std::uint8_t { srun, mpiexec };
enum class Binding : std::uint8_t { none, core, numa };

/// Where studies run, and how. It names no account: Slurm's tools take $SBATCH_ACCOUNT.
///
///     about = "one line"
///     scheduler = "slurm"              # "none": one run after the other, on this machine
///     launcher = "srun"                # or "mpiexec"
///     launcher_options = ["--mpi=pmi2"]
///     partition = "main"               # by default the cluster's
///     sbatch_options = ["--qos=bench"] # nothing that submit sets itself (sbatch_options.hpp)
///     nodes = 4                        # most that a run may have; by default any number
///     ranks_per_node = 8               # by default one node holds all
///     cores_per_node = 64
///     gpus_per_node = 8                # by default none
///     exclusive = true                 # nodes are shared with nobody
///     at_once = 1                      # runs at a time in all; by default as many as Slurm starts
///     binding = "core"                 # of ranks: "core", "numa", "none"
///     nics = ["mlx5_0:1", "mlx5_1:1"]  # UCX_NET_DEVICES of a node's ranks, in turn
///     modules = ["gcc/12", "mpich/4"]
///     client_prefix = ["ssh", "head"]  # before sbatch and squeue, where they are not on this host
///     client_host = "head"             # the host on which that is not needed
///     [environment]
///     UCX_TLS = "rc,cuda"
///     [options.train]                  # added to a study's command, unless the study sets them or
///                                      # leaves them out: data = false
///     data = "/scratch/tokens"
struct Site {
    std::string name;  ///< of its file, without the ending
    std::string about;
    Scheduler scheduler = Scheduler::none;
    Launcher launcher = Launcher::mpiexec;
    std::vector<std::string> launcher_options;
    std::string partition;
    std::vector<std::string> sbatch_options;
    int nodes = 0;           ///< 0: any number
    int ranks_per_node = 0;  ///< 0: all
    int cores_per_node = 0;  ///< 0: not said
    int gpus_per_node = 0;
    bool exclusive = false;
    int at_once = 0;  ///< 0: no limit
    Binding binding = Binding::none;
    std::vector<std::string> nics;
    std::vector<std::string> modules;
    std::vector<std::string> client_prefix;
    std::string client_host;
    std::vector<std::pair<std::string, std::string>> environment;
    std::map<std::string, std::vector<StudyOption>> options;  ///< by Study::command
    std::string text;                                         ///< of the whole file

    /// Cores that each of this many ranks on a node has; 1 if the site does not say.
    int cores_per_rank(int ranks_on_node) const;
    /// GPUs for this many ranks on a node: as many per rank as a full node gives.
    int gpus_for(int ranks_on_node) const;
};

/// Reads a site. Throws Error naming `file`, with the key or the line, for anything that is
/// unknown, missing, out of bounds or contradictory.
Site parse_site(std::string_view text, const std::string& file);

}  // namespace shardstone::submit
