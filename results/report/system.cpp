// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// The parts of a plan that say how a model is split, without the number of replicas.
std::string split_of(const Source& source) {
    std::istringstream parts(setting_text(source, "plan", ""));
    std::string split;
    bool has_stages = false;
    for (std::string part; std::getline(parts, part, ',');) {
        if (part.starts_with("dp=")) continue;
        has_stages |= part.starts_with("pp=");
        split += (split.empty() ? "" : ",") + part;
    }
    if (has_stages) split += "," + setting_text(source, "schedule", "");
    return split;
}

}  // namespace

std::string machine_of(const Source& source) {
    std::string key;
    for (const char* pointer : {"/machine/host", "/machine/cpu", "/machine/cores",
                                "/machine/packages", "/machine/accelerators", "/accelerators"}) {
        key += environment_text(source, pointer) + "|";
    }
    return key;
}

std::string machine_name(const Source& source) {
    return fmt::format("{}: {}, {}", environment_text(source, "/machine/host"),
                       environment_text(source, "/machine/cpu"),
                       plural(cores_of_node(source), "core"));
}

bool on_several_machines(const std::vector<Source>& sources) {
    return std::ranges::any_of(sources, [&](const Source& source) {
        return machine_of(source) != machine_of(sources.front());
    });
}

std::string machine_note(const Source& source, const std::vector<Source>& sources) {
    return on_several_machines(sources) ? ", on " + machine_name(source) : "";
}

std::string TrainedSystem::name() const {
    std::string name = model + ", " + precision;
    if (!split.empty()) name += ", " + split;
    if (device != "cpu") name += ", " + device;
    if (optimizer != "adamw") name += ", " + optimizer;
    return name;
}

TrainedSystem trained_system(const Source& source) {
    return {machine_of(source),
            environment_text(source, "/mpi"),
            setting_text(source, "device", "cpu"),
            setting_text(source, "model", "model"),
            setting_text(source, "sequence", ""),
            setting_text(source, "precision", "fp32"),
            setting_text(source, "optimizer", "adamw"),
            split_of(source)};
}

double cores_of_node(const Source& source) {
    const auto& environment = source.record.environment;
    const nlohmann::json::json_pointer cores("/machine/cores");
    if (!environment.contains(cores) || !environment.at(cores).is_number()) return 1.0;
    return std::max(1.0, environment.at(cores).get<double>());
}

double cores_of(const Source& source) {
    const auto& environment = source.record.environment;
    const bool declared =
        setting_text(source, "topology", "").find("declared") != std::string::npos;
    if (declared || !environment.contains("nodes")) return cores_of_node(source);
    const auto& nodes = environment.at("nodes");
    const double count = nodes.is_number()  ? nodes.get<double>()
                         : nodes.is_array() ? static_cast<double>(nodes.size())
                                            : 1.0;
    return cores_of_node(source) * std::max(1.0, count);
}

std::string crowding_note(const Source& source, double ranks) {
    const double cores = cores_of(source);
    if (ranks <= cores) return "";
    return fmt::format("; {} share {} and take turns", plural(ranks, "rank"),
                       plural(cores, "core"));
}

}  // namespace shardstone::results
