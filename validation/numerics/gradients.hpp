// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/model/gpt_config.hpp"
#include "reference/precision/precision.hpp"
#include "validation/numerics/verdict.hpp"
#include "validation/oracle/gpt.hpp"

namespace shardstone::validation {

/// Weights at which gradients are compared, in the order of ParameterLayout, exact in FP32.
struct GradientPoint {
    reference::GptConfig model;
    std::string state;  ///< "initial", "after 100 steps"
    std::vector<double> weights;
    std::vector<oracle::MicroBatch> batches;  ///< at least 2, all of one shape
};

/// The gradient of the mean loss over a batch.
using GradientOf = std::function<std::vector<double>(
    const GradientPoint& point, std::span<const double> weights, const oracle::MicroBatch& batch)>;

std::vector<double> fp64_gradient(const GradientPoint& point, std::span<const double> weights,
                                  const oracle::MicroBatch& batch);
/// As a training step under the policy has it: weights rounded to its storage, the loss scaled by
/// the scale that a dynamic loss scale settles at (halved until nothing overflows), which is
/// divided out.
GradientOf gradient_under(const reference::Precision& policy);

/// The initial weights of seed 1 (`steps` 0) or those after so many FP32 steps in a small language,
/// with batches of its text. Local; `alone` has one rank.
GradientPoint gradient_point(const collectives::Communicator& alone,
                             const reference::GptConfig& model, std::int64_t steps);

/// One tensor's gradient under a policy against FP64, over the batches of a point.
///
/// What it is held against. Rounding errors of a backward-stable computation are those of an exact
/// one whose operands are moved by them, so the yardstick is measured: s(u), the relative change of
/// the FP64 gradient (Euclidean norm of the tensor) when every weight w becomes w (1 +- u), signs
/// at random (root mean square of 4 draws, others for every batch). Then with u_S the unit roundoff
/// of the storage type, u that of FP32, n the longest sum, max(V, 4 C, B T):
///
///     error <= 2 s(u_S) + 2 sqrt(n) s(u).
///
/// First term. Weights enter 8 products of a block, 4 forward and 4 backward, and s moves them all.
/// Storing narrow rounds them too, and besides, per block: forward the inputs of the four weights,
/// Q, K and V as one, P, and what enters GELU (7); backward the gradients of the two branches, of
/// both sides of GELU, d_O, P again, d_S and d_qkv (8); and the inputs of the weights once more in
/// their gradients (4): 27 places against 8. A narrow stream adds 8: forward two branches and the
/// stream behind each (4), backward the gradients of two norms and the stream's after each (4).
/// With independent signs errors add in squares: sqrt(27 / 8) = 1.8, or sqrt(35 / 8) = 2.1. That a
/// rounding is half of u in the mean, where s moves by all of it, stays as the allowance for a
/// tensor whose errors come from fewer places than the mean. Second term: a
/// sum of n terms errs by sqrt(n) u in practice (Higham and Mary 2019), in as many places. The
/// first is absent for FP32. Below the smallest normal number of the storage type roundings exceed
/// u_S: a policy whose gradients fall there is meant to break the bound.
struct TensorGradient {
    std::string tensor;
    std::int64_t layer = -1;          ///< -1: before (embeddings) or behind (final norm) the blocks
    double relative_norm = 0.0;       ///< |g - g64| / |g64|, root mean square over the batches
    double cosine = 1.0;              ///< the smallest
    double to_fp32 = 0.0;             ///< |g - g32| / |g32|, root mean square; 0 for FP32 itself
    double to_fp32_cosine = 1.0;      ///< the smallest
    std::vector<double> log2_shares;  ///< per batch: log2(error / bound)
};

struct GradientComparison {
    std::string policy, model, state;
    std::vector<TensorGradient> tensors;  ///< in the order of ParameterLayout
};

/// The yardsticks of a point, so that all policies share them. Local.
class GradientStudy {
  public:
    explicit GradientStudy(GradientPoint point);

    /// `roundoff`: of the storage type; 0 where it is that of FP32.
    GradientComparison compare(const std::string& policy, const GradientOf& gradient,
                               double roundoff);

  private:
    using PerTensor = std::vector<std::vector<double>>;  ///< [batch][tensor]
    const PerTensor& changes(double roundoff);

    GradientPoint point_;
    std::vector<std::vector<double>> exact_, fp32_;  ///< [batch]
    std::map<double, PerTensor> changes_;            ///< by roundoff
    double longest_sum_;
};

/// "initial" or "after 100 steps".
std::string gradient_state(std::int64_t steps);

/// As plain numbers and back, to go between ranks; `empty` says whose they are.
std::size_t gradient_numbers(const reference::GptConfig& model);
std::vector<double> numbers_of(const GradientComparison& comparison);
GradientComparison from_numbers(std::span<const double> numbers, const reference::GptConfig& model,
                                GradientComparison empty);

/// The largest unit roundoff of what the policy stores narrow; 0 if it stores nothing narrow.
double storage_roundoff(const reference::Precision& policy);

/// Per tensor: the 95 % t interval, over the batches, of log2(error / bound) lies below 0. The
/// verdict is that of the worst tensor; its values are given as shares of the bound, not
/// logarithms.
PolicyFinding judge_gradients(const GradientComparison& comparison);

}  // namespace shardstone::validation
