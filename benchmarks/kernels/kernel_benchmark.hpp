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

/// What a formula asks of the processor. An operation works on one element; a multiply-add is one
/// operation of two FLOP, any other arithmetic, like a division or a square root, one of one. Each
/// kind of arithmetic has a measured rate of its own (MachineRates).
struct Arithmetic {
    double flop = 0.0;
    double operations = 0.0;          ///< in FP32, and on whole numbers as wide
    double multiply_adds = 0.0;       ///< as many of these operations
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
/// Of factors stored in S. Those in FP16 are widened, so that the products are of FP32.
template <class S>
constexpr Arithmetic products_of(double count) {
    if constexpr (std::is_same_v<S, bf16>) {
        return {.flop = 2.0 * count, .bf16_multiply_adds = count};
    }
    return multiply_adds(count);
}
/// To two units in the last place with the least that we know (kernels/transformer/elementary.hpp):
/// the range reduced by three multiply-adds and a subtraction, a polynomial of degree 6, a
/// multiplication; and four operations without FLOP, to clamp and to make the power of two.
inline constexpr Arithmetic exponential_arithmetic{20.0, 15.0, 9.0};

/// Elements of S read into FP32 (unpacked and shifted) and written from it (the last bit kept, half
/// added, shifted, NaNs seen to, packed): operations without FLOP; nothing where S is FP32.
template <class S>
constexpr Arithmetic narrow_elements(double read, double written) {
    return is_narrow<S> ? Arithmetic{0.0, 2.0 * read + 9.0 * written} : Arithmetic{};
}

/// One kernel at one size, ready to run again and again; `run` owns its buffers.
struct Workload {
    Arithmetic arithmetic;  ///< per call, as the kernel's formula has it
    /// Memory traffic per call that cannot be avoided: every operand read once, every result
    /// written once.
    double bytes = 0.0;
    std::function<void()> run;
    /// Of a matrix product: the same products in FP32 by each library that is here, to measure
    /// beside.
    std::vector<std::function<void()>> libraries = {};
    /// The large arrays it goes through: what its memory rate is held against goes through as many.
    Streams streams = {};
};

/// A kernel to be measured: one file in this folder that holds one `const KernelRegistration`.
struct KernelBenchmark {
    std::string name;     ///< "gelu forward"
    std::string size_of;  ///< what a size counts: "rows of 768"
    std::vector<std::int64_t> sizes;
    std::function<Workload(std::int64_t size)> prepare;
    /// Runs the kernel at a small size and holds it against a plain loop in double. Empty where the
    /// FP64 oracle of `shardstone validate numerics` does it:
    std::function<results::Check()> verify;
    /// then its kernels whose names begin so ("GELU forward"), in this storage type.
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

/// Those whose name contains `filter`, all for "". Throws Error naming the choices when none does.
std::vector<KernelBenchmark> kernels_matching(const std::string& filter);

}  // namespace shardstone::benchmarks
