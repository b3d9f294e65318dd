// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/base/element_type.hpp"
#include "kernels/base/narrow_float.hpp"
#include "kernels/roofline/roofline.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Operations of a formula. An operation works on one element; a multiply-add is one operation of
/// two FLOP, any other arithmetic operation, like a division or a square root, one of one FLOP.
/// Each kind of arithmetic has a measured rate of its own (MachineRates).
struct Arithmetic {
    double flop = 0.0;
    double operations = 0.0;          ///< in FP32, and on integers of that width
    double multiply_adds = 0.0;       ///< number of multiply-adds among these operations
    double bf16_multiply_adds = 0.0;  ///< of BF16 factors to FP32 sums
    double fp64_operations = 0.0;

    constexpr Arithmetic operator+(const Arithmetic& other) const {
        return {flop + other.flop, operations + other.operations,
                multiply_adds + other.multiply_adds, bf16_multiply_adds + other.bf16_multiply_adds,
                fp64_operations + other.fp64_operations};
    }
    constexpr Arithmetic operator*(double times) const {
        return {flop * times, operations * times, multiply_adds * times, bf16_multiply_adds * times,
                fp64_operations * times};
    }
};
constexpr Arithmetic plain(double count) {
    return {count, count};
}
constexpr Arithmetic multiply_adds(double count) {
    return {2.0 * count, count, count};
}
/// Arithmetic of products of factors stored in S. Those in FP16 are widened, so that the products
/// are in FP32.
template <class S>
constexpr Arithmetic products_of(double count) {
    if constexpr (std::is_same_v<S, bf16>) {
        return {.flop = 2.0 * count, .bf16_multiply_adds = count};
    }
    return multiply_adds(count);
}
/// Arithmetic of an exponential accurate to two units in the last place, with the fewest operations
/// known to us (kernels/transformer/elementary.hpp): range reduction by three multiply-adds and a
/// subtraction, a polynomial of degree 6, a multiplication; and four operations without FLOP, to
/// clamp and to construct the power of two.
inline constexpr Arithmetic exponential_arithmetic{20.0, 15.0, 9.0};

/// Conversion of elements of S on reading to FP32 (unpacked and shifted) and on writing (the last
/// bit kept, half added, shifted, NaNs handled, packed): operations without FLOP; nothing if S is
/// FP32.
template <class S>
constexpr Arithmetic narrow_elements(double read, double written) {
    return is_narrow<S> ? Arithmetic{0.0, 2.0 * read + 9.0 * written} : Arithmetic{};
}

/// One kernel at one size, ready to run repeatedly; `run` owns its buffers.
struct Workload {
    Arithmetic arithmetic;  ///< per call, by the kernel's formula
    /// Unavoidable memory traffic per call: every operand read once, every result written once.
    double bytes = 0.0;
    std::function<void()> run;
    /// For a matrix product: the same products in FP32 by each available library, for comparison.
    std::vector<std::function<void()>> libraries = {};
    /// The large arrays that it streams: the memory rate for comparison is measured with as many.
    Streams streams = {};
};

/// A kernel to be measured: one file in this folder with one `const KernelRegistration`.
struct KernelBenchmark {
    std::string name;     ///< "gelu forward"
    std::string size_of;  ///< what a size counts: "rows of 768"
    std::vector<std::int64_t> sizes;
    std::function<Workload(std::int64_t size)> prepare;
    /// Runs the kernel at a small size and compares it with a plain loop in double. Empty if the
    /// FP64 oracle of `shardstone validate numerics` does it:
    std::function<results::Check()> verify;
    /// then its kernels with names beginning with this ("GELU forward"), in this storage type.
    std::string oracle = {};
    ElementType storage = ElementType::fp32;
};

/// A kernel that the FP64 oracle verifies, named after it and, unless that is FP32, its storage
/// type S.
template <class S>
KernelBenchmark kernel_in(const std::string& name, const std::string& oracle, std::string size_of,
                          std::vector<std::int64_t> sizes,
                          std::function<Workload(std::int64_t)> prepare) {
    const ElementType storage = element_traits<S>::type;
    const bool is_fp32 = storage == ElementType::fp32;
    return {is_fp32 ? name : name + ", " + std::string(to_string(storage)),
            std::move(size_of),
            std::move(sizes),
            std::move(prepare),
            {},
            oracle,
            storage};
}

class KernelRegistration {
  public:
    explicit KernelRegistration(KernelBenchmark benchmark);
};

/// All registered kernels by name.
const std::vector<KernelBenchmark>& kernel_benchmarks();

/// Kernels whose name contains `filter`, all for "". Throws Error naming the choices if there is
/// none.
std::vector<KernelBenchmark> kernels_matching(const std::string& filter);

}  // namespace shardstone::benchmarks
