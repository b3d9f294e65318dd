// SPDX-License-Identifier: BSD-3-Clause
// Products of random numbers by the GPU's library, timed and held against themselves and FP64.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "kernels/roofline/square_product.hpp"
#include "kernels/tensor/arrays.hpp"

namespace shardstone {

namespace {

/// Not zeros, whose products take less power and run faster than those of a training.
template <class S>
void fill_randomly(CudaQueue queue, Buffer<S, Cuda>& to, const char* name) {
    // No row of a product of any size above begins where another does.
    constexpr std::int64_t drawn = (1 << 16) + 1;
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

/// A sum of products, and what it may be wrong by.
struct Bounded {
    double value = 0.0, bound = 0.0;
};

/// Of two rows of n numbers in S, as matrix units sum them: each term counts for less than two unit
/// roundoffs of FP32 (numerics/kernels/linear.cpp says why), and one that reads TF32 cuts 2^-10 off
/// each factor. The result is rounded to S.
template <class S>
Bounded product_in_fp64(const std::vector<S>& a, const std::vector<S>& b) {
    double sum = 0.0, magnitude = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double term =
            static_cast<double>(static_cast<float>(a[k])) * static_cast<float>(b[k]);
        sum += term;
        magnitude += std::abs(term);
    }
    const bool reads_tf32 = std::is_same_v<S, float> && tf32();
    const double of_terms =
        2.0 * element_traits<float>::unit_roundoff * static_cast<double>(a.size()) +
        (reads_tf32 ? 0x1.01p-9 : 0.0);
    const double bound = of_terms * magnitude;
    return {sum, bound + element_traits<S>::unit_roundoff * (std::abs(sum) + bound)};
}

}  // namespace

WrongProduct::WrongProduct(const std::string& what)
    : Error(fmt::format("GPU {} computes wrong: {}", Cuda::address(), what),
            ExitCode::check_failed) {}

template <class S>
void require_sums_of_fp64(CudaQueue queue, std::int64_t n, const S* a, const S* b, const S* c) {
    constexpr std::int64_t elements = 64;
    for (std::int64_t i = 0; i < elements; ++i) {
        // In different tiles of any algorithm.
        const std::int64_t step = i * n / elements + i;
        const std::int64_t row = step % n, column = n - 1 - row;
        const auto expected = product_in_fp64(read_array(queue, a + row * n, n),
                                              read_array(queue, b + column * n, n));
        const auto found = static_cast<double>(
            static_cast<float>(read_array(queue, c + row * n + column, 1).front()));
        if (!(std::abs(found - expected.value) <= expected.bound)) {
            throw WrongProduct(
                fmt::format("a product of {0} x {0} matrices in {1} has {2} in row "
                            "{3}, column {4}, which is {5} within {6:.2g} in FP64",
                            n, to_string(element_traits<S>::type), found, row, column,
                            expected.value, expected.bound));
        }
    }
}

template <class S>
SquareProduct<S>::SquareProduct(std::int64_t n)
    : n_(n), a_(n * n), b_(n * n), c_(n * n), first_(n * n), unit_(1), differing_(1) {
    fill_randomly(queue_, a_, "a");
    fill_randomly(queue_, b_, "b");
    fill_array(queue_, unit_.data(), 1, 1.0F);
    multiply();
    if constexpr (!is_fp8) require_sums_of_fp64<S>(queue_, n, a_.data(), b_.data(), c_.data());
    copy_array(queue_, c_.data(), first_.data(), c_.size());
}

template <class S>
std::vector<double> SquareProduct<S>::times_s(int products,
                                              const std::function<void()>& meanwhile) {
    return device_times_s(
        queue_, [this] { multiply(); }, products, 1, meanwhile);
}

template <class S>
void SquareProduct<S>::multiply() {
    if constexpr (is_fp8) {
        fp8_gemm<S>(queue_, {square(a_), unit_.data()}, {square(b_), unit_.data()}, 0, square(c_));
    } else {
        gemm<S>(queue_, 1, square(a_), transpose(square(b_)), 0, square(c_));
    }
}

template <class S>
void SquareProduct<S>::require_bits_of_first() {
    clear_array(queue_, differing_.data(), 1);
    add_differences(queue_, c_.data(), first_.data(), c_.size(), differing_.data());
    const std::int64_t differing = read_array(queue_, differing_.data(), 1).front();
    if (differing > 0) {
        throw WrongProduct(
            fmt::format("a product of {0} x {0} matrices in {1}, made again by the "
                        "same algorithm, differs in {2} of its {3} elements",
                        n_, to_string(element_traits<S>::type), differing, c_.size()));
    }
}

template void require_sums_of_fp64(CudaQueue, std::int64_t, const float*, const float*,
                                   const float*);
template void require_sums_of_fp64(CudaQueue, std::int64_t, const bf16*, const bf16*, const bf16*);
template void require_sums_of_fp64(CudaQueue, std::int64_t, const fp16*, const fp16*, const fp16*);
template class SquareProduct<float>;
template class SquareProduct<bf16>;
template class SquareProduct<fp16>;
template class SquareProduct<fp8_e4m3>;

}  // namespace shardstone
