// SPDX-License-Identifier: BSD-3-Clause
// Reads the records of one side of a comparison; what cannot be compared is left out by name.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/compare/comparison.hpp"
#include "results/format/record_files.hpp"

namespace shardstone::results {

namespace {

bool can_be_compared(const Source& source) {
    return std::ranges::any_of(comparable_tables(), [&](const ComparableTable& table) {
        return source.record.has_table(table.table) && source.record.table(table.table).rows() > 0;
    });
}

}  // namespace

ComparedSide read_side(const std::vector<std::filesystem::path>& paths) {
    ComparedSide side;
    side.given = read_sources(records_below(paths), "nothing to compare");
    for (const NotShown& refused : side.given.refused) {
        if (!refused.is_twin) side.left_out.push_back(refused);
    }
    for (const Source& source : side.given.sources) {
        if (can_be_compared(source)) continue;
        side.left_out.push_back(
            {source.path.string(),
             fmt::format("a record of kind '{}' has no table that can be compared",
                         source.record.kind)});
    }
    std::erase_if(side.given.sources, [](const Source& one) { return !can_be_compared(one); });
    require(!side.given.sources.empty(), [&] {
        std::string why = "nothing to compare";
        for (const NotShown& one : side.left_out) {
            why += fmt::format("{}'{}' is left out: {}", &one == side.left_out.data() ? ": " : "; ",
                               one.file, one.why);
        }
        return why;
    });
    return side;
}

}  // namespace shardstone::results
