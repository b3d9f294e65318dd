// SPDX-License-Identifier: BSD-3-Clause
// Cluster descriptions are found, read from TOML and checked: links, reductions, NICs, fat trees.
#include "collectives/cluster/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>
#include <vector>

#include "collectives/cluster/description_seal.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/cluster/toml_reader.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/shared_files.hpp"

namespace shardstone::collectives {

namespace {

constexpr Bounds latency{0.0, 10.0, "a latency in seconds, 0 to 10"};
constexpr Bounds bandwidth{1e-6, 1e6, "a bandwidth in GB/s (decimal), 1e-6 to 1e6"};
constexpr Bounds up_to_most_ranks{1, most_ranks, "a whole number, 1 to 1000000"};
constexpr Bounds nics_per_node{1, 1024, "a whole number, 1 to 1024"};
constexpr Bounds ratio{1.0, 1000.0, "a ratio, 1 (not oversubscribed) to 1000"};

std::optional<Interval95> interval(TomlReader& reader, const char* key, const Bounds& bounds) {
    const auto ends = reader.interval(key, bounds);
    if (!ends) return std::nullopt;
    return Interval95{ends->first, ends->second};
}

/// The arrays sizes_bytes and times_s, of one length.
SizeCurve curve(TomlReader& reader) {
    constexpr Bounds size{1.0, 1e12, "a size in bytes, 1 to 1e12"};
    constexpr Bounds time{1e-12, 1e6, "a time in seconds, 1e-12 to 1e6"};
    const std::vector<double> sizes = reader.numbers_or_none("sizes_bytes", size);
    const std::vector<double> times = reader.numbers_or_none("times_s", time);
    if (sizes.size() != times.size()) {
        reader.refuse("times_s", fmt::format("as many times as sizes_bytes has: {}", sizes.size()));
    }
    std::vector<SizeTime> points;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        points.push_back({static_cast<std::int64_t>(sizes[i]), times[i]});
    }
    if (std::ranges::adjacent_find(points, std::ranges::greater_equal{}, &SizeTime::size_bytes) !=
        points.end()) {
        reader.refuse("sizes_bytes", "sizes that grow");
    }
    return SizeCurve(std::move(points));
}

LinkDescription read_link(TomlReader reader) {
    LinkDescription link;
    link.alpha_s = reader.number("alpha_s", latency);
    link.bandwidth_gb_s = reader.number("bandwidth_gb_s", bandwidth);
    link.start_s = reader.number_or("start_s", latency, 0.0);
    link.measured = curve(reader);
    link.alpha_interval_s = interval(reader, "alpha_interval_s", latency);
    link.bandwidth_interval_gb_s = interval(reader, "bandwidth_interval_gb_s", bandwidth);
    link.source = reader.text("source");
    reader.finish();
    return link;
}

ReductionDescription read_reduction(TomlReader reader) {
    ReductionDescription reduction;
    reduction.rate_gb_s = reader.number("rate_gb_s", bandwidth);
    reduction.measured = curve(reader);
    reduction.rate_interval_gb_s = interval(reader, "rate_interval_gb_s", bandwidth);
    reduction.source = reader.text("source");
    reader.finish();
    return reduction;
}

MeasuredCollective read_direct(TomlReader& reader) {
    MeasuredCollective direct;
    direct.operation = reader.text("operation");
    direct.algorithm = reader.text("algorithm");
    direct.ranks = reader.integer("ranks", up_to_most_ranks);
    direct.measured = curve(reader);
    if (direct.measured.empty()) reader.refuse("sizes_bytes", "the sizes that were measured");
    reader.finish();
    return direct;
}

NicDescription read_nics(TomlReader reader, int ranks_per_node) {
    NicDescription nics;
    nics.per_node = reader.integer("per_node", nics_per_node);
    if (nics.per_node % ranks_per_node != 0 && ranks_per_node % nics.per_node != 0) {
        reader.refuse("per_node",
                      fmt::format("a multiple or a divisor of ranks_per_node = {}, so that ranks "
                                  "share NICs evenly",
                                  ranks_per_node));
    }
    nics.bandwidth_gb_s = reader.number("bandwidth_gb_s", bandwidth);
    const std::string assignment = reader.text_or("assignment", "block");
    if (assignment != "block" && assignment != "round_robin") {
        reader.refuse("assignment", "'block' or 'round_robin'");
    }
    nics.assignment = assignment == "block" ? NicAssignment::block : NicAssignment::round_robin;
    nics.source = reader.text("source");
    reader.finish();
    return nics;
}

FatTreeDescription read_fat_tree(TomlReader reader) {
    FatTreeDescription tree;
    tree.nodes_per_leaf = reader.integer("nodes_per_leaf", up_to_most_ranks);
    tree.rails = reader.boolean_or("rails", false);
    tree.oversubscription = reader.number_or("oversubscription", ratio, 1.0);
    tree.spine_alpha_s = reader.number_or("spine_alpha_s", latency, 0.0);
    tree.source = reader.text("source");
    reader.finish();
    return tree;
}

GpuLinksDescription read_gpus(TomlReader reader) {
    GpuLinksDescription gpus;
    gpus.transport = reader.text("transport");
    gpus.emulated = reader.boolean_or("emulated", false);
    reader.finish();
    return gpus;
}

}  // namespace

ClusterDescription parse_cluster(std::string_view text, const std::string& file) {
    const toml::table root = parse_toml(text, file);
    TomlReader reader(root, file);
    ClusterDescription cluster;
    cluster.name = reader.text("name");
    cluster.source = reader.text("source");
    cluster.measured = reader.boolean_or("measured", false);
    cluster.shared_cores = reader.boolean_or("shared_cores", false);
    cluster.nodes = reader.integer("nodes", up_to_most_ranks);
    cluster.ranks_per_node = reader.integer("ranks_per_node", up_to_most_ranks);
    if (cluster.nodes > most_ranks / cluster.ranks_per_node) {
        reader.refuse("ranks_per_node", fmt::format("fewer: with {} nodes there may be {} ranks",
                                                    cluster.nodes, most_ranks));
    }
    TomlReader links = reader.table("links");
    cluster.intra_node = read_link(links.table("intra_node"));
    cluster.inter_node = read_link(links.table("inter_node"));
    if (links.has("shared_memory")) {
        cluster.shared_memory = read_link(links.table("shared_memory"));
    }
    links.finish();
    cluster.reduction = read_reduction(reader.table("reduction"));
    for (TomlReader& one : reader.tables_or_none("direct")) {
        cluster.direct.push_back(read_direct(one));
    }
    if (reader.has("nics")) cluster.nics = read_nics(reader.table("nics"), cluster.ranks_per_node);
    if (reader.has("fat_tree")) cluster.fat_tree = read_fat_tree(reader.table("fat_tree"));
    if (reader.has("gpus")) cluster.gpus = read_gpus(reader.table("gpus"));
    reader.finish();
    return cluster;
}

void require_links_between(bool gpus, const ClusterDescription& cluster,
                           const std::string& option) {
    require(gpus || !cluster.gpus, [&] {
        return fmt::format(
            "{}: its links were measured between GPUs (over_{}), and these messages are between "
            "cores: give what shardstone calibrate measures without --device cuda",
            option, cluster.gpus->transport);
    });
    require(!gpus || cluster.gpus || !cluster.measured, [&] {
        return fmt::format(
            "{} with --device cuda: its links were measured between cores: give what shardstone "
            "calibrate --device cuda measures",
            option);
    });
}

ClusterDescription read_cluster(const std::filesystem::path& named) {
    const std::filesystem::path path = found_shared("clusters", named);
    const std::string text = [&] {
        try {
            return read_toml_text(path);
        } catch (const Error& error) {
            fail(fmt::format(
                "{}: cannot read it ({}): give a cluster description, or the name of one of: {}",
                named.string(), error.what(), fmt::join(shared_names("clusters"), ", ")));
        }
    }();
    require_seal_intact(text, path.string());
    ClusterDescription cluster = parse_cluster(text, path.string());
    if (cluster.measured && !has_seal(text) && launcher_rank() == 0) {
        fmt::print(stderr,
                   "shardstone: {}: measured, but without a seal that would reveal changes: "
                   "calibrate again to get one\n",
                   path.string());
    }
    return cluster;
}

}  // namespace shardstone::collectives
