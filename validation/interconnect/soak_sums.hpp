// SPDX-License-Identifier: BSD-3-Clause
// What a soak keeps of its passes, in bounded memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "benchmarks/interconnect/link_pass.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/usual_times.hpp"

namespace shardstone::validation {

/// Bounds of memory on rank 0 (the other ranks hold a pass at most): rows of 96, 56, 48, 80 and
/// (with texts) about 160 bytes, together below 165 MiB, whatever the length of a soak. The vectors
/// that hold them may have room for as much again, and so have the tables of the record at the end.
inline constexpr std::size_t most_window_rows = 1 << 20, most_slow_rows = 1 << 20,
                             most_standstill_rows = 1 << 14, most_wait_rows = 1 << 16,
                             most_wrong_rows = 1 << 14;

/// Seconds of a window: a 480th of the soak, but a second at least, and at most a minute, so that a
/// kill loses little; longer only if all windows of a row for each test together were more than
/// `most_window_rows`. A window ends with a pass: it lasts longer by what is left of that, and as
/// long as a pass where passes are longer.
double soak_window_s(double soak_s, std::size_t tests);

/// Sums up passes by window, and keeps slow messages one by one. For rank 0. Local.
class SoakSums {
  public:
    /// `before`: what the run and, if it goes on, those before it measured; only read here.
    SoakSums(const InterconnectSamples& before, double window_s);

    /// The next pass, and when it began and ended. Returns its slow messages and wrong data, and
    /// the rows of the window if that ends with it. Beyond the bounds slow messages are only
    /// counted, in windows; wrong data no more than on the screen.
    InterconnectSamples add(const benchmarks::LinkPass& pass, const benchmarks::LinkPasses& clock,
                            double begin_unix_s, double end_unix_s);
    /// The rows of the window under way; none if it has no passes.
    std::vector<results::SoakWindowRow> end_window();

    /// Of the next pass.
    std::int64_t pass() const noexcept { return pass_; }
    std::size_t slow() const noexcept { return slow_; }
    std::size_t wrong() const noexcept { return wrong_; }

  private:
    using Test = std::tuple<int, int, std::int64_t>;

    bool is_kept(const benchmarks::LinkSample& sample) const;
    results::SoakWindowRow& row_of(const Test& test);

    UsualTimes usual_;
    std::vector<results::RankPlaceRow> places_;
    double window_s_;
    std::int64_t pass_ = 0, window_ = 0, passes_of_window_ = 0;
    std::size_t slow_ = 0, wrong_ = 0;
    double begin_unix_s_ = 0.0, end_unix_s_ = 0.0;  ///< of the window under way
    std::map<Test, results::SoakWindowRow> rows_;   ///< of it, with sums in place of means
};

/// Seconds of all windows.
double soaked_s(const InterconnectSamples& samples);

}  // namespace shardstone::validation
