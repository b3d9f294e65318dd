// SPDX-License-Identifier: BSD-3-Clause
// The messages of training steps: plans that fit the ranks, bytes as by closed form, times.
#include "benchmarks/interconnect/step_traffic.hpp"

#include <gtest/gtest.h>

#include "reference/model/gpt_config.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::plans_of_traffic;
using benchmarks::StepTraffic;
using collectives::Topology;
using Plans = std::vector<std::string>;

TEST(StepTraffic, PlansFitRanksAndNodes) {
    EXPECT_EQ(plans_of_traffic(Topology::one_node(1)), Plans{});
    EXPECT_EQ(plans_of_traffic(Topology::blocked(3, 1)), (Plans{"dp=3", "dp=3,zero=3"}));
    EXPECT_EQ(plans_of_traffic(Topology::blocked(8, 2)),
              (Plans{"dp=8", "dp=8,zero=3", "tp=2,dp=4", "pp=2,dp=4"}));
    EXPECT_EQ(plans_of_traffic(Topology::blocked(32, 8)),
              (Plans{"dp=32", "dp=32,zero=3", "tp=4,dp=8", "pp=2,dp=16"}))
        << "the model has four heads";
    EXPECT_EQ(plans_of_traffic(Topology::blocked(5, 3)), (Plans{"dp=5", "dp=5,zero=3"}))
        << "nodes of three and of two ranks";
}

TEST(StepTraffic, StepsTakeTimeAndSendWhatTheirPlanSends) {
    const int ranks = world().size();
    for (const std::string& plan : plans_of_traffic(world().topology())) {
        SCOPED_TRACE(plan);
        StepTraffic traffic(world(), plan);
        for (int i = 0; i < 2; ++i) {
            const double time_s = traffic.step_s();
            EXPECT_GT(time_s, 0.0);
            EXPECT_EQ(time_s, world().max(time_s)) << "the same on all ranks";
        }
        EXPECT_GT(traffic.predicted_s(), 0.0);
        if (plan != "dp=" + std::to_string(ranks)) continue;
        // Each rank sends 2 (P - 1) / P of the FP32 gradients, and a few bytes for norm and loss.
        const double gradients =
            4.0 * static_cast<double>(reference::gpt_preset("tiny").parameter_count());
        EXPECT_NEAR(static_cast<double>(traffic.sent_bytes()), 2.0 * (ranks - 1) * gradients,
                    0.01 * gradients * ranks);
    }
}

}  // namespace
}  // namespace shardstone::validation
