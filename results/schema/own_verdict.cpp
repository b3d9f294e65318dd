// SPDX-License-Identifier: BSD-3-Clause
// The verdict that a record holds on what its run tested.
#include "results/schema/own_verdict.hpp"

#include <cctype>

#include "kernels/base/error.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/nature.hpp"
#include "results/schema/verdict_counts.hpp"

namespace shardstone::results {

namespace {

std::string upper_case(std::string word) {
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
}

}  // namespace

std::optional<OwnVerdict> own_verdict(const Record& record) {
    if (find_incomplete(record.verification) != record.verification.end()) return std::nullopt;
    try {
        const auto rows = rows_of<InterconnectVerdictRow>(record);
        if (rows.empty()) return std::nullopt;
        OwnVerdict own{
            upper_case(rows.front().verdict),
            verdict_counts(record),
            {},
            has_declared_nodes(record),
            record.configuration.contains("device") && record.configuration.at("device") == "cuda"};
        for (const auto& row : rows) {
            if (!row.reasons.empty()) own.reasons.push_back(row.reasons);
        }
        return own;
    } catch (const Error& error) {
        return OwnVerdict{"UNKNOWN", error.what(), {}};
    }
}

std::string marked_word(const OwnVerdict& verdict) {
    return verdict.word + (verdict.between_gpus ? " on GPUs" : "") +
           (verdict.declared_nodes ? std::string(" on ") + declared_nodes_words : "");
}

std::string verdict_words(const OwnVerdict& verdict) {
    return marked_word(verdict) + (verdict.counts.empty() ? "" : ": " + verdict.counts);
}

}  // namespace shardstone::results
