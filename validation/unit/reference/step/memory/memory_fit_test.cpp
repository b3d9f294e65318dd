// SPDX-License-Identifier: BSD-3-Clause
// Plans that do not fit, and the nearest that do.
#include "reference/step/memory_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/step/mesh.hpp"
#include "validation/unit/reference/step/memory/memory_specs.hpp"

namespace shardstone::validation {
namespace {

using reference::StepSpec;

std::int64_t needs(const StepSpec& spec) {
    return largest_rank(spec, {}).bytes();
}

std::string refusal(const StepSpec& spec, std::int64_t limit_bytes) {
    try {
        require_fits_memory(spec, {}, limit_bytes);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(MemoryFit, TheLargestRankIsTheLargest) {
    for (const char* plan : {"dp=3,zero=3", "tp=3", "tp=3,sp=1", "pp=3", "dp=2,tp=2,pp=2,zero=2"}) {
        const StepSpec spec = spec_of(plan);
        std::int64_t most = 0;
        for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
            most = std::max(most, total_bytes(predicted_memory(spec, rank, {})));
        }
        EXPECT_EQ(needs(spec), most) << plan;
    }
}

TEST(MemoryFit, TheLimitIsExact) {
    const StepSpec spec = spec_of("dp=4");
    EXPECT_NO_THROW(require_fits_memory(spec, {}, needs(spec)));
    EXPECT_THROW(require_fits_memory(spec, {}, needs(spec) - 1), Error);
}

TEST(MemoryFit, OneChangeIsNearerThanTwo) {
    const StepSpec spec = spec_of("dp=4");
    const auto nearest = [&](std::int64_t limit_bytes) {
        return nearest_fit(spec, {}, limit_bytes).value();
    };
    EXPECT_EQ(nearest(needs(spec)).plan, spec.plan);
    EXPECT_EQ(to_string(nearest(needs(spec) - 1).plan), "dp=4,zero=1");
    EXPECT_EQ(to_string(nearest(needs(spec_of("dp=4,zero=1")) - 1).plan), "dp=4,zero=2");
    EXPECT_EQ(to_string(nearest(needs(spec_of("dp=4,zero=2")) - 1).plan), "dp=4,zero=3");
}

TEST(MemoryFit, WhatIsNamedFitsAndIsValid) {
    for (const char* plan :
         {"dp=4", "tp=4", "pp=4", "dp=2,pp=2", "dp=6,zero=1", "dp=2,tp=2,pp=2"}) {
        const StepSpec spec = spec_of(plan);
        for (std::int64_t limit = needs(spec) - 1; limit > 0; limit = limit * 9 / 10) {
            const auto fit = nearest_fit(spec, {}, limit);
            if (!fit) break;
            EXPECT_NO_THROW(validate(*fit)) << plan;
            EXPECT_EQ(fit->plan.ranks(), spec.plan.ranks()) << plan;
            EXPECT_LE(needs(*fit), limit) << plan;
        }
    }
}

/// Uneven stages are the user's for their number of stages; another number has even ones.
TEST(MemoryFit, LayersFollowTheStages) {
    StepSpec spec = spec_of("pp=2");
    spec.pipeline.layers = {6, 1};
    const auto other_stages = nearest_fit(spec, {}, needs(spec) * 3 / 5);
    ASSERT_TRUE(other_stages);
    EXPECT_NO_THROW(validate(*other_stages));
    EXPECT_NE(other_stages->plan.pipeline, 2);
}

TEST(MemoryFit, RefusesInOneLineWithTheNumbers) {
    StepSpec spec = spec_of("dp=4");
    spec.model = {"larger", 61, 24, 7, 4, 512};
    spec.communication.bucket_bytes = 1 << 20;
    const std::string message = refusal(spec, needs(spec) * 2 / 3);
    EXPECT_NE(message.find("--plan dp=4 --micro-batch 1 needs 3"), std::string::npos) << message;
    EXPECT_NE(message.find("MiB on rank 0 (optimizer: 168"), std::string::npos) << message;
    EXPECT_NE(message.find("use --plan dp=4,zero=1 --micro-batch 1, "), std::string::npos)
        << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(refusal(spec, needs(spec)), "");
}

TEST(MemoryFit, SaysWhenNothingFits) {
    const StepSpec spec = spec_of("dp=4");
    EXPECT_FALSE(nearest_fit(spec, {}, 1000));
    EXPECT_NE(refusal(spec, 1000).find("no plan for 4 ranks fits: use more ranks"),
              std::string::npos)
        << refusal(spec, 1000);
}

/// 24 sequences each, which context ranks have together and expert ranks apart.
TEST(MemoryFit, ASmallerMicroBatchIsNamed) {
    for (const char* plan : {"dp=1", "dp=2", "cp=4", "ep=2"}) {
        StepSpec spec = spec_of(plan);
        spec.model.experts.count = spec.plan.expert;
        spec.batch.global_batch = 24 * batch_shares(spec.plan);
        spec.batch.micro_batch = 24;
        StepSpec smaller = spec;
        smaller.batch.micro_batch = 8;  // the next smaller that divides 24 is 12, and needs more
        const auto fit = smaller_micro_batch(spec, {}, needs(smaller));
        ASSERT_TRUE(fit) << plan;
        EXPECT_EQ(fit->batch.micro_batch, 8) << plan;
        EXPECT_FALSE(smaller_micro_batch(spec, {}, 1000)) << plan;
        EXPECT_NE(refusal(spec, needs(smaller)).find(" --micro-batch 8 with "), std::string::npos)
            << refusal(spec, needs(smaller));
    }
}

// What several ranks need together, of stages that differ.
TEST(MemoryFit, ANodeHoldsAllItsRanks) {
    const StepSpec spec = spec_of("pp=2");
    const auto needed = [&](int rank) {
        return total_bytes(predicted_memory(spec, rank, {})) +
               reference::memory_besides_tensors_bytes;
    };
    const std::int64_t first = needed(0), second = needed(1);
    EXPECT_NE(first, second);
    const std::vector<int> both{0, 1}, last{1};
    const auto node = [](std::int64_t bytes) {
        return AvailableMemory{MemoryLimit{bytes, "a limit"}, {}};
    };
    EXPECT_NO_THROW(require_fits_node(spec, {}, both, node(first + second)));
    EXPECT_NO_THROW(require_fits_node(spec, {}, last, node(second)));
    EXPECT_NO_THROW(require_fits_node(spec, {}, last, AvailableMemory{}));
    EXPECT_THROW(require_fits_node(spec, {}, last, node(second - 1)), Error);
    try {
        require_fits_node(spec, {}, both, node(first + second - 1));
        FAIL() << "one byte more than there is";
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find(
                      "for the 2 ranks of this node (32 MiB of each besides tensors), which has "),
                  std::string::npos);
        EXPECT_NE(message.find(" available (a limit): "), std::string::npos) << message;
        EXPECT_NE(message.find("--memory-limit"), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST(MemoryFit, AProcessHasALimitOfItsOwn) {
    const StepSpec spec = spec_of("dp=2");
    const std::int64_t needed = total_bytes(predicted_memory(spec, 1, {}));
    constexpr std::int64_t plenty = std::int64_t{1} << 40;
    AvailableMemory available{MemoryLimit{plenty, "of the node"},
                              MemoryLimit{needed, "of the process"}};
    const std::vector<int> both{0, 1};
    EXPECT_NO_THROW(require_fits_node(spec, {}, both, available));
    available.of_process->bytes -= 1;
    try {
        require_fits_node(spec, {}, both, available);
        FAIL() << "one byte more than a process may take";
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find(" on rank 0, and a process "), std::string::npos) << message;
        EXPECT_NE(message.find("(of the process): "), std::string::npos) << message;
    }
}

TEST(MemoryFit, RecomputationIsNamed) {
    StepSpec spec = spec_of("dp=1");
    spec.batch.micro_batch = 24;
    EXPECT_NE(refusal(spec, needs(spec) - 1).find("use --plan dp=1 --recompute selective"),
              std::string::npos)
        << refusal(spec, needs(spec) - 1);
}

}  // namespace
}  // namespace shardstone::validation
