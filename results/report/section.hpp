// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/report/finding.hpp"
#include "results/report/source.hpp"

namespace shardstone::results {

/// One number at the head of the page.
struct Tile {
    std::string value;  ///< with its unit: "8.2 GB/s"
    std::string label;
    const Source* from = nullptr;  ///< whose machine is named if the tiles are of several
};

/// A plot, in the words of figure.hpp, without colours: a trace says "shade": k, the k-th colour of
/// the page's palette (-1: neutral), and the page's script paints it in the light or the dark
/// theme. Everything in it is text or numbers; the script never takes it for HTML.
struct Figure {
    std::string title;
    std::vector<const Source*> from;  ///< the records behind it
    nlohmann::json traces = nlohmann::json::array();
    nlohmann::json layout = nlohmann::json::object();
    bool wide = false;  ///< takes the whole width instead of half
};

/// One part of the page, with its contributions to the head.
struct Section {
    std::string id;  ///< anchor: lower-case letters and '-'
    std::string title;
    std::string lead = {};  ///< what is shown and how to read it; plain text
    std::vector<Tile> tiles = {};
    std::vector<Finding> findings = {};
    std::vector<Figure> figures = {};
    std::string body = {};  ///< HTML below the figures, escaped already

    bool empty() const { return body.empty() && figures.empty() && findings.empty(); }
};

// Each returns nothing if no record has the data it shows. One file each.
std::optional<Section> comparison_section(const std::vector<Source>& sources);
std::optional<Section> collectives_section(const std::vector<Source>& sources);
std::optional<Section> accuracy_section(const std::vector<Source>& sources);
std::optional<Section> simulation_section(const std::vector<Source>& sources);
std::optional<Section> training_section(const std::vector<Source>& sources);
std::optional<Section> scaling_section(const std::vector<Source>& sources);
std::optional<Section> loss_section(const std::vector<Source>& sources);
std::optional<Section> time_split_section(const std::vector<Source>& sources);
std::optional<Section> memory_section(const std::vector<Source>& sources);
std::optional<Section> gpus_section(const std::vector<Source>& sources);
std::optional<Section> overlap_section(const std::vector<Source>& sources);
std::optional<Section> step_section(const std::vector<Source>& sources);
std::optional<Section> pipeline_section(const std::vector<Source>& sources);
std::optional<Section> batch_size_section(const std::vector<Source>& sources);
std::optional<Section> equivalence_section(const std::vector<Source>& sources);
std::optional<Section> numerics_section(const std::vector<Source>& sources);
std::optional<Section> device_kernels_section(const std::vector<Source>& sources);
std::optional<Section> roofline_section(const std::vector<Source>& sources);
std::optional<Section> stalls_section(const std::vector<Source>& sources);
std::optional<Section> interconnect_section(const std::vector<Source>& sources);
std::optional<Section> self_test_section(const std::vector<Source>& sources);
std::optional<Section> topology_section(const std::vector<Source>& sources);
std::optional<Section> machine_section(const std::vector<Source>& sources);
std::optional<Section> verification_section(const std::vector<Source>& sources);
std::optional<Section> provenance_section(const std::vector<Source>& sources);

/// Described tables that no other section has read; call it after those.
std::optional<Section> more_section(const std::vector<Source>& sources);

/// Runs that a stalled rank ended, by their ends alone.
std::optional<Section> stalled_section(const Given& given);

/// Files that were rejected, and tables that no section has read; call it after all others.
std::optional<Section> not_shown_section(const Given& given);

/// The sections with content, in the order of the page.
std::vector<Section> make_sections(const Given& given);

}  // namespace shardstone::results
