// SPDX-License-Identifier: BSD-3-Clause
// A cluster description, measured links and curves included, written as TOML to be read back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "collectives/cluster/description.hpp"

namespace shardstone::collectives {

namespace {

/// The texts of a description are on one line: only these two characters need care.
std::string toml_string(std::string_view text) {
    std::string result = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') result += '\\';
        result += letter;
    }
    return result + '"';
}

std::string interval_line(const char* key, const std::optional<Interval95>& interval) {
    if (!interval) return "";
    return fmt::format("{} = [{}, {}]\n", key, interval->low, interval->high);
}

std::string curve_lines(const SizeCurve& curve) {
    if (curve.empty()) return "";
    std::vector<std::int64_t> sizes;
    std::vector<double> times;
    for (const SizeTime& point : curve.points()) {
        sizes.push_back(point.size_bytes);
        times.push_back(point.time_s);
    }
    return fmt::format("sizes_bytes = [{}]\ntimes_s = [{}]\n", fmt::join(sizes, ", "),
                       fmt::join(times, ", "));
}

std::string link_table(const char* name, const LinkDescription& link) {
    const std::string start = link.start_s > 0.0 ? fmt::format("start_s = {}\n", link.start_s) : "";
    return fmt::format("\n[links.{}]\nalpha_s = {}\n{}{}bandwidth_gb_s = {}\n{}{}source = {}\n",
                       name, link.alpha_s, interval_line("alpha_interval_s", link.alpha_interval_s),
                       start, link.bandwidth_gb_s,
                       interval_line("bandwidth_interval_gb_s", link.bandwidth_interval_gb_s),
                       curve_lines(link.measured), toml_string(link.source));
}

std::string reduction_table(const ReductionDescription& reduction) {
    return fmt::format("\n[reduction]\nrate_gb_s = {}\n{}{}source = {}\n", reduction.rate_gb_s,
                       interval_line("rate_interval_gb_s", reduction.rate_interval_gb_s),
                       curve_lines(reduction.measured), toml_string(reduction.source));
}

std::string direct_table(const MeasuredCollective& direct) {
    return fmt::format("\n[[direct]]\noperation = {}\nalgorithm = {}\nranks = {}\n{}",
                       toml_string(direct.operation), toml_string(direct.algorithm), direct.ranks,
                       curve_lines(direct.measured));
}

std::string nics_table(const NicDescription& nics) {
    return fmt::format(
        "\n[nics]\nper_node = {}\nbandwidth_gb_s = {}\nassignment = \"{}\"\nsource = {}\n",
        nics.per_node, nics.bandwidth_gb_s,
        nics.assignment == NicAssignment::block ? "block" : "round_robin",
        toml_string(nics.source));
}

std::string fat_tree_table(const FatTreeDescription& tree) {
    return fmt::format(
        "\n[fat_tree]\nnodes_per_leaf = {}\nrails = {}\noversubscription = {}\n"
        "spine_alpha_s = {}\nsource = {}\n",
        tree.nodes_per_leaf, tree.rails, tree.oversubscription, tree.spine_alpha_s,
        toml_string(tree.source));
}

std::string gpus_table(const GpuLinksDescription& gpus) {
    return fmt::format("\n[gpus]\ntransport = {}\nemulated = {}\n", toml_string(gpus.transport),
                       gpus.emulated);
}

}  // namespace

std::string to_toml(const ClusterDescription& cluster) {
    std::string text = fmt::format(
        "name = {}\nsource = {}\nmeasured = {}\nshared_cores = {}\nnodes = {}\nranks_per_node = "
        "{}\n",
        toml_string(cluster.name), toml_string(cluster.source), cluster.measured,
        cluster.shared_cores, cluster.nodes, cluster.ranks_per_node);
    text += link_table("intra_node", cluster.intra_node);
    text += link_table("inter_node", cluster.inter_node);
    if (cluster.shared_memory) text += link_table("shared_memory", *cluster.shared_memory);
    text += reduction_table(cluster.reduction);
    if (cluster.nics) text += nics_table(*cluster.nics);
    if (cluster.fat_tree) text += fat_tree_table(*cluster.fat_tree);
    if (cluster.gpus) text += gpus_table(*cluster.gpus);
    for (const MeasuredCollective& direct : cluster.direct) text += direct_table(direct);
    return text;
}

}  // namespace shardstone::collectives
