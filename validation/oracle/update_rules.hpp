// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace shardstone::validation::oracle {

// What happens to the weights once their gradients are known, as plain loops in the arithmetic of
// training, Real = float or double: schedule, norm, clipping and optimizers of kernels/optimizer
// from the formulas that its headers cite, sharing no code with it. Operations stand in the order
// of those headers, so that equal results have equal bits.

/// Learning rate of a training.
struct RateRule {
    double peak, least;  ///< at the end of the warm-up, at the end of the training
    std::int64_t warmup, steps;
    bool falls;  ///< as a half cosine; else it stays at the peak
};
/// Of step 1, 2, ...
double rate_at(const RateRule& rule, std::int64_t step);

/// Euclidean norm of tensors that are added one by one: squares in FP64, rounded to multiples of
/// 2^-90 and added up as integers. The sum is rounded as the reference has it, for the last bit of
/// FP64 shows: its digits below 2^-40, those below 2^10 and the rest, each exact, are added from
/// below. Not a number when an element is none or over 2^20. Throws Error for a norm over 2^18,
/// which the integers do not hold.
class Norm {
  public:
    template <class Real>
    void add(std::span<const Real> values);
    double value() const;

  private:
    __extension__ typedef __int128 Wide;
    Wide units_ = 0;
    double about_ = 0.0;  ///< the sum, rounded: whether the integers hold it
    bool countable_ = true;
};

/// What gradients are multiplied by so that their norm is at most `limit`; 0: no limit.
double clipping(double norm, double limit);

enum class Method : std::uint8_t { adamw, sgd, momentum, nesterov, lamb, lars };

/// One update of one tensor.
struct UpdateRule {
    Method method = Method::adamw;
    std::int64_t step = 1;  ///< 1, 2, ...
    double rate = 0.0;
    double clip = 1.0;   ///< clipping()
    double decay = 0.0;  ///< 0 for norms and biases
    bool matrix = true;  ///< LAMB and LARS give a matrix its own rate
    double beta1 = 0.9, beta2 = 0.95;
    double momentum = 0.9;
    double trust = 0.001;  ///< of LARS
};

/// A tensor whole, on one rank; moments that the method has none of are empty.
template <class Real>
struct TensorState {
    std::span<Real> weights;
    std::span<const Real> gradients;
    std::span<Real> first, second;
};

template <class Real>
void update(const UpdateRule& rule, const TensorState<Real>& tensor);

}  // namespace shardstone::validation::oracle
