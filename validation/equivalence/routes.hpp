// SPDX-License-Identifier: BSD-3-Clause
// The experts that the positions of a training step went to, and which choices were close.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/gpt_part.hpp"

namespace shardstone::validation {

/// Of a micro-batch's N positions in one layer, each of which chooses K of E experts.
struct RoutedPositions {
    std::int64_t experts = 0;           ///< E
    std::int64_t top_k = 0;             ///< K
    std::vector<double> probabilities;  ///< (N, E)
    std::vector<std::int32_t> choices;  ///< (N, K)

    std::int64_t count() const { return std::ssize(choices) / top_k; }
};
template <class Real>
RoutedPositions routed_positions(const reference::Routing<Real>& routing);

/// By micro-batch and layer.
using Routes = std::vector<std::vector<RoutedPositions>>;

/// Sends a position to an expert, instead of to the last of those that it chose.
struct Turn {
    std::int64_t micro_batch = 0;
    std::int64_t layer = 0;
    std::int64_t position = 0;
    std::int32_t expert = 0;

    bool operator==(const Turn&) const = default;
};

/// Does nothing if it goes there already. The turn's position, expert; K < E.
void turn_to(RoutedPositions& positions, const Turn& turn);

/// How much the logarithm of the probability of a position's last choice is above that of the
/// likeliest expert it left out; K < E.
double lead_of_choice(const RoutedPositions& positions, std::int64_t position);

/// The turns to the likeliest expert left out where it is behind by `tolerance`, which is given for
/// each layer, or less; none where K is E, or where those two are NaN.
std::vector<Turn> turns_within(const Routes& routes, const std::vector<double>& tolerance);

/// Whether, where these have been made, no choice is behind by more than that.
bool are_within(const Routes& routes, const std::vector<Turn>& turns,
                const std::vector<double>& tolerance);

/// By layer: the root mean square of the differences between the logarithms of probabilities.
std::vector<double> rms_of_differences(const Routes& a, const Routes& b);

}  // namespace shardstone::validation
