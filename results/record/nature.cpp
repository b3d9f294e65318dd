// SPDX-License-Identifier: BSD-3-Clause
// Measured, paced, simulated or computed: by everything in a record that says so.
#include "results/record/nature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

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
bool names_a_pace(const Record& record) {
    const auto names = [](const std::string& text) {
        return text.find("paced ") != std::string::npos || text.find("pace_") != std::string::npos;
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

constexpr std::array marked_natures{Nature::paced, Nature::simulated, Nature::computed};

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
        case Nature::computed:
            return "computed from other records";
    }
    return "";
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
        case Nature::computed:
            return "computed";
    }
    return "";
}

bool has_declared_nodes(const Record& record) {
    const auto topology = record.configuration.find("topology");
    const bool says_so = topology != record.configuration.end() && topology->is_string() &&
                         topology->get<std::string>().find("declared") != std::string::npos;
    return says_so || record.environment.contains("declared_nodes");
}

std::string nature_in_words(const Record& record) {
    std::string words = in_words(nature_of(record));
    if (has_declared_nodes(record)) {
        words += ", on nodes that were declared, not found: its ranks shared fewer machines";
    }
    return words;
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

Nature nature_of(const Record& record) {
    if (record.kind.starts_with("simul") || has_table_like(record, "simulated")) {
        return Nature::simulated;
    }
    const std::string title = record.identity.value("title", "");
    if (has_pace(record.configuration) || title.find(", paced") != std::string::npos ||
        lacks_losses(record)) {
        return Nature::paced;
    }
    const bool is_computed = record.kind == "compare" || record.kind == "scale" ||
                             has_table_like(record, "comparison") ||
                             has_table_like(record, "scaling");
    if (!is_computed) return Nature::measured;
    return names_a_pace(record) ? Nature::paced : Nature::computed;
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
