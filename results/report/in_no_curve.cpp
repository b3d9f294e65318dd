// SPDX-License-Identifier: BSD-3-Clause
// Records that no scaling curve is made of, in groups of those that have all of that in common.
#include "results/report/in_no_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// Records that are left out for one reason.
struct LeftOut {
    std::string what, several;  ///< of one record, and of several: "on 2 ranks", "runs ..."
    std::string why;
    std::vector<std::string> files = {};
};

LeftOut kept_out(const TrainingRun& run, const std::vector<Source>& sources) {
    const std::string what = fmt::format("{}{} on {}", run.what, machine_note(*run.source, sources),
                                         plural(run.summary.ranks, "rank"));
    return {what, "runs of " + what,
            says_tokens_of_step(run) ? "no other number of ranks of its system and machine"
                                     : "its record, of an older version, does not say how many "
                                       "tokens a step has"};
}

LeftOut kept_out(const Source& source) {
    const std::string what = "of kind " + source.record.kind;
    return {"a record " + what, "records " + what, "no training"};
}

void add(LeftOut one, const std::string& file, std::vector<LeftOut>& all) {
    auto known = std::ranges::find_if(
        all, [&](const LeftOut& other) { return other.what == one.what && other.why == one.why; });
    if (known == all.end()) known = all.insert(all.end(), std::move(one));
    known->files.push_back(file);
}

std::string words_of(const LeftOut& group) {
    constexpr std::size_t most_named = 3;
    const std::size_t count = group.files.size();
    auto files = group.files;
    if (count > most_named + 1) {
        files.resize(most_named);
        files.push_back(plural(static_cast<double>(count - most_named), "other"));
    }
    return fmt::format("{} ({}): {}", listed(files),
                       count == 1 ? group.what : fmt::format("{} {}", count, group.several),
                       group.why);
}

}  // namespace

std::vector<std::string> in_no_curve(const std::vector<ScalingCurve>& curves,
                                     const std::vector<Source>& sources) {
    std::vector<LeftOut> groups;
    const auto is_used = [&](const Source* source) {
        return std::ranges::any_of(curves, [&](const ScalingCurve& curve) {
            return std::ranges::find(curve.runs, source) != curve.runs.end();
        });
    };
    std::set<const Source*> trainings;
    for (const TrainingRun& run : training_runs(sources)) {
        trainings.insert(run.source);
        if (!is_used(run.source)) add(kept_out(run, sources), run.source->file(), groups);
    }
    for (const Source& source : sources) {
        if (!trainings.contains(&source)) add(kept_out(source), source.file(), groups);
    }
    std::vector<std::string> words;
    std::ranges::transform(groups, std::back_inserter(words), words_of);
    return words;
}

}  // namespace shardstone::results
