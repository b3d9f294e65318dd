// SPDX-License-Identifier: BSD-3-Clause
#include "validation/unit/results/made_up_records.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernels/base/random.hpp"

namespace shardstone::validation {

namespace {

using results::Record;
using results::Table;

/// A table that is filled row by row, each cell a number or a text by the name of its column.
class Rows {
  public:
    Rows(std::string name, const std::vector<std::string>& columns) : table_{std::move(name), {}} {
        for (const auto& column : columns) table_.columns.push_back({column, {}, {}});
    }
    void add(const std::vector<std::string>& labels, const std::vector<double>& values) {
        std::size_t place = 0;
        for (const auto& label : labels) table_.columns[place++].texts.push_back(label);
        for (const double value : values) table_.columns[place++].numbers.push_back(value);
    }
    Table table() const { return table_; }

  private:
    Table table_;
};

Record made_up(const std::string& kind, const std::string& title, int ranks) {
    auto record = results::new_record(kind, title, {"shardstone", kind, "--made-up"});
    record.configuration = {{"ranks", ranks}};
    record.environment["ranks"] = ranks;
    record.environment["mpi"] = "MPICH (made up)";
    record.environment["machine"]["cores"] = 2;
    return record;
}

}  // namespace

Record made_up_collectives() {
    constexpr int ranks = 8;
    auto record = made_up("collectives", "All-reduce sweep, fp32", ranks);
    Rows rows("all_reduce",
              {"algorithm", "ranks", "size_bytes", "time_s", "time_low_s", "time_high_s",
               "algbw_gb_s", "busbw_gb_s", "predicted_s", "bytes_sent_per_rank", "checked"});
    struct Model {
        const char* name;
        double alpha_s, beta_s_per_byte;
    };
    const RandomStream random(3, "made-up");
    std::uint64_t draw = 0;
    for (const Model& model :
         {Model{"ring", 7e-4, 2.2e-10}, Model{"recursive_doubling", 2e-4, 8e-10},
          Model{"rabenseifner", 3e-4, 2.6e-10}, Model{"binomial_tree", 3.4e-4, 9e-10},
          Model{"double_binary_tree", 4.4e-4, 4.4e-10}, Model{"hierarchical", 5e-4, 3.1e-10},
          Model{"mpi", 3e-2, 1.1e-9}}) {
        for (double size = 4; size <= 4 << 20; size *= 8) {
            const double predicted = model.alpha_s + model.beta_s_per_byte * size;
            const double time = predicted * (1.1 + 0.3 * random.uniform(draw++));
            const double bandwidth = size / time / 1e9;
            const bool native = std::string(model.name) == "mpi";
            rows.add({model.name}, {ranks, size, time, 0.93 * time, 1.09 * time, bandwidth,
                                    bandwidth * 2 * (ranks - 1) / ranks,
                                    native ? std::numeric_limits<double>::quiet_NaN() : predicted,
                                    2 * size * (ranks - 1) / ranks, 1});
            record.verification.push_back(
                {fmt::format("{} {} B: exact sum on {} ranks", model.name, size, ranks), true,
                 "every element compared"});
        }
    }
    record.derived = {rows.table()};
    return record;
}

Record made_up_training(int ranks) {
    constexpr int steps = 60;
    auto record = made_up("train", fmt::format("tiny, dp={}", ranks), ranks);
    const double speed = 9000.0 * std::min(ranks, 2) * (1.0 - 0.012 * ranks);
    Rows trace("steps", {"step", "loss", "learning_rate", "gradient_norm", "tokens_per_s", "time_s",
                         "compute_s", "communication_s", "data_s", "optimizer_s"});
    const RandomStream random(4, "made-up");
    double loss = 0.0;
    for (int step = 1; step <= steps; ++step) {
        const auto index = static_cast<std::uint64_t>(step);
        loss = 2.1 + 3.4 * std::exp(-step / 14.0) + 0.05 * random.normal(index);
        const double rate = speed * (1.0 + 0.03 * random.normal(1000 + index));
        const double time = 2048.0 / rate;
        trace.add({}, {double(step), loss, 1e-3, 1.0 + std::exp(-step / 9.0), rate, time,
                       0.8 * time, 0.02 * ranks * time, 0.01 * time, 0.03 * time});
    }
    const double total = 2048.0 * steps / speed;
    Rows summary("summary",
                 {"model", "ranks", "tokens_per_s", "mfu", "final_loss", "validation_loss",
                  "entropy_rate", "compute_s", "communication_s", "data_s", "optimizer_s"});
    summary.add({"tiny"}, {double(ranks), speed, 0.31 - 0.004 * ranks, loss, loss + 0.07,
                           std::numeric_limits<double>::quiet_NaN(), 0.8 * total,
                           0.02 * ranks * total, 0.01 * total, 0.03 * total});
    Rows memory("memory", {"class", "measured_bytes", "formula_bytes"});
    memory.add({"weights"}, {3.4e6, 3.4e6});
    memory.add({"gradients"}, {3.4e6, 3.4e6});
    memory.add({"optimizer"}, {6.8e6, 6.8e6});
    memory.add({"activations"}, {18.4e6 / ranks, 18.2e6 / ranks});
    record.derived = {summary.table(), memory.table()};
    record.samples = {trace.table()};
    record.verification = {{"losses are finite", true, "60 steps"},
                           {"memory within 2 % of the formula", true, "4 classes"}};
    return record;
}

Record made_up_kernels() {
    auto record = made_up("kernels", "Kernels on one core", 1);
    Rows rows("kernels", {"name", "size", "time_s", "gflop_s", "gb_s", "intensity",
                          "bandwidth_gb_s", "roofline_gflop_s", "share", "of_library"});
    struct Kernel {
        const char* name;
        double size, intensity, share;
    };
    for (const Kernel& kernel :
         {Kernel{"gemm fp32", 1024, 170, 0.84}, Kernel{"gemm fp32", 256, 42, 0.7},
          Kernel{"layernorm", 786432, 0.6, 0.9}, Kernel{"gelu", 786432, 2.1, 0.55},
          Kernel{"softmax", 262144, 0.9, 0.8}, Kernel{"adamw", 1048576, 0.4, 1.1}}) {
        const double bound = std::min(200.0, kernel.intensity * 12.0);
        const double rate = bound * kernel.share;
        const double flop = kernel.size * 100.0;
        rows.add({kernel.name},
                 {kernel.size, flop / rate / 1e9, rate, rate / kernel.intensity, kernel.intensity,
                  12.0, bound, kernel.share, kernel.intensity > 10.0 ? 0.97 : std::nan("")});
    }
    record.derived = {rows.table()};
    record.verification = {{"gemm fp32: equals the plain loop", true, "64 x 64 x 64"}};
    return record;
}

Record made_up_probe() {
    auto record = made_up("probe", "Machine probe", 1);
    Rows rows("machine", {"quantity", "unit", "value", "low", "high"});
    rows.add({"peak arithmetic rate of a core, fp32", "GFLOP/s"}, {200, 198, 201});
    rows.add({"memory rate of a core, triad", "GB/s"}, {12, 11.4, 12.2});
    record.derived = {rows.table()};
    record.verification = {{"triad result is exact", true, ""}};
    return record;
}

}  // namespace shardstone::validation
