// SPDX-License-Identifier: BSD-3-Clause
// Hostile words of a command line: sizes, plans and checksums; and the seals of pages.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "kernels/base/percent.hpp"
#include "kernels/base/units.hpp"
#include "reference/data/hash.hpp"
#include "reference/step/parallel_plan.hpp"
#include "results/report/page_seal.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

TEST(WordsFuzz, SizesAreReadOrRefused) {
    Mutator mutator({"4", "64K", "1M", "16MiB", "7B", "4GB", "2t"}, nasty_words(), 41);
    Counts counts;
    for_each_input([&] {
        const std::string text = mutator.next();
        const auto parse = [&] {
            const std::int64_t size_bytes = parse_size_bytes(text);
            ASSERT_GE(size_bytes, 0) << text;
            ASSERT_EQ(parse_size_bytes(std::to_string(size_bytes)), size_bytes) << text;
            ASSERT_FALSE(format_size(size_bytes).empty());
            // What the digits say is a lower bound: a size that wrapped around is below it.
            ASSERT_GE(size_bytes, std::strtoll(text.c_str(), nullptr, 10)) << text;
        };
        try_input(parse, counts);
    });
    expect_both("sizes", counts, 50);
}

TEST(WordsFuzz, PercentagesAreReadOrRefused) {
    Mutator mutator({"3%", "0.5 %", "1e2%", "100%", "0%", "12.75%"}, nasty_words(), 43);
    Counts counts;
    for_each_input([&] {
        const std::string text = mutator.next();
        const auto parse = [&] {
            const double share = parse_percent(text);
            ASSERT_TRUE(share >= 0.0 && std::isfinite(share)) << text;
            ASSERT_EQ(text.back(), '%') << text;
            // A share that is not normal is known to one step of such numbers.
            const double step = 100.0 * std::numeric_limits<double>::denorm_min();
            ASSERT_NEAR(100.0 * share, std::strtod(text.c_str(), nullptr),
                        1e-9 * 100.0 * share + step);
        };
        try_input(parse, counts);
    });
    expect_both("percentages", counts, 50);
}

TEST(WordsFuzz, PlansAreReadOrRefused) {
    Mutator mutator({"dp=4", "dp=2,tp=2,sp=1", "tp=2,pp=2", "dp=2,pp=2,zero=3", "dp=1048576",
                     "dp=4096,tp=4096,pp=4096"},
                    nasty_words(), 42);
    Counts counts;
    for_each_input([&] {
        const std::string text = mutator.next();
        const auto parse = [&] {
            const reference::ParallelPlan plan = reference::parse_plan(text);
            ASSERT_EQ(reference::parse_plan(to_string(plan)), plan) << text;
            ASSERT_GE(plan.ranks(), 1) << text;
            ASSERT_LE(plan.ranks(), 1 << 20) << text;
        };
        try_input(parse, counts);
    });
    expect_both("plans", counts, 50);
}

TEST(WordsFuzz, ChecksumsAreReadOrRefused) {
    Mutator mutator({"0123456789abcdef", "ffffffffffffffff"}, nasty_words(), 43);
    Counts counts;
    for_each_input([&] {
        const std::string text = mutator.next();
        const auto parse = [&] {
            const std::string again = reference::to_hex(reference::from_hex(text));
            ASSERT_EQ(again.size(), text.size());
            ASSERT_EQ(reference::from_hex(again), reference::from_hex(text));
        };
        try_input(parse, counts);
    });
    expect_both("checksums", counts, 100);
}

TEST(WordsFuzz, AChangedPageIsRefused) {
    const std::string good = results::seal_page("<!doctype html>\n<title>Report</title>\n");
    Mutator mutator({good}, nasty_words(), 44);
    Counts counts;
    for_each_input([&] {
        const std::string page = mutator.below(8) == 0 ? good : mutator.next();
        const auto judge = [&] {
            results::require_page_unchanged(page, "fuzz.html");
            ASSERT_EQ(page, good);
            ASSERT_TRUE(results::is_sealed_page(page));
        };
        try_input(judge, counts);
    });
    expect_both("pages", counts, 20);
}

}  // namespace
}  // namespace shardstone::validation
