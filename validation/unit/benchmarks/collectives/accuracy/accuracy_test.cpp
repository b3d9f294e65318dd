// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm adds up within its bound and to the same bits, in every type.
#include "benchmarks/collectives/accuracy/accuracy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "benchmarks/collectives/accuracy/record.hpp"
#include "benchmarks/collectives/accuracy/table.hpp"
#include "results/journal/recover.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;

SweepOptions chosen(std::vector<std::string> algorithms = {"all"}) {
    SweepOptions options;
    options.operations = {"all"};
    options.algorithms = std::move(algorithms);
    options.root = world().size() - 1;
    return options;
}

AccuracyOptions brief() {
    AccuracyOptions options;
    options.elements = {331};
    options.runs = 2;
    return options;
}

TEST(Accuracy, OfEveryAlgorithmInEveryTypeIsWithinItsBound) {
    const auto all = measure_accuracy(world(), plan_accuracy(chosen(), brief()));
    ASSERT_GT(all.size(), 8U * 35U);
    for (const SumAccuracy& row : all) {
        EXPECT_TRUE(row.passed()) << row.operation << " " << row.algorithm << " "
                                  << to_string(row.type) << ": "
                                  << fmt::format("{}", fmt::join(row.faults(), "; "));
        EXPECT_LE(row.rms_ulp(), row.error.max_ulp);
        EXPECT_EQ(row.same_on_all_ranks.has_value(), row.operation == "all_reduce");
        if (!is_integer(row.type) && world().size() > 2) {
            EXPECT_GT(row.error.share_of_bound, 0.05) << "a bound that says nothing";
        }
    }
}

TEST(Accuracy, AlgorithmsWithOneOrderOfAdditionsHaveOneSetOfBits) {
    SweepOptions options = chosen({"ring", "over_shared_memory:ring", "recursive_doubling"});
    options.operations = {"all_reduce"};
    const auto all = measure_accuracy(world(), plan_accuracy(options, brief()));
    std::map<std::pair<std::string, ElementType>, std::uint64_t> bits;
    for (const SumAccuracy& row : all) bits[{row.algorithm, row.type}] = row.digest;
    for (const SumAccuracy& row : all) {
        if (row.algorithm == "over_shared_memory:ring") {
            EXPECT_EQ(row.digest, (bits[{"ring", row.type}]));
        }
        if (row.algorithm == "recursive_doubling") {
            const bool same = row.digest == bits[{"ring", row.type}];
            EXPECT_EQ(same, is_integer(row.type) || world().size() <= 2) << to_string(row.type);
        }
    }
}

TEST(Accuracy, TableAndRecordHaveEveryRow) {
    const auto options = brief();
    const auto all = measure_accuracy(world(), plan_accuracy(chosen({"ring"}), options));
    const std::string text = accuracy_report(all);
    EXPECT_NE(text.find(fmt::format("All {} within", all.size())), std::string::npos) << text;
    results::Record record = results::new_record("accuracy", "test", {"test"});
    begin_accuracy_record(chosen({"ring"}), options, record);
    for (const SumAccuracy& sum : all) results::add_part(record, part_of(sum));
    EXPECT_EQ(all.size(), planned_sums(plan_accuracy(chosen({"ring"}), options), world().size()));
    EXPECT_EQ(record.table("accuracy").rows(), all.size());
    EXPECT_EQ(record.verification.size(), all.size());
    EXPECT_TRUE(record.verified());
}

}  // namespace
}  // namespace shardstone::validation
