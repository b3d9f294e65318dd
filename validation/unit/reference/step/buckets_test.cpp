// SPDX-License-Identifier: BSD-3-Clause
// Buckets and their shares cover a rank's parameters exactly once, whatever is left over, one
// element included.
#include <gtest/gtest.h>

#include "reference/step/memory_model.hpp"
#include "reference/step/program_builder.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr std::int64_t element = sizeof(float);

TEST(Buckets, AreWholeButForTheLast) {
    for (std::int64_t count = 1; count <= 40; ++count) {
        for (std::int64_t most = 1; most <= 41; ++most) {
            const ParameterGroup group{.first = 17, .count = count};
            std::int64_t next = group.first;
            const auto buckets = buckets_of(group, most * element + most % element);
            for (const Range& bucket : buckets) {
                EXPECT_EQ(bucket.first, next) << count << " in buckets of " << most;
                const std::int64_t left = group.end() - bucket.first;
                EXPECT_EQ(bucket.count, std::min(most, left)) << count << " by " << most;
                next = bucket.end();
            }
            EXPECT_EQ(next, group.end()) << count << " elements in buckets of " << most;
        }
    }
}

StepSpec spec_of(const char* plan, std::int64_t bucket) {
    StepSpec spec = small_spec(parse_plan(plan), 3, 1);
    spec.communication.bucket_bytes = bucket * element;
    return spec;
}

/// How often replicas own each element of the flat buffer.
std::vector<int> owners(const StepSpec& spec, const ParameterLayout& layout) {
    std::vector<int> count(static_cast<std::size_t>(layout.count()));
    for (int replica = 0; replica < spec.plan.data; ++replica) {
        for (const Range& share : StateLayout(spec, layout, {.data = replica}).shares()) {
            for (std::int64_t i = share.first; i < share.end(); ++i) {
                ++count[static_cast<std::size_t>(i)];
            }
        }
    }
    return count;
}

/// Group sizes less one have divisors: buckets of those leave one element over.
TEST(Buckets, ThatLeaveOneElementOverLoseNone) {
    int left_over = 0;
    for (const char* plan : {"dp=1", "dp=2,zero=1", "dp=3,zero=2", "dp=5,zero=3"}) {
        const ParameterLayout layout(spec_of(plan, 1).model);
        for (std::int64_t bucket = 2; bucket <= 40; ++bucket) {
            const StepSpec spec = spec_of(plan, bucket);
            for (const ParameterGroup& group : layout.groups()) {
                left_over += group.count % bucket == 1 ? 1 : 0;
            }
            const std::vector<int> once(static_cast<std::size_t>(layout.count()), 1);
            ASSERT_EQ(owners(spec, layout), once) << plan << ", buckets of " << bucket;
            std::int64_t owned = 0;
            for (int replica = 0; replica < spec.plan.data; ++replica) {
                std::int64_t shares = 0;
                for (const Range& share : StateLayout(spec, layout, {.data = replica}).shares()) {
                    shares += share.count;
                }
                EXPECT_EQ(parameter_counts(spec, replica).owned, shares)
                    << plan << ", replica " << replica << ", buckets of " << bucket;
                owned += shares;
            }
            EXPECT_EQ(owned, layout.count()) << plan << ", buckets of " << bucket;
        }
    }
    EXPECT_GT(left_over, 20);
}

/// Every element is reduced, and under ZeRO gathered, in every step.
TEST(Buckets, OfAProgramCoverEveryParameter) {
    for (const char* plan : {"dp=3", "dp=3,zero=1", "dp=3,zero=2", "dp=3,zero=3"}) {
        const ParameterLayout layout(spec_of(plan, 1).model);
        // Of the final norm, or of each block, one element is left over.
        for (const std::int64_t bucket :
             {layout.groups().front().count - 1, layout.groups()[1].count - 1}) {
            const StepSpec spec = spec_of(plan, bucket);
            std::vector<int> reduced(static_cast<std::size_t>(layout.count()));
            for (const Action& action : step_program(spec, 1).actions) {
                if (action.kind != Action::Kind::transfer ||
                    action.transfer.what != GroupTransfer::What::gradients) {
                    continue;
                }
                const Range& range = action.transfer.range;
                for (std::int64_t i = range.first; i < range.end(); ++i) {
                    ++reduced[static_cast<std::size_t>(i)];
                }
            }
            EXPECT_EQ(reduced, std::vector<int>(reduced.size(), 1))
                << plan << ", buckets of " << bucket;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
