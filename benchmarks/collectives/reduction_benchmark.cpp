// SPDX-License-Identifier: BSD-3-Clause
// The local reduction of every element type, among the kernels: how near each comes to the rate at
// which the core moves the same bytes.
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "collectives/reduction/reduction.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Reduction;

std::string name_of(ElementType type) {
    return fmt::format("reduce, {}", to_string(type));
}

/// Elements between -2 and 2 (integers: between -1000 and 1000), the same again after some
/// thousand.
template <class T>
std::vector<T> elements(const char* name, std::int64_t count) {
    constexpr double most = element_traits<T>::is_integer ? 1000.0 : 2.0;
    constexpr std::size_t period = 4099;
    const RandomStream random(2024, name);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i >= period) {
            values[i] = values[i - period];
        } else {
            const double value = most * (2.0 * random.uniform(i) - 1.0);
            values[i] = T(static_cast<arithmetic_of<T>>(value));
        }
    }
    return values;
}

/// The sums grow from call to call, into infinity or a limit; that takes as long as any other.
template <class T>
Workload prepare(std::int64_t size_bytes) {
    const auto count = size_bytes / static_cast<std::int64_t>(sizeof(T));
    const auto mine = std::make_shared<std::vector<T>>(elements<T>("mine", count));
    const auto theirs = std::make_shared<std::vector<T>>(elements<T>("theirs", count));
    const auto reduce = reduce_function(element_traits<T>::type, Reduction::sum);
    return {plain(static_cast<double>(count)), 3.0 * static_cast<double>(size_bytes),
            [=] { reduce(mine->data(), theirs->data(), count); }};
}

template <class T>
results::Check verify() {
    using Wide = arithmetic_of<T>;
    constexpr std::int64_t count = 1003;
    auto mine = elements<T>("mine", count);
    const auto theirs = elements<T>("theirs", count);
    std::vector<T> want;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        want.emplace_back(static_cast<Wide>(mine[i]) + static_cast<Wide>(theirs[i]));
    }
    reduce_function(element_traits<T>::type, Reduction::sum)(mine.data(), theirs.data(), count);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        wrong += static_cast<Wide>(mine[i]) != static_cast<Wide>(want[i]);
    }
    return {name_of(element_traits<T>::type) + ": equal to one element at a time", wrong == 0,
            fmt::format("{} of {} elements wrong", wrong, count)};
}

template <class T>
KernelBenchmark benchmark_of() {
    return {name_of(element_traits<T>::type), "bytes", {65536, 33554432}, prepare<T>, verify<T>};
}

const KernelRegistration registrations[]{
    KernelRegistration(benchmark_of<float>()),
    KernelRegistration(benchmark_of<double>()),
    KernelRegistration(benchmark_of<bf16>()),
    KernelRegistration(benchmark_of<fp16>()),
    KernelRegistration(benchmark_of<fp8_e4m3>()),
    KernelRegistration(benchmark_of<fp8_e5m2>()),
    KernelRegistration(benchmark_of<std::int32_t>()),
    KernelRegistration(benchmark_of<std::int64_t>()),
};

}  // namespace

}  // namespace shardstone::benchmarks
