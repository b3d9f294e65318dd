// SPDX-License-Identifier: BSD-3-Clause
// The numbers that each column of samples of a validation of the interconnect can hold.
#include "validation/interconnect/possible_samples.hpp"

#include <initializer_list>
#include <utility>

namespace shardstone::validation {

namespace {

using results::above_zero;
using results::counts;
using results::finite;
using results::indices;
using results::PossibleNumbers;

constexpr double flag_end = 2.0;
/// What the program counts as `int` and `std::int64_t`.
constexpr double int_end = 0x1p31, size_end = 0x1p63;

class Columns {
  public:
    void all_of(const char* table, std::initializer_list<const char*> columns,
                PossibleNumbers (*possible)(std::string, std::string)) {
        for (const char* column : columns) add(possible(table, column));
    }
    void below(double end, const char* table, std::initializer_list<const char*> columns) {
        for (const char* column : columns) add(indices(table, column, end));
    }
    void add(PossibleNumbers one) { all_.push_back(std::move(one)); }
    std::vector<PossibleNumbers> take() { return std::move(all_); }

  private:
    std::vector<PossibleNumbers> all_;
};

PossibleNumbers size_of(const char* table) {
    PossibleNumbers one = indices(table, "size_bytes", size_end);
    one.least = 1.0;
    return one;
}

/// -1 where there is none, or it is not known.
PossibleNumbers index_if_any(const char* table, const char* column, double end) {
    PossibleNumbers one = indices(table, column, end);
    one.least = -1.0;
    return one;
}

PossibleNumbers from_zero(const char* table, const char* column) {
    PossibleNumbers one = finite(table, column);
    one.least = 0.0;
    return one;
}

void add_places(double ranks, Columns& columns) {
    columns.below(ranks, "rank_places", {"rank", "node", "machine"});
    columns.below(int_end, "rank_places", {"rail", "nics"});
    columns.below(ranks + 1.0, "rank_places", {"sharers"});
    columns.add(index_if_any("rank_places", "leaf", int_end));
}

void add_tests(double ranks, Columns& columns) {
    columns.below(ranks, "pair_samples", {"sender", "receiver"});
    columns.below(flag_end, "pair_samples", {"alone"});
    columns.below(int_end, "pair_samples", {"pass", "round"});
    columns.add(size_of("pair_samples"));
    columns.all_of("pair_samples", {"time_s"}, above_zero);
    columns.below(ranks, "rank_samples", {"rank"});
    columns.below(ranks, "gpu_readings", {"rank"});
    columns.below(int_end, "rank_samples", {"turn"});
    columns.all_of("rank_samples", {"time_s"}, above_zero);
    columns.below(ranks, "wrong_data", {"sender", "receiver"});
    columns.all_of("wrong_data", {"elements", "unix_s"}, above_zero);
}

void add_loads_and_clocks(double ranks, Columns& columns) {
    columns.below(ranks, "congestion_samples", {"sender", "receiver"});
    columns.below(int_end, "congestion_samples", {"pass"});
    columns.add(size_of("congestion_samples"));
    columns.all_of("congestion_samples", {"time_s"}, above_zero);
    columns.below(ranks, "clock_samples", {"rank"});
    columns.below(flag_end, "clock_samples", {"round"});
    columns.all_of("clock_samples", {"at_unix_s"}, above_zero);
    columns.all_of("clock_samples", {"ahead_s"}, finite);
    columns.add(from_zero("clock_samples", "error_s"));
    columns.all_of("traffic_samples", {"time_s", "predicted_s", "uncertainty"}, above_zero);
    columns.below(flag_end, "traffic_samples", {"judged"});
}

void add_soak(double ranks, Columns& columns) {
    columns.below(ranks, "soak_windows", {"sender", "receiver"});
    columns.all_of("soak_windows", {"window", "first_pass", "slow"}, counts);
    columns.add(size_of("soak_windows"));
    columns.all_of("soak_windows",
                   {"passes", "begin_unix_s", "end_unix_s", "mean_s", "shortest_s", "longest_s"},
                   above_zero);
    columns.below(ranks, "slow_messages", {"sender", "receiver"});
    columns.below(int_end, "slow_messages", {"round"});
    columns.all_of("slow_messages", {"pass"}, counts);
    columns.add(size_of("slow_messages"));
    columns.all_of("slow_messages", {"unix_s", "time_s"}, above_zero);
    columns.below(ranks, "standstills", {"rank"});
    columns.all_of("standstills", {"pass"}, counts);
    columns.all_of("standstills", {"begin_unix_s", "end_unix_s", "still_s"}, above_zero);
    columns.below(ranks, "long_waits", {"rank"});
    columns.add(index_if_any("long_waits", "awaited", ranks));
    columns.add(index_if_any("long_waits", "round", int_end));
    columns.all_of("long_waits", {"stage", "step", "pass", "size_bytes"}, counts);
    columns.all_of("long_waits", {"begin_unix_s", "end_unix_s"}, above_zero);
}

}  // namespace

std::vector<PossibleNumbers> possible_interconnect_numbers(double ranks) {
    Columns columns;
    add_places(ranks, columns);
    add_tests(ranks, columns);
    add_loads_and_clocks(ranks, columns);
    add_soak(ranks, columns);
    return columns.take();
}

std::vector<PossibleNumbers> possible_trial_numbers() {
    constexpr const char* table = "simulated_trials";
    Columns columns;
    columns.all_of(table, {"rate"}, above_zero);
    columns.all_of(table, {"repetitions", "trials", "faults", "further_tests"}, counts);
    for (const auto& [part, all] : {std::pair("detected", "faults"),
                                    {"localised", "faults"},
                                    {"all_right", "trials"},
                                    {"false_alarms", "trials"}}) {
        PossibleNumbers one = counts(table, part);
        one.part_of = all;
        columns.add(one);
    }
    return columns.take();
}

}  // namespace shardstone::validation
