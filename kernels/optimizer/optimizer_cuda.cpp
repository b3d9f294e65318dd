// SPDX-License-Identifier: BSD-3-Clause
// The dispatch from a kind of optimizer to the kernels of the GPU.
#include "kernels/optimizer/optimizer.hpp"
#include "kernels/optimizer/optimizer_dispatch.hpp"

namespace shardstone {

template <class Real>
void update_range(CudaQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                  const ParameterRange<Real, Cuda>& range) {
    detail::update_range(queue, settings, step, range);
}

template <class Real>
void prepare_update(CudaQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                    const ParameterRange<Real, Cuda>& range) {
    detail::prepare_update(queue, settings, step, range);
}

template <class Real>
void add_squares(CudaQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                 const ParameterRange<Real, Cuda>& range, TensorSquares& squares) {
    detail::add_squares(queue, settings, step, range, squares);
}

#define SHARDSTONE_INSTANTIATE(Real)                                                        \
    template void update_range(CudaQueue, const OptimizerSettings&, const OptimizerStep&,   \
                               const ParameterRange<Real, Cuda>&);                          \
    template void prepare_update(CudaQueue, const OptimizerSettings&, const OptimizerStep&, \
                                 const ParameterRange<Real, Cuda>&);                        \
    template void add_squares(CudaQueue, const OptimizerSettings&, const OptimizerStep&,    \
                              const ParameterRange<Real, Cuda>&, TensorSquares&);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
