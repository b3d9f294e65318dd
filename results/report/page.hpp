// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/section.hpp"

namespace shardstone::results {

/// Contents above the sections.
struct PageHead {
    std::string title;
    std::string subtitle;
};

/// "Shardstone report" with the machines and days of the sources.
PageHead page_head(const std::vector<Source>& sources);
/// Of those that are shown; where there are none, of the runs whose ends are.
PageHead page_head(const Given& given);

/// One complete HTML page, sealed (page_seal.hpp): nothing in it refers to anything outside, and
/// its own content security policy forbids it to try.
std::string make_page(const PageHead& head, const std::vector<Section>& sections);

/// The findings of all sections as plain lines, for a terminal.
std::string findings_as_text(const std::vector<Section>& sections);

}  // namespace shardstone::results
