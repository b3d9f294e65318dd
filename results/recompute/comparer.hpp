// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "results/recompute/recompute.hpp"

namespace shardstone::results {

/// Holds the figures of one row of a derived table against what the samples give.
class RowComparer {
  public:
    RowComparer(const Record& record, Recomputed& found, std::string table, std::size_t row,
                std::string row_name)
        : record_(record),
          found_(found),
          table_(std::move(table)),
          row_(row),
          row_name_(std::move(row_name)) {}

    /// Equal up to rounding: the order of a product's factors may have been another. What is not a
    /// number equals nothing but itself; only a column that the record, of an older version, does
    /// not have is not compared.
    void number(const char* column, double recorded, double recomputed);
    /// The ends of the interval for the median; not numbers where the samples support none.
    void interval(const char* low_column, double low, const char* high_column, double high,
                  std::span<const double> samples);

    /// Texts are equal or not.
    void text(const char* column, const std::string& recorded, const std::string& recomputed);

  private:
    bool has(const char* column) const;

    const Record& record_;
    Recomputed& found_;
    std::string table_;
    std::size_t row_;
    std::string row_name_;
};

/// Holds a whole derived table of a record against the same table derived again, row by row and
/// column by column. Different numbers of rows are one mismatch, of column "rows".
void compare_tables(const Record& record, const Table& derived_again, Recomputed& found);

// One for each family of records; each does nothing where its tables are missing.
void compare_collectives(const Record& record, Recomputed& found);
void compare_noise_floor(const Record& record, Recomputed& found);
void compare_training(const Record& record, Recomputed& found);
void compare_kernels(const Record& record, Recomputed& found);
void compare_machine(const Record& record, Recomputed& found);
void compare_arithmetic(const Record& record, Recomputed& found);
void compare_pipeline(const Record& record, Recomputed& found);
void compare_overlap(const Record& record, Recomputed& found);
void compare_ranks(const Record& record, Recomputed& found);
void compare_topology(const Record& record, Recomputed& found);

}  // namespace shardstone::results
