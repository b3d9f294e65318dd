// SPDX-License-Identifier: BSD-3-Clause
// The acceptance file of a bundle held against what its records were judged by.
#include "results/bundle/acceptance.hpp"

#include <fmt/format.h>

#include "results/bundle/differences.hpp"

namespace shardstone::results {

namespace {

/// "" of a record that was judged by no file.
std::string limits_of(const Record& record) {
    const auto accept = record.configuration.find("accept");
    const bool is_text = accept != record.configuration.end() && accept->is_string();
    return is_text ? accept->get<std::string>() : "";
}

}  // namespace

std::optional<std::string> common_limits(const std::vector<BundledRecord>& records) {
    std::string text;
    for (const BundledRecord& one : records) {
        const std::string limits = limits_of(one.record);
        if (limits.empty()) continue;
        if (!text.empty() && limits != text) return std::nullopt;
        text = limits;
    }
    return text;
}

AcceptanceUse use_of_acceptance(const BundleContents& contents) {
    AcceptanceUse use;
    if (!contents.acceptance) return use;
    for (const BundledRecord& one : contents.records) {
        const std::string limits = limits_of(one.record);
        if (limits.empty()) continue;
        if (limits == *contents.acceptance) {
            use.judged.push_back(one.path());
            continue;
        }
        use.contradictions.push_back(fmt::format(
            "{}, by which {} was judged",
            in_words(text_differences(*contents.acceptance, limits).front()), one.path()));
    }
    return use;
}

}  // namespace shardstone::results
