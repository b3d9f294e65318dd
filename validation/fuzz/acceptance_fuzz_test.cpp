// SPDX-License-Identifier: BSD-3-Clause
// Hostile acceptance files: each gives limits that can be judged, or is refused in one line.
#include <gtest/gtest.h>

#include "validation/fuzz/trial.hpp"
#include "validation/interconnect/acceptance_file.hpp"

namespace shardstone::validation {
namespace {

const std::vector<std::string> corpus{
    "[[limit]]\nquantity = \"rate between nodes\"\nstatistic = \"median\"\nsize = \"4M\"\n"
    "limit = 48.5\nunit = \"GB/s\"\nsource = \"400 Gb/s x 97 %\"\n",
    "[[limit]]\nquantity = \"wake-up delay\"\nstatistic = \"p99\"\nlimit = 1e-3\nunit = \"s\"\n"
    "[[limit]]\nquantity = \"latency inside nodes\"\nstatistic = \"mean\"\nsize = \"8\"\n"
    "limit = 5\nunit = \"us\"\n",
    "limit = 1", ""};

/// What is accepted can be judged, and says what it is about.
void try_limits(const std::string& text) {
    const auto limits = parse_acceptance(text, "fuzz.toml");
    ASSERT_FALSE(limits.empty());
    const std::vector<std::vector<double>> samples(limits.size(), std::vector<double>(20, 1.0));
    ASSERT_EQ(judge_limits(limits, samples).size(), limits.size());
    for (const AcceptanceLimit& limit : limits) {
        ASSERT_EQ(limit.size_bytes > 0, find_quantity(limit.quantity).has_size);
        ASSERT_GE(limit.limit, 0.0);
    }
}

TEST(AcceptanceFuzz, MutatedFilesAreReadOrRefused) {
    Mutator mutator(corpus, nasty_words(), 20'261'126);
    Counts counts;
    for_each_input([&] {
        const std::string text = mutator.next();
        try_input([&] { try_limits(text); }, counts);
    });
    expect_both("acceptance files", counts, 100);
}

}  // namespace
}  // namespace shardstone::validation
