// SPDX-License-Identifier: BSD-3-Clause
// Tensors for the benchmarks of the GPU's kernels: random numbers, in enough copies to miss the
// caches.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "benchmarks/kernels/device/device_kernel.hpp"
#include "kernels/base/element_type.hpp"
#include "kernels/base/random.hpp"
#include "kernels/tensor/arrays.hpp"

namespace shardstone::benchmarks {

namespace {

template <class T>
std::vector<T> drawn(std::uint64_t count) {
    constexpr std::uint64_t vocabulary = 50257;
    const RandomStream stream(1, "device tensors");
    std::vector<T> values;
    for (std::uint64_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<T>) {
            values.push_back(static_cast<T>(stream.below(vocabulary, i)));
        } else {
            values.push_back(T(static_cast<compute_t<T>>(stream.normal(i))));
        }
    }
    return values;
}

}  // namespace

template <class T>
std::shared_ptr<Buffer<T, Cuda>> device_tensor(std::int64_t count) {
    static const std::vector<T> values = drawn<T>(1 << 18);
    const CudaQueue queue;
    auto buffer = std::make_shared<Buffer<T, Cuda>>(count);
    for (std::int64_t first = 0; first < count; first += std::ssize(values)) {
        write_array(queue, values.data(), buffer->data() + first,
                    std::min<std::int64_t>(std::ssize(values), count - first));
    }
    return buffer;
}

std::function<void()> rotating(double set_bytes,
                               const std::function<std::function<void()>()>& make) {
    constexpr double cache_bytes = 400e6;  // several times any GPU's second level so far
    constexpr double most_sets = 32.0;
    const double sets = std::clamp(std::ceil(cache_bytes / set_bytes), 1.0, most_sets);
    std::vector<std::function<void()>> calls;
    while (static_cast<double>(calls.size()) < sets) calls.push_back(make());
    return [calls = std::move(calls), next = std::size_t{0}]() mutable {
        calls[next++ % calls.size()]();
    };
}

template std::shared_ptr<Buffer<float, Cuda>> device_tensor(std::int64_t);
template std::shared_ptr<Buffer<bf16, Cuda>> device_tensor(std::int64_t);
template std::shared_ptr<Buffer<std::int32_t, Cuda>> device_tensor(std::int64_t);
template std::shared_ptr<Buffer<std::uint16_t, Cuda>> device_tensor(std::int64_t);

}  // namespace shardstone::benchmarks
