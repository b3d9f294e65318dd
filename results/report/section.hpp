// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/report/source.hpp"

namespace shardstone::results {

/// One number at the head of the page.
struct Tile {
    std::string value;  ///< with its unit: "8.2 GB/s"
    std::string label;
};

/// A plot. `data` and `layout` are Plotly's, without colours: a trace says "shade": k, the k-th
/// colour of the page's palette (-1: neutral), and the page's script paints it in the light or the
/// dark theme. Everything in it is text or numbers; the script never takes it for HTML.
struct Figure {
    std::string title;
    nlohmann::json data = nlohmann::json::array();
    nlohmann::json layout = nlohmann::json::object();
    bool wide = false;  ///< takes the whole width instead of half
};

/// One part of the page, and what it contributes to its head.
struct Section {
    std::string id;  ///< anchor: lower-case letters and '-'
    std::string title;
    std::string lead;  ///< what is shown and how to read it; plain text
    std::vector<Tile> tiles;
    std::vector<std::string> findings;  ///< sentences with numbers, units, uncertainty; plain text
    std::vector<Figure> figures;
    std::string body;  ///< HTML below the figures, escaped already
};

// Each returns nothing when no record supplies what it shows. One file each.
std::optional<Section> all_reduce_section(const std::vector<Source>& sources);
std::optional<Section> training_section(const std::vector<Source>& sources);
std::optional<Section> loss_section(const std::vector<Source>& sources);
std::optional<Section> batch_size_section(const std::vector<Source>& sources);
std::optional<Section> time_split_section(const std::vector<Source>& sources);
std::optional<Section> memory_section(const std::vector<Source>& sources);
std::optional<Section> equivalence_section(const std::vector<Source>& sources);
std::optional<Section> numerics_section(const std::vector<Source>& sources);
std::optional<Section> roofline_section(const std::vector<Source>& sources);
std::optional<Section> machine_section(const std::vector<Source>& sources);
std::optional<Section> verification_section(const std::vector<Source>& sources);
std::optional<Section> provenance_section(const std::vector<Source>& sources);

/// Those that have something to show, in the order of the page.
std::vector<Section> make_sections(const std::vector<Source>& sources);

}  // namespace shardstone::results
