// SPDX-License-Identifier: BSD-3-Clause
// The section on how exact sums over ranks are.
#include <fmt/format.h>

#include <algorithm>

#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/collectives.hpp"

namespace shardstone::results {

namespace {

void add_accuracy_finding(const Source& source, Section& section) {
    const auto all = rows<AccuracyRow>(source);
    const auto worst = std::ranges::max_element(all, {}, &AccuracyRow::share_of_bound);
    const auto repeated = std::ranges::count(all, 1.0, &AccuracyRow::same_in_all_runs);
    section.findings.push_back(
        {fmt::format(
             "Accuracy of sums over ranks: the sum closest to its derived bound, {} by {} in {}, "
             "has an error of {} ulp, {} of the bound; {} of {} gave the same bits in all runs.",
             worst->operation, worst->algorithm, worst->type, digits_text(worst->max_ulp, 3),
             percent_text(worst->share_of_bound), repeated,
             plural(static_cast<double>(all.size()), "sum")),
         {&source}});
}

}  // namespace

std::optional<Section> accuracy_section(const std::vector<Source>& sources) {
    const auto found = with_rows<AccuracyRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"accuracy", "Accuracy of sums over ranks"};
    section.lead =
        "Errors of each algorithm's sums relative to exact ones, in units in the last place of the "
        "type, next to the bound that follows from the number of additions in a result.";
    for (const Source* source : found) {
        add_accuracy_finding(*source, section);
        section.body +=
            whole_table<AccuracyRow>(*source, "Accuracy of every algorithm, " + source->file());
    }
    return section;
}

}  // namespace shardstone::results
