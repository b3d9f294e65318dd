// SPDX-License-Identifier: BSD-3-Clause
// Measured, paced, simulated, emulated, described or computed: by everything in a record that says
// so.
#include "results/record/nature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

namespace shardstone::results {

namespace {

bool has_table_like(const Record& record, std::string_view beginning) {
    const auto begins = [&](const Table& table) { return table.name.starts_with(beginning); };
    return std::ranges::any_of(record.derived, begins) ||
           std::ranges::any_of(record.samples, begins);
}

/// A rate of a device that is not there, or another setting that goes with one.
bool has_pace(const nlohmann::json& settings) {
    if (!settings.is_object()) return false;
    for (const auto& [name, value] : settings.items()) {
        if (name.starts_with("pace") && !value.is_null()) return true;
    }
    return false;
}

/// In what was computed from trainings, their system is named: "tiny, fp32, paced 20 GFLOP/s".
bool has_text_with(const Record& record, std::initializer_list<const char*> words) {
    const auto names = [&](const std::string& text) {
        return std::ranges::any_of(
            words, [&](const char* word) { return text.find(word) != std::string::npos; });
    };
    return std::ranges::any_of(record.derived, [&](const Table& table) {
        return std::ranges::any_of(table.columns, [&](const Table::Column& column) {
            return std::ranges::any_of(column.texts, names);
        });
    });
}

/// A training that computes has a loss in every step.
bool lacks_losses(const Record& record) {
    if (!record.has_table("summary") || !record.has_table("steps")) return false;
    const auto& columns = record.table("steps").columns;
    const auto loss = std::ranges::find(columns, "loss", &Table::Column::name);
    return loss != columns.end() && !loss->numbers.empty() &&
           std::ranges::all_of(loss->numbers, [](double one) { return std::isnan(one); });
}

/// What was given to --root, "" if nothing was.
std::string root_on_command_line(const nlohmann::json& identity) {
    constexpr std::string_view option = "--root";
    const auto words = identity.find("command_line");
    if (words == identity.end() || !words->is_array()) return "";
    bool is_next = false;
    for (const auto& one : *words) {
        if (!one.is_string()) continue;
        const auto word = one.get<std::string>();
        if (is_next) return word;
        if (word.starts_with("--root=")) return word.substr(option.size() + 1);
        is_next = word == option;
    }
    return "";
}

constexpr std::array marked_natures{Nature::paced, Nature::simulated, Nature::emulated,
                                    Nature::described, Nature::computed};

std::string mark_of(Nature nature) {
    return std::string(".") + to_string(nature);
}

const char* in_words(Nature nature) {
    switch (nature) {
        case Nature::measured:
            return "measured on the machine that the record describes";
        case Nature::paced:
            return "NOT a measurement of a device: messages are real, but computations only took "
                   "the time that a device was said to take";
        case Nature::simulated:
            return "NOT measured: simulated on a described cluster";
        case Nature::emulated:
            return "NOT a measurement of a GPU: cores did what it would have done, and took times "
                   "that say nothing of one";
        case Nature::described:
            return "NOT measured on the machine of the run: read from files that describe other "
                   "machines";
        case Nature::computed:
            return "computed from other records";
    }
    return "";
}

/// Whether two nodes of the table of places have a machine in common, and its name as well if
/// `of_one_name`: nodes that were found on one machine, as containers are, have names of their own.
bool shares_machines(const Record& record, bool of_one_name) {
    if (!record.has_table("rank_places")) return false;
    const Table& places = record.table("rank_places");
    const auto has = [&](const char* name) {  // a forged record may lack any
        return std::ranges::find(places.columns, name, &Table::Column::name) !=
               places.columns.end();
    };
    if (!has("node") || !has("machine") || !has("host")) return false;
    const auto& nodes = places.column("node").numbers;
    const auto& machines = places.column("machine").numbers;
    const auto& hosts = places.column("host").texts;
    std::map<std::pair<double, std::string>, double> first_nodes;
    for (std::size_t rank = 0; rank < places.rows(); ++rank) {
        const auto machine = std::pair(machines.at(rank), of_one_name ? hosts.at(rank) : "");
        if (first_nodes.try_emplace(machine, nodes.at(rank)).first->second != nodes.at(rank)) {
            return true;
        }
    }
    return false;
}

struct Predicted {
    std::string_view table, column;
};

/// By the descriptions of these columns in results/schema.
constexpr std::array never_measured{
    Predicted{"collectives", "predicted_s"},    Predicted{"gap", "predicted_s"},
    Predicted{"utilisation", "replayed"},       Predicted{"utilisation", "virtual_time"},
    Predicted{"utilisation", "formula"},        Predicted{"memory", "formula_bytes"},
    Predicted{"memory", "fp32_formula_bytes"},  Predicted{"bytes", "scheduled_bytes"},
    Predicted{"kernels", "roofline_gflop_s"},   Predicted{"batches", "fitted_steps"},
    Predicted{"batches", "fitted_tokens"},      Predicted{"traffic", "predicted_s"},
    Predicted{"traffic_samples", "predicted_s"}};

}  // namespace

const char* to_string(Nature nature) {
    switch (nature) {
        case Nature::measured:
            return "measured";
        case Nature::paced:
            return "paced";
        case Nature::simulated:
            return "simulated";
        case Nature::emulated:
            return "emulated";
        case Nature::described:
            return "described";
        case Nature::computed:
            return "computed";
    }
    return "";
}

bool has_declared_nodes(const Record& record) {
    const auto topology = record.configuration.find("topology");
    const bool says_so = topology != record.configuration.end() && topology->is_string() &&
                         topology->get<std::string>().find("declared") != std::string::npos;
    // The samples tell it, whatever became of the texts.
    return says_so || record.environment.contains("declared_nodes") ||
           shares_machines(record, /*of_one_name=*/true);
}

std::string nature_in_words(const Record& record) {
    std::string words = in_words(nature_of(record));
    if (const std::string root = root_of_files(record); !root.empty()) words += ", below " + root;
    if (has_declared_nodes(record)) {
        words += ", on nodes that were declared, not found: its ranks shared fewer machines";
    } else if (shares_machines(record, /*of_one_name=*/false)) {
        words += ", on nodes that shared fewer machines (containers, or emulated ones)";
    }
    return words;
}

std::string root_of_files(const Record& record) {
    if (record.kind != "topology") return "";
    const auto root = record.configuration.find("root");
    const bool is_set = root != record.configuration.end() && root->is_string();
    if (is_set && !root->get<std::string>().empty()) return root->get<std::string>();
    return root_on_command_line(record.identity);
}

bool is_named_for(const std::string& name, Nature nature) {
    return std::ranges::all_of(marked_natures, [&](Nature one) {
        return name.ends_with(mark_of(one)) == (one == nature);
    });
}

std::string named_for(std::string name, Nature nature) {
    for (const Nature one : marked_natures) {
        if (name.ends_with(mark_of(one))) name.resize(name.size() - mark_of(one).size());
    }
    return nature == Nature::measured ? name : name + mark_of(nature);
}

bool names_an_emulated_gpu(const Record& record) {
    const auto is_emulated = [](const std::string& name) { return name.starts_with("emulated"); };
    const auto in = [&](const nlohmann::json& from, const char* pointer) {
        const nlohmann::json::json_pointer at(pointer);
        if (!from.contains(at)) return false;
        const auto& found = from.at(at);
        const auto names = found.is_array() ? found : nlohmann::json::array({found});
        return std::ranges::any_of(names, [&](const auto& one) {
            return one.is_string() && is_emulated(one.template get<std::string>());
        });
    };
    if (in(record.configuration, "/gpu") || in(record.environment, "/machine/accelerators") ||
        in(record.environment, "/gpus/of_ranks")) {
        return true;
    }
    for (const auto* tables : {&record.samples, &record.derived}) {
        for (const Table& table : *tables) {
            for (const auto& column : table.columns) {
                if (column.name == "gpu" && std::ranges::any_of(column.texts, is_emulated)) {
                    return true;
                }
            }
        }
    }
    return false;
}

Nature nature_of(const Record& record) {
    if (record.kind.starts_with("simul") || has_table_like(record, "simulated")) {
        return Nature::simulated;
    }
    if (!root_of_files(record).empty()) return Nature::described;
    if (names_an_emulated_gpu(record)) return Nature::emulated;
    const bool has_title = record.identity.contains("title");
    const std::string title = has_title ? record.identity.value("title", "") : "";
    if (has_pace(record.configuration) || title.find(", paced") != std::string::npos ||
        lacks_losses(record)) {
        return Nature::paced;
    }
    const bool is_computed = record.kind == "compare" || record.kind == "scale" ||
                             has_table_like(record, "comparison") ||
                             has_table_like(record, "scaling");
    if (!is_computed) return Nature::measured;
    if (has_text_with(record, {"paced ", "pace_"})) return Nature::paced;
    return has_text_with(record, {"emulated device"}) ? Nature::emulated : Nature::computed;
}

std::vector<std::string> predicted_columns(const Record& record) {
    std::vector<std::string> names;
    for (const Predicted& one : never_measured) {
        const std::string table(one.table), column(one.column);
        if (!record.has_table(table)) continue;
        const auto& columns = record.table(table).columns;
        if (std::ranges::find(columns, column, &Table::Column::name) == columns.end()) continue;
        names.push_back(table + "." + column);
    }
    return names;
}

}  // namespace shardstone::results
