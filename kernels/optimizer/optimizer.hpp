// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/parameter_range.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

enum class OptimizerKind : std::uint8_t { adamw, sgd, momentum, nesterov, lamb, lars };

/// Requirements of an optimizer kind.
struct OptimizerTraits {
    const char* name;
    int moments;  ///< moments kept per parameter
    bool adapts;  ///< scales each tensor's update by norms of the whole tensor: trust_ratio()
};

const OptimizerTraits& traits_of(OptimizerKind kind);
std::string to_string(OptimizerKind kind);
/// "adamw, sgd, ..."
std::string optimizer_names();
/// By name; throws Error naming anything else.
OptimizerKind parse_optimizer(const std::string& name);

/// Settings that are constant during a training run.
struct OptimizerSettings {
    OptimizerKind kind = OptimizerKind::adamw;
    double beta1 = 0.9;     ///< adamw, lamb
    double beta2 = 0.95;    ///< adamw, lamb
    double momentum = 0.9;  ///< momentum, nesterov, lars
    double trust = 0.001;   ///< lars
};

/// One update of one tensor.
struct OptimizerStep {
    std::int64_t step = 1;  ///< counted from 1
    double learning_rate = 0.0;
    double weight_decay = 0.0;  ///< 0 for tensors without decay
    FactorsAt factors{};        ///< without a ratio if the tensor is not adapted
};

/// Updates weights and moments of a range of one tensor; the formulas are in the headers of the
/// kinds. Bitwise the same for any split of a tensor.
template <class Real>
void update_range(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                  const ParameterRange<Real>& range);
template <class Real>
void update_range(CudaQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                  const ParameterRange<Real, Cuda>& range);

/// Weights that an optimizer widens at a time, where they are stored in a narrower type than they
/// are updated in.
inline constexpr std::int64_t update_block = 16384;

/// Preparation of kinds that adapt, for every range, adapted or not, before add_squares() and
/// update_range(): LAMB's moments.
template <class Real>
void prepare_update(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                    const ParameterRange<Real>& range);
template <class Real>
void prepare_update(CudaQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                    const ParameterRange<Real, Cuda>& range);

/// Sums of squares over elements of one tensor, exact in any order like those of SquareSum: of the
/// weights, and of the quantity with which their norm is compared.
struct TensorSquares {
    SquareSum::Limbs weights{};
    SquareSum::Limbs updates{};  ///< LARS: of the unscaled gradient; LAMB: of the direction
};

/// Adds the squares of a range, for a kind that adapts, to those in the queue's memory space.
template <class Real>
void add_squares(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                 const ParameterRange<Real>& range, TensorSquares& squares);
template <class Real>
void add_squares(CudaQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                 const ParameterRange<Real, Cuda>& range, TensorSquares& squares);

/// ratios[i] = lars_ratio() or lamb_ratio() of a tensor with the decay of the step, from the
/// squares of the whole tensor; not finite if they are not. All are in the queue's memory space.
void trust_ratios(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                  std::span<const TensorSquares> squares, std::span<double> ratios);
void trust_ratios(CudaQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                  Cuda::Span<const TensorSquares> squares, Cuda::Span<double> ratios);

extern template void update_range(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                                  const ParameterRange<float>&);
extern template void update_range(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                                  const ParameterRange<double>&);
extern template void prepare_update(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                                    const ParameterRange<float>&);
extern template void prepare_update(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                                    const ParameterRange<double>&);
extern template void add_squares(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                                 const ParameterRange<float>&, TensorSquares&);
extern template void add_squares(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                                 const ParameterRange<double>&, TensorSquares&);

}  // namespace shardstone
