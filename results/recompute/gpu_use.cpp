// SPDX-License-Identifier: BSD-3-Clause
// What GPUs used, again from their readings.
#include "results/schema/gpu_use.hpp"

#include "results/recompute/comparer.hpp"

namespace shardstone::results {

namespace {

/// Of trainings; those of a validation of the interconnect are among its findings.
void compare_gpu_use(const Record& record, Recomputed& found) {
    if (record.kind == "interconnect") return;
    auto readings = by_rank(rows_of<GpuReadingRow>(record));
    std::vector<GpuUseRow> again;
    for (const auto& row : rows_of<GpuUseRow>(record)) {
        GpuUseRow use = use_of(readings[row.rank]);
        use.rank = row.rank;
        use.model = row.model;
        use.address = row.address;
        use.not_told = row.not_told;
        for (const auto member :
             {&GpuUseRow::trainer_bytes, &GpuUseRow::scratch_bytes, &GpuUseRow::libraries_bytes,
              &GpuUseRow::before_bytes, &GpuUseRow::memory_bytes}) {
            use.*member = row.*member;
        }
        again.push_back(std::move(use));
    }
    if (!again.empty()) compare_tables(record, table_of(again), found);
}

const ComparisonRegistration gpu_use_comparison(compare_gpu_use);

}  // namespace

}  // namespace shardstone::results
