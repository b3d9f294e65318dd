// SPDX-License-Identifier: BSD-3-Clause
// The GPU's rates of products and copies, timed by events on its own clock.
#include <algorithm>
#include <limits>

#include "kernels/base/clock.hpp"
#include "kernels/base/convert.hpp"
#include "kernels/base/random.hpp"
#include "kernels/base/timed_event_cuda.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "kernels/roofline/square_product.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone {

namespace {

/// Not zeros, whose products take less power and run faster than those of a training.
template <class S>
void fill_randomly(CudaQueue queue, Buffer<S, Cuda>& to, const char* name) {
    constexpr std::int64_t drawn = 1 << 16;
    const RandomStream stream(1, name);
    std::vector<S> values;
    for (std::int64_t i = 0; i < drawn; ++i) {
        values.push_back(
            S(static_cast<compute_t<S>>(stream.normal(static_cast<std::uint64_t>(i)))));
    }
    for (std::int64_t first = 0; first < to.size(); first += drawn) {
        write_array(queue, values.data(), to.data() + first, std::min(drawn, to.size() - first));
    }
}

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
    return least_s;
}

}  // namespace

std::vector<double> device_times_s(CudaQueue queue, const std::function<void()>& enqueue,
                                   int samples, int repetitions) {
    std::vector<TimedEvent> marks(static_cast<std::size_t>(samples) + 1);
    marks.front().record(queue.stream());
    for (int sample = 0; sample < samples; ++sample) {
        for (int i = 0; i < repetitions; ++i) enqueue();
        marks[static_cast<std::size_t>(sample) + 1].record(queue.stream());
    }
    queue.wait();
    std::vector<double> times_s;
    for (std::size_t i = 1; i < marks.size(); ++i) {
        times_s.push_back(marks[i].since_s(marks[i - 1]) / repetitions);
    }
    return times_s;
}

template <class S>
SquareProduct<S>::SquareProduct(std::int64_t n) : n_(n), a_(n * n), b_(n * n), c_(n * n), unit_(1) {
    fill_randomly(queue_, a_, "a");
    fill_randomly(queue_, b_, "b");
    fill_array(queue_, unit_.data(), 1, 1.0F);
    times_s(1);
}

template <class S>
std::vector<double> SquareProduct<S>::times_s(int products) {
    return device_times_s(
        queue_, [this] { multiply(); }, products, 1);
}

template <class S>
void SquareProduct<S>::multiply() {
    if constexpr (is_fp8) {
        fp8_gemm<S>(queue_, {square(a_), unit_.data()}, {square(b_), unit_.data()}, 0, square(c_));
    } else {
        gemm<S>(queue_, 1, square(a_), transpose(square(b_)), 0, square(c_));
    }
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
    const auto times_s = SquareProduct<S>(n).times_s(10);
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

template class SquareProduct<bf16>;
template std::int64_t rows_to_time<bf16>(std::int64_t);
template double measured_device_product_flop_s<float>(std::int64_t);
template double measured_device_product_flop_s<bf16>(std::int64_t);
template double measured_device_product_flop_s<fp16>(std::int64_t);
template double measured_device_product_flop_s<fp8_e4m3>(std::int64_t);

}  // namespace shardstone
