// SPDX-License-Identifier: BSD-3-Clause
// The squares of LAMB's direction on the GPU; its updates are with those of the others.
#include "kernels/optimizer/rules.hpp"
#include "kernels/optimizer/squares_cuda.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class Real>
struct Directions {
    static constexpr int at_once = 2;
    LambDirection<Real> direction;
    const Real *weights, *first, *second;

    template <int count>
    __device__ Pack<Real, count> at(std::int64_t place) const {
        auto u = load_pack<Real, count>(weights + place);
        const auto m = load_pack<Real, count>(first + place);
        const auto v = load_pack<Real, count>(second + place);
#pragma unroll
        for (int i = 0; i < count; ++i) {
            u.element[i] = direction(Unfused<Real>(u.element[i]), Unfused<Real>(m.element[i]),
                                     Unfused<Real>(v.element[i]))
                               .value;
        }
        return u;
    }
};

}  // namespace

template <class Real>
void lamb_squares(CudaQueue queue, const LambSettings& settings, std::int64_t step,
                  const ParameterRange<Real, Cuda>& range, SquareSum::Limbs& sum) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step >= 1);
    const Directions<Real> numbers{{settings, step},
                                   range.weights.data(),
                                   range.first_moments.data(),
                                   range.second_moments.data()};
    const auto packs = Packs<Real>::of(static_cast<std::int64_t>(range.weights.size()),
                                       numbers.weights, numbers.first, numbers.second);
    add_squares_of(queue.stream(), packs, numbers, sum);
}

template void lamb_squares(CudaQueue, const LambSettings&, std::int64_t,
                           const ParameterRange<float, Cuda>&, SquareSum::Limbs&);
template void lamb_squares(CudaQueue, const LambSettings&, std::int64_t,
                           const ParameterRange<double, Cuda>&, SquareSum::Limbs&);

}  // namespace shardstone
