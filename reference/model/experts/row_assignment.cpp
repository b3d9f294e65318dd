// SPDX-License-Identifier: BSD-3-Clause
// Assigns rows to choices: within an expert's capacity for a sequence, or consecutively.
#include "reference/model/experts/row_assignment.hpp"

#include <algorithm>
#include <vector>

namespace shardstone::reference {

namespace {

std::int64_t assign_within_capacity(const ExpertPart& part, Matrix<const std::int32_t> choices,
                                    Matrix<std::int32_t> rows) {
    std::int64_t dropped = 0;
    for (std::int64_t b = 0; b < part.sequences; ++b) {
        std::vector<std::int64_t> taken(static_cast<std::size_t>(part.experts), 0);
        for (std::int64_t n = b * part.positions; n < (b + 1) * part.positions; ++n) {
            for (std::int64_t k = 0; k < choices.columns; ++k) {
                const std::int64_t expert = choices.row(n)[k];
                auto& count = taken[static_cast<std::size_t>(expert)];
                const bool has_row = count < part.slots;
                const std::int64_t row = expert * part.rows_of_expert() + b * part.slots + count;
                rows.row(n)[k] = has_row ? static_cast<std::int32_t>(row) : -1;
                count += has_row ? 1 : 0;
                dropped += has_row ? 0 : 1;
            }
        }
    }
    return dropped;
}

void assign_all(const ExpertPart& part, Matrix<const std::int32_t> choices,
                Matrix<std::int32_t> rows) {
    // For each expert first the number of its rows, then the first of them.
    std::vector<std::int32_t> next(static_cast<std::size_t>(part.experts) + 1, 0);
    const auto after = [&](std::int32_t expert) -> std::int32_t& {
        return next[static_cast<std::size_t>(expert) + 1];
    };
    for (std::int64_t n = 0; n < choices.rows; ++n) {
        for (std::int64_t k = 0; k < choices.columns; ++k) ++after(choices.row(n)[k]);
    }
    for (std::size_t e = 1; e < next.size(); ++e) next[e] += next[e - 1];
    for (std::int64_t n = 0; n < choices.rows; ++n) {
        for (std::int64_t k = 0; k < choices.columns; ++k) {
            rows.row(n)[k] = next[static_cast<std::size_t>(choices.row(n)[k])]++;
        }
    }
}

}  // namespace

template <class Real>
void count_choices(HostQueue, Matrix<const std::int32_t> choices, Real* counts,
                   std::int64_t experts) {
    std::fill_n(counts, experts, Real(0));
    for (std::int64_t n = 0; n < choices.rows; ++n) {
        for (std::int64_t k = 0; k < choices.columns; ++k) counts[choices.row(n)[k]] += Real(1);
    }
}

template <class Real>
void count_picks(HostQueue queue, const ExpertPart& part, Matrix<const std::int32_t> choices,
                 Matrix<Real> picks) {
    for (std::int64_t b = 0; b < part.sequences; ++b) {
        count_choices(queue, choices.rows_from(b * part.positions, part.positions), picks.row(b),
                      part.experts);
    }
}

void assign_rows(HostQueue, const ExpertPart& part, Matrix<const std::int32_t> choices,
                 Matrix<std::int32_t> rows, double* dropped) {
    if (part.has_capacity()) {
        *dropped += static_cast<double>(assign_within_capacity(part, choices, rows));
    } else {
        assign_all(part, choices, rows);
    }
}

#define SHARDSTONE_INSTANTIATE(Real)                                                         \
    template void count_choices(HostQueue, Matrix<const std::int32_t>, Real*, std::int64_t); \
    template void count_picks(HostQueue, const ExpertPart&, Matrix<const std::int32_t>,      \
                              Matrix<Real>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone::reference
