// SPDX-License-Identifier: BSD-3-Clause
// The registry to which every kernel benchmark adds itself, and the search in it by name.
#include "benchmarks/kernels/kernel_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kernels/base/error.hpp"

namespace shardstone::benchmarks {

namespace {

std::vector<KernelBenchmark>& registry() {
    static std::vector<KernelBenchmark> all;
    return all;
}

}  // namespace

KernelRegistration::KernelRegistration(KernelBenchmark benchmark) {
    auto& all = registry();
    const auto place = std::ranges::upper_bound(all, benchmark.name, {}, &KernelBenchmark::name);
    all.insert(place, std::move(benchmark));
}

const std::vector<KernelBenchmark>& kernel_benchmarks() {
    return registry();
}

std::vector<KernelBenchmark> kernels_matching(const std::string& filter) {
    std::vector<KernelBenchmark> chosen;
    std::string names;
    const auto same_letter = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    for (const auto& kernel : registry()) {
        if (!std::ranges::search(kernel.name, filter, same_letter).empty() || filter.empty()) {
            chosen.push_back(kernel);
        }
        names += (names.empty() ? "" : "; ") + kernel.name;
    }
    require(!chosen.empty(), [&] {
        return fmt::format("no kernel's name contains '{}': choose from {}", filter, names);
    });
    return chosen;
}

}  // namespace shardstone::benchmarks
