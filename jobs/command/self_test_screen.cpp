// SPDX-License-Identifier: BSD-3-Clause
// Lines of the self-test on the screen.
#include "jobs/command/self_test_screen.hpp"

#include <fmt/format.h>

#include "kernels/base/units.hpp"
#include "results/report/self_test_words.hpp"
#include "results/report/words.hpp"

namespace shardstone::command {

using namespace validation;

namespace {

std::string share_in_words(double share, double low, double high) {
    if (!(share >= 0.0)) return "-";
    return fmt::format("{} ({} to {})", results::percent_text(share), results::percent_text(low),
                       results::percent_text(high));
}

}  // namespace

void print_detection(const results::DetectionRow& row, const char* note) {
    fmt::print("{:<10} {:>6} {:>9.0f}   {:<26} {:<26} {}{}\n", row.fault,
               results::percent_text(row.rate), row.repetitions,
               share_in_words(row.detected, row.detected_low, row.detected_high),
               share_in_words(row.localised, row.localised_low, row.localised_high),
               share_in_words(row.false_alarms, row.false_alarms_low, row.false_alarms_high), note);
}

void print_self_test_head(const SelfTestOptions& options) {
    const auto& [nodes, rails, nodes_per_leaf, uplinks] = options.shape;
    const SimulatedNoise& noise = options.noise;
    fmt::print(
        "SIMULATED: {} with {} each, {} to a leaf, {} up from each; noise {} between pairs, {} "
        "between messages, {} delayed\n"
        "fault        rate  messages   detected                   named                      false "
        "alarms\n",
        counted(nodes, "node"), counted(rails, "NIC"), nodes_per_leaf, counted(uplinks, "port"),
        results::percent_text(noise.pair_deviation),
        results::percent_text(noise.repetition_deviation),
        results::percent_text(noise.delay_share));
}

void print_conclusion(const std::vector<results::DetectionRow>& shares, int noise_passes) {
    fmt::print("\nWith this noise (simulated):\n");
    for (const std::string& line : results::detection_in_words(shares)) {
        fmt::print("  {}\n", line);
    }
    fmt::print(
        "  a run of validate interconnect takes {} to {} messages per test, more where a limit is "
        "undecided{}\n",
        least_passes, usual_passes,
        noise_passes > 0 ? fmt::format("; that of --noise took {}", noise_passes) : "");
}

}  // namespace shardstone::command
