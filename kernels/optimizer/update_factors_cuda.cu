// SPDX-License-Identifier: BSD-3-Clause
// From sums of squares to the factors of updates on the GPU, bit by bit as on the host.
#include "kernels/base/device/grid.hpp"
#include "kernels/base/device/unfused.hpp"
#include "kernels/base/error.hpp"
#include "kernels/optimizer/optimizer_dispatch.hpp"
#include "kernels/optimizer/square_limbs.hpp"
#include "kernels/optimizer/update_factors.hpp"

namespace shardstone {

namespace {

using namespace device;

__device__ double root_of(const SquareSum::Limbs& squares) {
    return sqrt(square_limbs::value_of(square_limbs::carried(squares)));
}

__global__ void find(const SquareSum::Limbs* squares, GradientLimits limits,
                     UpdateFactors* factors) {
    *factors = factors_of(root_of(*squares), limits);
}

__global__ void find_ratios(OptimizerSettings settings, OptimizerStep step,
                            const TensorSquares* squares, double* ratios, std::int64_t count) {
    for_each_of_grid(count, [=](std::int64_t i) {
        ratios[i] = shardstone::detail::trust_ratio<Unfused<double>>(
            settings, step, root_of(squares[i].weights), root_of(squares[i].updates));
    });
}

}  // namespace

void find_factors(CudaQueue queue, const SquareSum::Limbs& squares, const GradientLimits& limits,
                  UpdateFactors& factors) {
    launch(find, {dim3(1), dim3(1)}, queue.stream(), &squares, limits, &factors);
}

void trust_ratios(CudaQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                  Cuda::Span<const TensorSquares> squares, Cuda::Span<double> ratios) {
    SHARDSTONE_EXPECTS(traits_of(settings.kind).adapts && squares.size() == ratios.size());
    const auto count = static_cast<std::int64_t>(squares.size());
    launch(find_ratios, elementwise(count), queue.stream(), settings, step, squares.data(),
           ratios.data(), count);
}

}  // namespace shardstone
