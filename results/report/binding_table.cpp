// SPDX-License-Identifier: BSD-3-Clause
// Bindings of ranks to cores, NUMA nodes, GPUs and NICs as a table: a row for those that are alike.
#include "results/report/binding_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/base/ranges_text.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// What a rank was bound to, as cells.
struct BindingCells {
    std::string threads, numa_nodes, devices;

    bool operator==(const BindingCells&) const = default;
};

struct BindingRow {
    BindingCells cells;
    std::string ranks;
    std::vector<std::string> files;
};

std::string text_at(const json& object, const char* name) {
    const bool is_text = object.contains(name) && object.at(name).is_string();
    const std::string text = is_text ? object.at(name).get<std::string>() : "";
    return text.empty() ? "-" : text;
}

/// "CUDA_VISIBLE_DEVICES=0, UCX_NET_DEVICES=mlx5_0:1".
std::string devices_text(const json& binding) {
    std::vector<std::string> words;
    const json variables = binding.contains("variables") ? binding.at("variables") : json();
    for (const auto& [name, value] : variables.items()) {
        if (value.is_string()) words.push_back(name + "=" + value.get<std::string>());
    }
    return words.empty() ? "-" : fmt::format("{}", fmt::join(words, ", "));
}

BindingCells cells_of(const json& binding) {
    return {text_at(binding, "cpus"), text_at(binding, "numa_nodes"), devices_text(binding)};
}

/// Those of one record, in the order of the first rank of each.
std::vector<BindingRow> rows_of(const Source& source) {
    const json& environment = source.record.environment;
    if (!environment.contains("binding_of_ranks")) return {};
    std::vector<std::pair<BindingCells, std::vector<int>>> bindings;
    int rank = 0;
    for (const json& binding : environment.at("binding_of_ranks")) {
        const BindingCells cells = cells_of(binding);
        auto known = std::ranges::find(bindings, cells, [](const auto& one) { return one.first; });
        if (known == bindings.end()) known = bindings.insert(known, {cells, {}});
        known->second.push_back(rank++);
    }
    std::vector<BindingRow> rows;
    for (const auto& [cells, ranks] : bindings) {
        rows.push_back({cells, ranges_text(ranks), {source.file()}});
    }
    return rows;
}

/// Names while they are few.
std::string files_text(const std::vector<std::string>& files) {
    constexpr std::size_t most_named = 3;
    return files.size() <= most_named ? listed(files)
                                      : plural(static_cast<double>(files.size()), "record");
}

}  // namespace

std::string binding_table(const std::vector<const Source*>& sources) {
    std::vector<BindingRow> rows;
    for (const Source* source : sources) {
        for (BindingRow& row : rows_of(*source)) {
            const auto known = std::ranges::find_if(rows, [&](const BindingRow& other) {
                return other.cells == row.cells && other.ranks == row.ranks;
            });
            if (known == rows.end()) {
                rows.push_back(std::move(row));
            } else {
                known->files.push_back(source->file());
            }
        }
    }
    HtmlTable table({"Ranks", "Hardware threads", "NUMA nodes", "GPUs and NICs", "Records"});
    for (const BindingRow& row : rows) {
        table.add_row({row.ranks, row.cells.threads, row.cells.numa_nodes, row.cells.devices,
                       files_text(row.files)});
    }
    return table.empty() ? "" : folded_if_long("What ranks were bound to", table);
}

}  // namespace shardstone::results
