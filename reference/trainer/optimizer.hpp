// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/model/gpt.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::reference {

/// The optimizer of one replica: clipping by the global norm, the learning rate of the step, the
/// update of every tensor, weight decay for those that have it. Owns the moments. Local.
class Optimizer {
  public:
    struct Report {
        double gradient_norm = 0.0;  ///< before clipping, over all parameters, each counted once
        double learning_rate = 0.0;
    };

    /// `parameters` must outlive this.
    Optimizer(const TrainOptions& options, const std::vector<ParameterInfo>& parameters);

    /// Update number `step`, counted from 1. The gradients stay as they are.
    Report update(std::int64_t step, std::span<float> weights, std::span<const float> gradients);

    std::int64_t memory_bytes() const;

  private:
    void update_tensor(const ParameterInfo& tensor, std::int64_t step, const Report& report,
                       double clip_factor, std::span<float> weights,
                       std::span<const float> gradients);

    OptimizerOptions options_;
    LearningRate rate_;
    const std::vector<ParameterInfo>& parameters_;
    std::vector<float> first_moments_;   ///< AdamW only
    std::vector<float> second_moments_;  ///< AdamW only
};

}  // namespace shardstone::reference
