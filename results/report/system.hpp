// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/record/nature.hpp"
#include "results/report/source.hpp"

namespace shardstone::results {

// Criteria for two runs to be of the same system. Curves and ratios stay within one; all sections
// use these.

/// Host, or partition of a Slurm cluster; processor, cores and accelerators. Not the memory: a
/// virtual machine's varies.
std::string machine_of(const Source& source);

/// Host name of the machine; "an unnamed machine" if it has none.
std::string host_of(const Source& source);

/// "vm: Intel(R) Xeon(R) Processor, 2 cores".
std::string machine_name(const Source& source);

/// Whether the sources are of several machines: labels then name them.
bool on_several_machines(const std::vector<Source>& sources);

/// ", on vm: ..." if they are, else "".
std::string machine_note(const Source& source, const std::vector<Source>& sources);

/// The system of a training run: only runs that are equal in all of it share a curve or a ratio.
/// The number of replicas (dp) is not part of it, as it is the abscissa of the curves.
struct TrainedSystem {
    std::string machine, mpi, device, model, sequence, precision, optimizer;
    std::string global_batch;  ///< sequences of all replicas in a step
    std::string micro_batch;   ///< sequences in one; "" if each rank's share is processed at once
    std::string data;          ///< its hash
    std::string
        split;  ///< "tp=2,pp=2": the plan without dp; with the schedule where stages have one

    std::string apart = {};  ///< as tell_apart() sets it

    bool operator==(const TrainedSystem&) const = default;
    /// "tiny, fp32, tp=2", with device and optimizer if they are not the default ones, and with
    /// what distinguishes it from others of the same name.
    std::string name() const;
};

/// To each of several systems with the same name, adds the properties in which they differ: "global
/// batch 16". Not the machine, which findings and figures name themselves.
void tell_apart(const std::vector<TrainedSystem*>& systems);

/// Whether each rank of a run computed on a GPU.
bool is_on_gpus(const Source& source);
/// "NVIDIA H200", or several, that a run used; "" where it used none.
std::string accelerators_of(const Source& source);
/// The same of a run on GPUs; "cuda" where its record has no name.
std::string gpu_names_of(const Source& source);

/// Whether a run's computations only took the time of a device (--pace).
bool is_paced(const Source& source);
/// Whether its GPUs were emulated on cores.
inline bool is_emulated(const Source& source) {
    return nature_of(source.record) == Nature::emulated;
}

/// " (paced 20 GFLOP/s, 0.256 GB/s)", or " (emulated GPUs)", for such a run, else "".
std::string pace_note(const Source& source);

/// A sentence for the lead of a section with a paced run, behind a blank.
inline constexpr const char* meaning_of_paced =
    " In a paced run computations took the time of a device of the given rates and were not done, "
    "so that nothing was learned; its messages were sent.";

inline constexpr const char* meaning_of_emulated =
    " On emulated GPUs cores did what a GPU would have done, and took times that say nothing of "
    "one.";

/// Those sentences of which one of these runs is; else "".
std::string pace_lead(const std::vector<const Source*>& sources);

/// A plan, or parts of one, of a training, with what was chosen beside them: the schedule, and the
/// words of the record's split that name no axis ("zigzag").
std::string with_choices(const Source& source, std::string plan);

TrainedSystem trained_system(const Source& source);

/// Physical cores of the machine that a record describes; at least 1.
double cores_of_node(const Source& source);

/// Physical cores of all machines of a run. Nodes that were only declared ("(declared)" in the
/// configuration's topology) or are containers of one machine add no cores. At least 1.
double cores_of(const Source& source);

/// "; 8 ranks share 2 cores" if they do, else "".
std::string crowding_note(const Source& source, double ranks);

}  // namespace shardstone::results
