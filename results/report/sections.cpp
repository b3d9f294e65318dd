// SPDX-License-Identifier: BSD-3-Clause
// The order of the report's sections; those that have nothing to show are left out.
#include "results/report/section.hpp"

namespace shardstone::results {

namespace {

std::vector<Section> with_what_is_not_shown(std::vector<Section> sections, const Given& given) {
    if (auto section = not_shown_section(given)) sections.push_back(std::move(*section));
    return sections;
}

}  // namespace

std::vector<Section> make_sections(const Given& given) {
    std::vector<Section> sections;
    if (auto section = stalled_section(given)) sections.push_back(std::move(*section));
    if (given.sources.empty()) return with_what_is_not_shown(std::move(sections), given);
    for (const auto make :
         {comparison_section,   collectives_section,    accuracy_section,    simulation_section,
          training_section,     scaling_section,        loss_section,        time_split_section,
          memory_section,       gpus_section,           step_section,        overlap_section,
          pipeline_section,     batch_size_section,     equivalence_section, numerics_section,
          roofline_section,     device_kernels_section, stalls_section,      interconnect_section,
          self_test_section,    topology_section,       machine_section,     more_section,
          verification_section, provenance_section}) {
        if (auto section = make(given.sources)) sections.push_back(std::move(*section));
    }
    return with_what_is_not_shown(std::move(sections), given);
}

}  // namespace shardstone::results
