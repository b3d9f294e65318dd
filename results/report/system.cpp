// SPDX-License-Identifier: BSD-3-Clause
// Which runs may be compared: machine, cores and trained system, read from their records.
#include "results/report/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <vector>

#include "results/record/nature.hpp"
#include "results/report/words.hpp"
#include "results/schema/training.hpp"

namespace shardstone::results {

namespace {

/// "dp=2", "tp=2", ...
std::vector<std::string> parts_of_plan(const Source& source) {
    std::istringstream text(setting_text(source, "plan", ""));
    std::vector<std::string> parts;
    for (std::string part; std::getline(text, part, ',');) parts.push_back(part);
    return parts;
}

/// The parts of a plan that say how a model is split, without the number of replicas.
std::string split_of(const Source& source) {
    std::string split;
    for (const std::string& part : parts_of_plan(source)) {
        if (part.starts_with("dp=")) continue;
        split += (split.empty() ? "" : ",") + part;
    }
    return with_choices(source, split);
}

/// A whole number of the configuration, 0 where it has none.
std::int64_t whole_setting(const Source& source, const std::string& key) {
    const auto& settings = source.record.configuration;
    const bool is_whole = settings.contains(key) && settings.at(key).is_number_integer();
    return is_whole ? settings.at(key).get<std::int64_t>() : 0;
}

/// Whether the batch is divided among so many that each processes its share as one micro-batch:
/// among replicas, and the ranks of each that share experts, since these have sequences of their
/// own.
bool takes_share_at_once(const Source& source) {
    const std::int64_t micro_batch = whole_setting(source, "micro_batch");
    const std::int64_t global_batch = whole_setting(source, "global_batch");
    if (micro_batch < 1 || global_batch % micro_batch != 0) return false;
    std::int64_t shares = global_batch / micro_batch;
    for (const std::string& part : parts_of_plan(source)) {
        if (!part.starts_with("dp=") && !part.starts_with("ep=")) continue;
        std::int64_t size = 0;
        std::from_chars(part.data() + part.find('=') + 1, part.data() + part.size(), size);
        if (size < 1 || shares % size != 0) return false;
        shares /= size;
    }
    return shares == 1;
}

/// A replica that takes its share of a batch at once does so on any number of replicas.
std::string micro_batch_of(const Source& source) {
    return takes_share_at_once(source) ? "" : setting_text(source, "micro_batch", "");
}

/// Padding is computed like the rest, but teaches nothing.
std::string sequence_of(const Source& source) {
    const std::int64_t shortest = whole_setting(source, "shortest");
    const bool pads = shortest > 0 && shortest < whole_setting(source, "sequence");
    return setting_text(source, "sequence", "") +
           (pads ? fmt::format(", padded from {}", shortest) : "");
}

/// By its hash where the record has one: a file may lie in several places.
std::string data_of(const Source& source) {
    const auto& settings = source.record.configuration;
    const nlohmann::json::json_pointer hash("/data/hash");
    return settings.contains(hash) ? settings.at(hash).dump() : setting_text(source, "data", "");
}

/// A preset with other dimensions is called after the preset, whatever they are.
std::string model_of(const Source& source) {
    const std::string model = setting_text(source, "model", "model");
    const std::string parameters = setting_text(source, "parameters", "");
    const bool is_custom = model.ends_with("-custom") && !parameters.empty();
    return is_custom ? fmt::format("{} of {} parameters", model, parameters) : model;
}

/// "cpu", or the GPUs' names, with what makes them faster than they are without.
std::string computing_device(const Source& source) {
    std::string device = setting_text(source, "device", "cpu");
    if (device == "cuda") device = gpu_names_of(source);
    if (setting_text(source, "tf32", "") == "true") device += ", TF32";
    if (setting_text(source, "graphs", "") == "true") device += ", graphs";
    return device;
}

/// A device that only takes time is told from one that computes.
std::string device_of(const Source& source) {
    const auto& settings = source.record.configuration;
    if (!is_paced(source)) return computing_device(source);
    std::string planted;  // what makes the devices slower than they are said to be
    const auto input = settings.find("pace_input_ms");
    if (input != settings.end() && input->is_number() && input->get<double>() > 0.0) {
        planted += fmt::format(", input {} ms", input->get<double>());
    }
    if (const auto slow = setting_text(source, "pace_slow", "null");
        slow != "null" && !slow.empty()) {
        planted += ", slow rank " + slow;
    }
    const auto rate = [&](const char* key) {
        const auto found = settings.find(key);
        const bool is_told = found != settings.end() && found->is_number();
        return is_told ? fmt::format("{:.6g}", found->get<double>()) : std::string("unknown");
    };
    return fmt::format("paced {} GFLOP/s, {} GB/s{}", rate("pace_gflop_per_s"),
                       rate("pace_memory_gb_per_s"), planted);
}

}  // namespace

std::string accelerators_of(const Source& source) {
    const auto& environment = source.record.environment;
    const nlohmann::json::json_pointer at("/machine/accelerators");
    std::string names;
    if (environment.contains(at) && environment.at(at).is_array()) {
        for (const auto& one : environment.at(at)) {
            if (one.is_string()) names += (names.empty() ? "" : " and ") + one.get<std::string>();
        }
    }
    return names.empty() ? setting_text(source, "gpu", "") : names;
}

std::string gpu_names_of(const Source& source) {
    const std::string names = accelerators_of(source);
    return names.empty() ? "cuda" : names;
}

bool is_on_gpus(const Source& source) {
    return setting_text(source, "device", "cpu") == "cuda";
}

bool is_paced(const Source& source) {
    const auto& settings = source.record.configuration;
    return settings.contains("pace_gflop_per_s") && settings.at("pace_gflop_per_s").is_number();
}

std::string pace_note(const Source& source) {
    if (is_emulated(source)) return " (emulated GPUs)";
    return is_paced(source) ? fmt::format(" ({})", device_of(source)) : "";
}

std::string pace_lead(const std::vector<const Source*>& sources) {
    std::string lead;
    for (const auto& [is, meaning] :
         {std::pair(&is_paced, meaning_of_paced), std::pair(&is_emulated, meaning_of_emulated)}) {
        if (std::ranges::any_of(sources, [&](const Source* one) { return is(*one); }))
            lead += meaning;
    }
    return lead;
}

std::string with_choices(const Source& source, std::string plan) {
    if (plan.find("pp=") != std::string::npos) plan += "," + setting_text(source, "schedule", "");
    for (const TrainingRow& row : rows<TrainingRow>(source)) {
        std::istringstream words(row.split);
        for (std::string word; std::getline(words, word, ',');) {
            if (word.find('=') == std::string::npos) plan += "," + word;
        }
    }
    return plan;
}

namespace {

/// The nodes of a partition of Slurm are one machine, whichever of them a job was given.
std::string place_of(const Source& source) {
    const std::string cluster = environment_text(source, "/variables/SLURM_CLUSTER_NAME");
    const std::string partition = environment_text(source, "/variables/SLURM_JOB_PARTITION");
    return cluster.empty() ? host_of(source)
                           : fmt::format("partition {} of cluster {}", partition, cluster);
}

}  // namespace

std::string machine_of(const Source& source) {
    if (const auto root = root_of_files(source.record); !root.empty()) return "described|" + root;
    std::string key = place_of(source) + "|";
    for (const char* pointer : {"/machine/cpu", "/machine/cores", "/machine/packages"}) {
        key += environment_text(source, pointer) + "|";
    }
    return key + accelerators_of(source);
}

std::string host_of(const Source& source) {
    if (!root_of_files(source.record).empty()) return "described machines";
    const std::string host = environment_text(source, "/machine/host");
    return host.empty() ? "an unnamed machine" : host;
}

std::string machine_name(const Source& source) {
    if (const auto root = root_of_files(source.record); !root.empty()) {
        return "machines described by files below " + root;
    }
    const std::string accelerators = accelerators_of(source);
    return fmt::format("{}: {}, {}{}", place_of(source), environment_text(source, "/machine/cpu"),
                       plural(cores_of_node(source), "core"),
                       accelerators.empty() ? "" : ", " + accelerators);
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
    return name + apart;
}

void tell_apart(const std::vector<TrainedSystem*>& systems) {
    struct Trait {
        const char* words;
        std::string TrainedSystem::*value;
    };
    constexpr std::array<Trait, 5> traits{{{"sequences of {}", &TrainedSystem::sequence},
                                           {"global batch {}", &TrainedSystem::global_batch},
                                           {"micro-batch {}", &TrainedSystem::micro_batch},
                                           {"data {:.8}", &TrainedSystem::data},
                                           {"{}", &TrainedSystem::mpi}}};
    std::vector<std::string> words(systems.size());
    for (std::size_t i = 0; i < systems.size(); ++i) {
        for (const auto& [text, value] : traits) {
            const auto differs = [&](const TrainedSystem* other) {
                return other->name() == systems[i]->name() && other->*value != systems[i]->*value;
            };
            const std::string& own = systems[i]->*value;
            if (own.empty() || std::ranges::none_of(systems, differs)) continue;
            words[i] += ", " + fmt::format(fmt::runtime(text), own);
        }
    }
    for (std::size_t i = 0; i < systems.size(); ++i) systems[i]->apart = words[i];
}

TrainedSystem trained_system(const Source& source) {
    return {machine_of(source),
            environment_text(source, "/mpi"),
            device_of(source),
            model_of(source),
            sequence_of(source),
            setting_text(source, "precision", "fp32"),
            setting_text(source, "optimizer", "adamw"),
            setting_text(source, "global_batch", ""),
            micro_batch_of(source),
            data_of(source),
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
    // Records before "systems" know the nodes only.
    const char* const counted = environment.contains("systems") ? "systems" : "nodes";
    if (declared || !environment.contains(counted)) return cores_of_node(source);
    const auto& machines = environment.at(counted);
    const double count = machines.is_number()  ? machines.get<double>()
                         : machines.is_array() ? static_cast<double>(machines.size())
                                               : 1.0;
    return cores_of_node(source) * std::max(1.0, count);
}

std::string crowding_note(const Source& source, double ranks) {
    const double cores = cores_of(source);
    if (ranks <= cores || is_on_gpus(source)) return "";
    return fmt::format("; {} share {}", plural(ranks, "rank"), plural(cores, "core"));
}

}  // namespace shardstone::results
