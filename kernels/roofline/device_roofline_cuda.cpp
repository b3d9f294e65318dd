// SPDX-License-Identifier: BSD-3-Clause
// The GPU's rates of products and copies, timed by events on its own clock.
#include <algorithm>
#include <limits>

#include "kernels/base/clock.hpp"
#include "kernels/base/timed_event_cuda.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "kernels/roofline/square_product.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone {

namespace {

/// The best of three, so that a host which loses its core does not make the products stay small.
template <class S>
double two_products_s(std::int64_t n) {
    SquareProduct<S> product(n);
    double least_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
        const double begin_s = now_s();
        product.times_s(2);
        least_s = std::min(least_s, now_s() - begin_s);
    }
    product.require_bits_of_first();
    return least_s;
}

}  // namespace

std::vector<double> device_times_s(CudaQueue queue, const std::function<void()>& enqueue,
                                   int samples, int repetitions,
                                   const std::function<void()>& meanwhile) {
    std::vector<TimedEvent> marks(static_cast<std::size_t>(samples) + 1);
    marks.front().record(queue.stream());
    for (int sample = 0; sample < samples; ++sample) {
        for (int i = 0; i < repetitions; ++i) enqueue();
        marks[static_cast<std::size_t>(sample) + 1].record(queue.stream());
    }
    if (meanwhile) meanwhile();
    queue.wait();
    std::vector<double> times_s;
    for (std::size_t i = 1; i < marks.size(); ++i) {
        times_s.push_back(marks[i].since_s(marks[i - 1]) / repetitions);
    }
    return times_s;
}

std::int64_t rows_to_time(const std::function<double(std::int64_t)>& two_products_s,
                          std::int64_t largest) {
    constexpr double least_s = 5e-3;
    std::int64_t n = std::min<std::int64_t>(128, largest);
    while (n < largest && two_products_s(n) < least_s) n = std::min(2 * n, largest);
    return n;
}

template <class S>
std::int64_t rows_to_time(std::int64_t largest) {
    return rows_to_time(two_products_s<S>, largest);
}

template <class S>
double measured_device_product_flop_s(std::int64_t largest) {
    const std::int64_t n = rows_to_time<S>(largest);
    SquareProduct<S> product(n);
    const auto times_s = product.times_s(10);
    product.require_bits_of_first();
    const auto size = static_cast<double>(n);
    return 2.0 * size * size * size / *std::ranges::min_element(times_s);
}

double measured_device_copy_bytes_s(std::int64_t size_bytes) {
    const CudaQueue queue;
    Buffer<std::byte, Cuda> from(size_bytes), to(size_bytes);
    const auto times_s = device_times_s(
        queue, [&] { copy_array(queue, from.data(), to.data(), size_bytes); }, 10, 1);
    return 2.0 * static_cast<double>(size_bytes) / *std::ranges::min_element(times_s);
}

template std::int64_t rows_to_time<bf16>(std::int64_t);
template double measured_device_product_flop_s<float>(std::int64_t);
template double measured_device_product_flop_s<bf16>(std::int64_t);
template double measured_device_product_flop_s<fp16>(std::int64_t);
template double measured_device_product_flop_s<fp8_e4m3>(std::int64_t);

}  // namespace shardstone
