// SPDX-License-Identifier: BSD-3-Clause
// The gradient of the oracle's mixture of experts against central differences of its objective, and
// planted errors that the same comparison must see.
#include <algorithm>
#include <utility>

#include "validation/unit/kernels/expert_model.hpp"

namespace shardstone::validation {
namespace {

/// The derivative by one weight, and how far it may be off.
struct Difference {
    std::string tensor;
    std::size_t index;
    double value, bound;
};

/// Central differences at h and h/2: their difference is 3 times the truncation error of the finer
/// one (h^2 f'''/24), up to order h^4; the objective comes with a rounding error of about sqrt(k) u
/// of itself, taken as 32 u, divided by h. Where a choice changes in between, there is no
/// derivative to compare with: the weights are to be such that none does.
class Differences {
  public:
    Differences(const GptConfig& model, NamedValues weights, MicroBatch data)
        : model_(model),
          weights_(std::move(weights)),
          data_(std::move(data)),
          choices_(oracle::gpt_choices(model_, weights_, data_)) {}

    /// Of a few weights of each tensor.
    std::vector<Difference> all() {
        std::vector<Difference> found;
        const double rounding = 32.0 * 0x1p-53 * objective() / step;
        for (auto& [name, values] : weights_) {
            const std::size_t stride = std::max<std::size_t>(1, values.size() / 4);
            for (std::size_t i = 0; i < values.size(); i += stride) {
                const double coarse = at(values[i], step), fine = at(values[i], step / 2.0);
                found.push_back({name, i, fine, std::abs(coarse - fine) + 2.0 * rounding});
            }
        }
        return found;
    }

  private:
    static constexpr double step = 0x1p-12;

    double objective() const { return oracle::gpt_objective(model_, weights_, data_); }

    double at(double& weight, double h) {
        const double kept = weight;
        weight = kept + h;
        const double above = objective();
        EXPECT_EQ(oracle::gpt_choices(model_, weights_, data_), choices_);
        weight = kept - h;
        const double below = objective();
        EXPECT_EQ(oracle::gpt_choices(model_, weights_, data_), choices_);
        weight = kept;
        return (above - below) / (2.0 * h);
    }

    GptConfig model_;
    NamedValues weights_;
    MicroBatch data_;
    std::vector<Size> choices_;
};

/// In units of the bound.
double worst_ratio(const std::vector<Difference>& differences, const NamedValues& gradient) {
    double worst = 0.0;
    for (const auto& [tensor, index, value, bound] : differences) {
        worst = std::max(worst, std::abs(value - gradient.at(tensor)[index]) / bound);
    }
    return worst;
}

TEST(OracleExperts, GradientEqualsFiniteDifferences) {
    for (const auto& [experts, top_k] : {std::pair<Size, Size>{3, 1}, {4, 2}, {5, 1}, {5, 2}}) {
        for (const double capacity : {0.0, 1.0}) {
            const GptConfig model = expert_model(experts, top_k, capacity);
            const NamedValues weights = expert_weights(model);
            const MicroBatch data = expert_batch(model);
            const auto dropped = oracle::gpt_routing_figures(model, weights, data).dropped;
            EXPECT_EQ(dropped > 0, capacity > 0.0);
            EXPECT_LE(worst_ratio(Differences(model, weights, data).all(),
                                  oracle::gpt_gradient(model, weights, data)),
                      1.0)
                << experts << " experts, " << top_k << " chosen, capacity " << capacity;
        }
    }
}

TEST(OracleExperts, PlantedErrorsAreSeen) {
    for (const Size top_k : {1, 2}) {
        const GptConfig model = expert_model(4, top_k, 1.0);
        const NamedValues weights = expert_weights(model);
        const MicroBatch data = expert_batch(model);
        const auto differences = Differences(model, weights, data).all();
        for (const Planted bug :
             {Planted::experts_renormalised_gates, Planted::experts_no_gate_gradient,
              Planted::experts_balance_after_dropping, Planted::experts_later_first}) {
            EXPECT_GT(worst_ratio(differences, oracle::gpt_gradient(model, weights, data, bug)),
                      1.0)
                << static_cast<int>(bug) << ", " << top_k << " chosen";
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
