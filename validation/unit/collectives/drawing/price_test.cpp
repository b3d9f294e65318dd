// SPDX-License-Identifier: BSD-3-Clause
// Prices against closed forms (R. Thakur, R. Rabenseifner and W. Gropp 2005), and what "=" and "≲"
// promise against the cost model at other constants.
#include "collectives/drawing/price.hpp"

#include <gtest/gtest.h>

#include "collectives/drawing/messages.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/simulation/cost_model.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

Schedule all_reduce(const char* algorithm, const Topology& topology) {
    return make_schedule(find_algorithm("all_reduce", algorithm), topology);
}

TEST(Price, ClosedForms) {
    const Topology node = Topology::one_node(8);
    EXPECT_EQ(text_of(price_of(all_reduce("ring", node))), "T = 14 α + 1.75 n β + 0.875 n γ");
    EXPECT_EQ(text_of(price_of(all_reduce("rabenseifner", node))),
              "T = 6 α + 1.75 n β + 0.875 n γ");
    EXPECT_EQ(text_of(price_of(all_reduce("recursive_doubling", node))), "T = 3 α + 3 n β + 3 n γ");
    EXPECT_EQ(
        text_of(price_of(all_reduce("hierarchical:ring/rabenseifner", Topology::blocked(8, 4)))),
        "T = 6 α + 1.5 n β + 2 α′ + 0.25 n β′ + 0.875 n γ");
    EXPECT_EQ(text_of(price_of(all_reduce("ring", Topology::one_node(1)))), "T = 0");
}

TEST(Price, ALinearOneIsNoSum) {
    // Latencies of messages to one rank overlap, their bytes do not.
    const Price price = price_of(all_reduce("linear", Topology::one_node(8)));
    EXPECT_FALSE(price.exact);
    EXPECT_EQ(text_of(price).find("T ≲ 2 α + 14 n β"), 0U);
}

double sum_at(const Price& price, const CostParameters& costs, double bytes) {
    return price.alpha * costs.intra_node.alpha_s +
           price.beta * costs.intra_node.beta_s_per_byte * bytes +
           price.alpha_between * costs.inter_node.alpha_s +
           price.beta_between * costs.inter_node.beta_s_per_byte * bytes +
           price.gamma * costs.gamma_s_per_byte * bytes;
}

TEST(Price, HoldsAtOtherConstants) {
    for (const std::string& operation : operations()) {
        for (const std::string& name : algorithms_for(operation)) {
            const Algorithm algorithm = find_algorithm(operation, name);
            if (!algorithm.has_schedule()) continue;
            const Schedule schedule = make_schedule(algorithm, Topology::blocked(8, 4));
            const CollectiveSpec spec = evenly_cut_vector(schedule);
            const auto bytes = static_cast<double>(spec.vector.size_bytes());
            CostParameters costs;
            costs.intra_node = {2e-6, 3e-6 / bytes};
            costs.inter_node = {5e-6, 4e-6 / bytes};
            costs.gamma_s_per_byte = 1e-6 / bytes;
            const Price price = price_of(schedule);
            const double sum_s = sum_at(price, costs, bytes);
            const double time_s = predict_time_s(schedule, spec, costs);
            // Sums of some hundred terms: 1e-9 is far above their roundoff.
            EXPECT_LE(time_s, sum_s * (1 + 1e-9)) << operation << " " << name;
            if (!price.exact) continue;
            EXPECT_GE(time_s, sum_s * (1 - 1e-9)) << operation << " " << name;
        }
    }
}

TEST(ShortNumber, RoundsTheSameOnBothSidesOfAHalf) {
    EXPECT_EQ(short_number(0.96875), "0.9688");
    EXPECT_EQ(short_number(0.96875 * (1 - 1e-15)), "0.9688");
    EXPECT_EQ(short_number(126), "126");
}

}  // namespace
}  // namespace shardstone::validation
