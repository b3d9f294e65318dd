// SPDX-License-Identifier: BSD-3-Clause
// Derived figures of a record held against its samples, family by family.
#include "results/recompute/recompute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/statistics.hpp"
#include "results/recompute/comparer.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::results {

std::string in_words(const Mismatch& mismatch) {
    return fmt::format("table {}, row {} ({}), {}: {}, but its samples give {}", mismatch.table,
                       mismatch.row, mismatch.row_name, mismatch.column, mismatch.recorded,
                       mismatch.recomputed);
}

void RowComparer::number(const char* column, double recorded, double recomputed) {
    // Sums of thousands of samples in another order, and products of a few factors.
    constexpr double rounding = 1e-11;
    if (std::isnan(recorded)) return;
    ++found_.figures;
    const double most = rounding * std::max(std::abs(recorded), std::abs(recomputed));
    if (recorded == recomputed || std::abs(recorded - recomputed) <= most) return;
    found_.wrong.push_back({table_, row_, row_name_, column, recorded, recomputed});
}

void RowComparer::interval(const char* low_column, double low, const char* high_column, double high,
                           std::span<const double> samples) {
    const auto found = median_interval(samples);
    number(low_column, low, found ? found->low : not_measured);
    number(high_column, high, found ? found->high : not_measured);
}

Recomputed recompute(const Record& record) {
    require_readable(record);
    Recomputed found;
    for (const auto compare :
         {compare_collectives, compare_noise_floor, compare_training, compare_kernels,
          compare_machine, compare_arithmetic, compare_pipeline, compare_overlap, compare_ranks}) {
        compare(record, found);
    }
    return found;
}

}  // namespace shardstone::results
