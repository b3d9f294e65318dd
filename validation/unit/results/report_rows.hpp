// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/report/section.hpp"
#include "results/report/source.hpp"

namespace shardstone::validation {

// Records for tests of the report, written through the row types that the commands write, so that
// a column that is renamed there is renamed here. Values differ in every column, so that only the
// right one gives the right text.

/// Where a record is from: `host` with 2 cores, `ranks` ranks.
results::Record written_record(const std::string& kind, const std::string& host, int ranks);

/// All-gathers on 3 ranks with UCX_TLS=posix,self: `auto` quicker than MPI at 4 B, slower at 1 MiB.
results::Record written_collectives();

/// One training run; the file's plan, precision and throughput decide what it compares with.
struct WrittenRun {
    std::string host = "left";
    std::string plan = "dp=1";
    std::string precision = "fp32";
    int ranks = 1;
    double tokens_per_s = 1000.0;
    double compute_s = 6.0;  ///< beside 3 s of communication, 0.25 s of data, 0.75 s of optimizer
    double mfu = 0.25;
    std::string split = {};
};
results::Record written_training(const WrittenRun& run);

results::Record written_kernels(double greatest_share);
results::Record written_pipeline();
results::Record written_batch_size();
results::Record written_simulation();

/// The sentences of a section's findings, without the records that they are from. None where there
/// is no section.
std::vector<std::string> sentences_of(const std::optional<results::Section>& section);

/// The numbers, or texts, of one column of a derived table, to change them. Throw when there is
/// none.
std::vector<double>& numbers_of(results::Record& record, const std::string& table,
                                const std::string& column);
std::vector<std::string>& texts_of(results::Record& record, const std::string& table,
                                   const std::string& column);

/// As if read from files a.h5, b.h5, ...
std::vector<results::Source> as_sources(const std::vector<results::Record>& records);

}  // namespace shardstone::validation
