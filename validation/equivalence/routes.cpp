// SPDX-License-Identifier: BSD-3-Clause
// Finds which expert a position nearly chose in place of its last one, and how nearly.
#include "validation/equivalence/routes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace {

double probability(const RoutedPositions& positions, std::int64_t position, std::int32_t expert) {
    return positions.probabilities[static_cast<std::size_t>(position * positions.experts + expert)];
}

std::span<const std::int32_t> choices_of(const RoutedPositions& positions, std::int64_t position) {
    return std::span(positions.choices)
        .subspan(static_cast<std::size_t>(position * positions.top_k),
                 static_cast<std::size_t>(positions.top_k));
}

bool goes_to(const RoutedPositions& positions, std::int64_t position, std::int32_t expert) {
    const auto chosen = choices_of(positions, position);
    return std::ranges::find(chosen, expert) != chosen.end();
}

/// Of equally likely ones the first, as the router's rule is.
std::int32_t likeliest_left_out(const RoutedPositions& positions, std::int64_t position) {
    SHARDSTONE_EXPECTS(positions.top_k < positions.experts);
    std::int32_t best = -1;
    for (std::int32_t e = 0; e < positions.experts; ++e) {
        if (goes_to(positions, position, e)) continue;
        if (best < 0 ||
            probability(positions, position, e) > probability(positions, position, best)) {
            best = e;
        }
    }
    return best;
}

}  // namespace

template <class Real>
RoutedPositions routed_positions(const reference::Routing<Real>& routing) {
    RoutedPositions positions{routing.probabilities.columns, routing.choices.columns, {}, {}};
    for (std::int64_t n = 0; n < routing.choices.rows; ++n) {
        const Real* const p = routing.probabilities.row(n);
        positions.probabilities.insert(positions.probabilities.end(), p, p + positions.experts);
        const std::int32_t* const chosen = routing.choices.row(n);
        positions.choices.insert(positions.choices.end(), chosen, chosen + positions.top_k);
    }
    return positions;
}

void turn_to(RoutedPositions& positions, const Turn& turn) {
    if (goes_to(positions, turn.position, turn.expert)) return;
    positions.choices[static_cast<std::size_t>((turn.position + 1) * positions.top_k - 1)] =
        turn.expert;
}

double lead_of_choice(const RoutedPositions& positions, std::int64_t position) {
    const std::int32_t last = choices_of(positions, position).back();
    const std::int32_t next = likeliest_left_out(positions, position);
    return std::log(probability(positions, position, last)) -
           std::log(probability(positions, position, next));
}

std::vector<Turn> turns_within(const Routes& routes, const std::vector<double>& tolerance) {
    std::vector<Turn> turns;
    for (std::size_t m = 0; m < routes.size(); ++m) {
        for (std::size_t layer = 0; layer < routes[m].size(); ++layer) {
            const RoutedPositions& positions = routes[m][layer];
            if (positions.top_k == positions.experts) continue;
            for (std::int64_t n = 0; n < positions.count(); ++n) {
                if (!(lead_of_choice(positions, n) <= tolerance[layer])) continue;
                turns.push_back({static_cast<std::int64_t>(m), static_cast<std::int64_t>(layer), n,
                                 likeliest_left_out(positions, n)});
            }
        }
    }
    return turns;
}

bool are_within(const Routes& routes, const std::vector<Turn>& turns,
                const std::vector<double>& tolerance) {
    return std::ranges::all_of(turns, [&](const Turn& turn) {
        const auto layer = static_cast<std::size_t>(turn.layer);
        const auto& positions = routes[static_cast<std::size_t>(turn.micro_batch)][layer];
        return lead_of_choice(positions, turn.position) >= -tolerance[layer];
    });
}

std::vector<double> rms_of_differences(const Routes& a, const Routes& b) {
    std::vector<double> rms;
    for (std::size_t layer = 0; layer < a.front().size(); ++layer) {
        double squares = 0.0, count = 0.0;
        for (std::size_t m = 0; m < a.size(); ++m) {
            const auto& p = a[m][layer].probabilities;
            const auto& q = b[m][layer].probabilities;
            for (std::size_t i = 0; i < p.size(); ++i) {
                const double difference = std::log(p[i]) - std::log(q[i]);
                squares += difference * difference;
            }
            count += static_cast<double>(p.size());
        }
        rms.push_back(std::sqrt(squares / count));
    }
    return rms;
}

template RoutedPositions routed_positions(const reference::Routing<float>&);
template RoutedPositions routed_positions(const reference::Routing<double>&);

}  // namespace shardstone::validation
