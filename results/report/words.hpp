// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace shardstone::results {

// Formatting of numbers in a report: three significant digits, decimal multiples for rates, "-" for
// values that were not measured.

std::string rate_text(double rate_gb_s);  ///< "8.21 GB/s", "12.3 MB/s"
std::string flop_rate_text(double rate_gflop_s);
/// The same in one significant digit, for axes: "100 MB/s", "10 us".
std::string rate_tick(double rate_gb_s);
std::string time_tick(double time_s);
std::string number_tick(double value);
std::string percent_text(double fraction);
/// A share of a maximum: "54.7 %". One above 1 is impossible, and is marked as an error of the
/// measurement or of ours, "error: 131 % of what is possible".
std::string share_text(double fraction);
/// Factor between two values, whichever is greater: max(r, 1 / r) for their ratio r > 0.
double factor_apart(double ratio);
std::string time_text(double time_s);
std::string size_text(double size_bytes);
std::string count_text(double count);               ///< "12 345", "1 rank" is the caller's business
std::string digits_text(double value, int digits);  ///< this many significant digits
std::string tokens_rate_text(double tokens_per_s);

/// "1 rank", "8 ranks"; `several` if the plural is irregular.
std::string plural(double count, const std::string& noun, const std::string& several = "");

/// "1.23 ms (95 % interval 1.20 to 1.31 ms)"; without the parenthesis if there is no interval.
std::string time_with_interval(double time_s, double low_s, double high_s);

/// "1.20 ms to 1.31 ms", "too few samples" if there is no interval.
std::string interval_text(double low_s, double high_s);

/// "12 345 to 13 000" for `text` count_text, "-" if an end is not a number.
std::string range_text(double low, double high, std::string (*text)(double));

/// As range_text(), of what is above 0 and estimated from runs: "wider than a factor of 10" where
/// so few runs differ so much that the ends of their interval say nothing.
std::string estimate_range_text(double low, double high, std::string (*text)(double));

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& words);

}  // namespace shardstone::results
