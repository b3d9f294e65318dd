// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/section.hpp"

namespace shardstone::results {

std::vector<Section> make_sections(const std::vector<Source>& sources) {
    std::vector<Section> sections;
    for (const auto make :
         {all_reduce_section, training_section, loss_section, batch_size_section,
          time_split_section, memory_section, equivalence_section, numerics_section,
          roofline_section, machine_section, verification_section, provenance_section}) {
        if (auto section = make(sources)) sections.push_back(std::move(*section));
    }
    return sections;
}

}  // namespace shardstone::results
