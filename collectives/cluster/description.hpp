// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/cluster/size_curve.hpp"

namespace shardstone::collectives {

/// A 95 % confidence interval in the unit of what it belongs to.
struct Interval95 {
    double low = 0.0;
    double high = 0.0;

    bool operator==(const Interval95&) const = default;
};

/// Cost of one rank's message of n bytes on links of one class: alpha_s + n / bandwidth.
struct LinkDescription {
    double alpha_s = 0.0;
    double bandwidth_gb_s = 1.0;  ///< of one rank in one direction, decimal
    std::optional<Interval95> alpha_interval_s;
    std::optional<Interval95> bandwidth_interval_gb_s;
    std::string source;       ///< data sheet, assumption, or where and how it was measured
    SizeCurve measured = {};  ///< if several sizes were measured; alpha and bandwidth summarise it
    double start_s = 0.0;     ///< time of a collective over such links besides its messages

    bool operator==(const LinkDescription&) const = default;
};

struct ReductionDescription {
    double rate_gb_s = 1.0;  ///< received bytes reduced into the vector per second: 1 / gamma
    std::optional<Interval95> rate_interval_gb_s;
    std::string source;
    SizeCurve measured = {};  ///< where several sizes were

    bool operator==(const ReductionDescription&) const = default;
};

/// Assignment of NICs to the ranks of a node, for m ranks and k NICs (k divides m, or m divides k).
enum class NicAssignment : std::uint8_t {
    block,        ///< lane l uses NIC l k / m: neighbours share
    round_robin,  ///< lane l uses NIC l mod k
};

/// The NICs of a node, shared by the messages of the ranks that use them. If a node has more NICs
/// than ranks, each rank uses k / m of them as one.
struct NicDescription {
    int per_node = 1;
    double bandwidth_gb_s = 1.0;  ///< of one NIC in each direction
    NicAssignment assignment = NicAssignment::block;
    std::string source;

    bool operator==(const NicDescription&) const = default;
};

/// Leaf switches below a spine that never blocks. All uplinks of a leaf are one link, perfectly
/// balanced; messages that cross leaves share it.
struct FatTreeDescription {
    int nodes_per_leaf = 1;
    bool rails = false;  ///< every NIC of a node on a leaf of its own, instead of all on one
    double oversubscription = 1.0;  ///< bandwidth of a leaf's hosts over that of its uplinks
    double spine_alpha_s = 0.0;     ///< further latency of a message that crosses leaves
    std::string source;

    bool operator==(const FatTreeDescription&) const = default;
};

/// What passed the messages of a description that was measured between GPUs.
struct GpuLinksDescription {
    std::string transport;  ///< Transport::name: "nccl"
    bool emulated = false;  ///< on cores, by tests: its times are those of no GPU

    bool operator==(const GpuLinksDescription&) const = default;
};

/// A cluster as plain data: equal nodes, filled with ranks in order. In TOML (jobs/clusters/ has
/// examples) the members are keys of the same names, with the tables links.intra_node,
/// links.inter_node, links.shared_memory, reduction, nics, fat_tree and gpus, and the array direct;
/// an interval is [low, high].
struct ClusterDescription {
    std::string name;
    std::string source;         ///< in words: the basis of the whole description
    bool measured = false;      ///< false: described from data sheets and assumptions
    bool shared_cores = false;  ///< measured with ranks that shared processor cores
    int nodes = 1;
    int ranks_per_node = 1;  ///< one rank per GPU
    LinkDescription intra_node;
    LinkDescription inter_node;
    std::optional<LinkDescription> shared_memory;  ///< messages inside a node that bypass MPI
    ReductionDescription reduction;
    std::vector<MeasuredCollective> direct;      ///< on the ranks of one node
    std::optional<NicDescription> nics;          ///< none: inter_node.bandwidth_gb_s for every rank
    std::optional<FatTreeDescription> fat_tree;  ///< none: no link between nodes is shared
    std::optional<GpuLinksDescription> gpus;     ///< measured between them; none: between cores

    int ranks() const noexcept { return nodes * ranks_per_node; }
    bool operator==(const ClusterDescription&) const = default;
};

/// Typical links and reductions, for a machine of which nothing is known; its source says so. A
/// single instance.
std::shared_ptr<const ClusterDescription> typical_cluster();

/// Most ranks that a description may have.
constexpr int most_ranks = 1'000'000;

/// Reads a description. Every key must be known, of its type and within its bounds; otherwise
/// throws Error in one line naming `file`, key and value. Safe with any text.
ClusterDescription parse_cluster(std::string_view text, const std::string& file);

/// The same from a file, or from the one that comes with Shardstone under that name
/// (`dgx-h100-rails`: no folder, no extension). Throws Error also when it cannot be read, is over
/// 64 KiB or does not match its seal (description_seal.hpp); a description marked as measured
/// without a seal is accepted, with a note.
ClusterDescription read_cluster(const std::filesystem::path& named);

/// Throws Error in one line that begins with `option` ("--cluster m.toml") if the links were
/// measured between cores and messages between GPUs are to be predicted, or the other way round.
/// Links that were not measured may be of either.
void require_links_between(bool gpus, const ClusterDescription& cluster, const std::string& option);

/// The description as TOML; parse_cluster() of it gives an equal one.
std::string to_toml(const ClusterDescription& cluster);

}  // namespace shardstone::collectives
