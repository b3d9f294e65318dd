// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardstone::results {

/// Where a byte of a report lies, as its readers see the page: "section 'Collectives', table
/// collectives of sweep.h5, row 3, column 'time'", "finding 2", "the script that draws the
/// figures". `page` is one that make_page() made.
std::string page_place(std::string_view page, std::size_t offset);

/// The JSON from which the page's script draws the figures; its byte offset in the page.
struct FigureData {
    std::size_t begin = 0;
    std::string_view text;
    std::vector<std::string> titles;  ///< of each figure, with its section
};

/// Empty if the page has none.
FigureData figure_data(std::string_view page);

}  // namespace shardstone::results
