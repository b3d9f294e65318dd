// SPDX-License-Identifier: BSD-3-Clause
// Prints one line per layout of the equivalence check: equal, different, or how near its bound.
#include "jobs/command/equivalence_screen.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "results/schema/validation.hpp"

namespace shardstone::command {

using validation::Arithmetic;
using validation::Layout;
using validation::LayoutVerdict;

namespace {

/// A layout that claims equal bits has them, or has not; of the others, and on GPUs of all, it is
/// told how near the bound they came.
std::string word_of(bool equal, bool claims_bits, double share_of_bound) {
    if (!equal) return "DIFFERENT";
    if (!claims_bits) return fmt::format("{:.1g}", share_of_bound);
    return share_of_bound > 0.0 ? fmt::format("= {:.1g}", share_of_bound) : "equal";
}

struct Line {
    std::size_t number, count;
    std::string layout, claim;
    std::vector<std::string> words;
};

void print_line(const Line& line, const char* mark) {
    fmt::print("{:>3}/{:<3} {:<52} {:<8}", line.number, line.count, line.layout, line.claim);
    for (const std::string& word : line.words) fmt::print(" {:>10}", word);
    fmt::print("{}\n", mark);
}

}  // namespace

void print_equivalence_head(std::int64_t steps, const std::vector<Arithmetic>& arithmetics,
                            reference::DeviceKind device) {
    const auto options = validation::equivalence_training(steps);
    fmt::print(
        "model of {} layers, {} heads, {} channels, vocabulary {}; {} sequences of {} tokens "
        "per step, {} steps\n",
        options.model.layers, options.model.heads, options.model.channels, options.model.vocabulary,
        options.batch.global_batch, options.batch.sequence, options.steps);
    fmt::print("compared with {}: losses, gradients, norm, weights and moments of every step\n",
               device == reference::DeviceKind::cpu
                   ? "a plain loop on one rank"
                   : "one GPU where bitwise, and with a plain loop on a core within bounds");
    fmt::print(
        "bounded: the largest deviation of a gradient, as a fraction of its derived bound{}\n\n",
        device == reference::DeviceKind::cpu ? "" : "; = before it: bits of one GPU");
    fmt::print("{:7} {:<52} {:<8}", "", "layout", "claim");
    for (const Arithmetic& arithmetic : arithmetics) fmt::print(" {:>10}", arithmetic.name());
    fmt::print("\n");
}

void print_layout(const std::vector<LayoutVerdict>& of_layout, std::size_t number,
                  std::size_t count) {
    const Layout& layout = of_layout.front().layout;
    Line line{number, count, layout.name(), layout.claims_bits() ? "bitwise" : "bounded", {}};
    for (const LayoutVerdict& verdict : of_layout) {
        line.words.push_back(word_of(verdict.equal(), layout.claims_bits(), verdict.worst_share));
    }
    print_line(line, "");
    for (const LayoutVerdict& verdict : of_layout) {
        if (verdict.difference) {
            fmt::print("        {}: {}\n", verdict.arithmetic.name(), verdict.difference->text());
        }
        if (verdict.turned > 0 && !verdict.difference) {
            fmt::print("        {}: {}\n", verdict.arithmetic.name(),
                       validation::turned_in_words(verdict.turned));
        }
        if (!verdict.repeats) {
            fmt::print("        {}: a second run gave different bits\n", verdict.arithmetic.name());
        }
    }
    std::fflush(stdout);
}

void print_earlier_layout(const std::string& layout, const results::Record& record,
                          std::size_t number, std::size_t count) {
    Line line{number, count, layout, "", {}};
    for (const auto& row : results::rows_of<results::LayoutRow>(record)) {
        if (row.layout != layout) continue;
        line.claim = row.claim;
        line.words.push_back(word_of(row.equal > 0.0, row.claim == "bitwise", row.share_of_bound));
    }
    print_line(line, "  earlier");
    std::fflush(stdout);
}

}  // namespace shardstone::command
