// SPDX-License-Identifier: BSD-3-Clause
// A mixture of experts' routing in FP64: choices, capacity, gates, the additions to the loss, and
// their derivative. Every expert sees every position, and what is not used has the gate 0.
#include "validation/oracle/experts.hpp"

#include <algorithm>
#include <cmath>

namespace shardstone::validation::oracle {

namespace {

/// The `count` largest of a row, one after the other; of equal ones the first.
std::vector<Size> largest_of(const double* p, Size experts, Size count) {
    std::vector<Size> found;
    std::vector<bool> taken(experts, false);
    for (Size k = 0; k < count; ++k) {
        Size best = -1;
        for (Size e = 0; e < experts; ++e) {
            if (!taken[e] && (best < 0 || p[e] > p[best])) best = e;
        }
        taken[best] = true;
        found.push_back(best);
    }
    return found;
}

std::vector<Size> choices_of(const RouterSizes& sizes, const Values& p) {
    std::vector<Size> chosen;
    for (Size r = 0; r < sizes.rows(); ++r) {
        const Size experts = sizes.experts.count;
        const auto of_position = largest_of(p.data() + r * experts, experts, sizes.experts.top_k);
        chosen.insert(chosen.end(), of_position.begin(), of_position.end());
    }
    return chosen;
}

/// An expert accepts of each sequence, position after position, until its slots are taken.
std::vector<bool> accepted_of(const RouterSizes& sizes, const std::vector<Size>& chosen,
                              Planted bug) {
    std::vector<bool> accepted(chosen.size(), true);
    if (sizes.experts.capacity == 0.0) return accepted;
    const Size slots = sizes.experts.slots(sizes.sequence), top_k = sizes.experts.top_k;
    for (Size b = 0; b < sizes.batch; ++b) {
        std::vector<Size> taken(sizes.experts.count, 0);
        for (Size i = 0; i < sizes.sequence; ++i) {
            const Size t = bug == Planted::experts_later_first ? sizes.sequence - 1 - i : i;
            for (Size k = 0; k < top_k; ++k) {
                const Size choice = (b * sizes.sequence + t) * top_k + k;
                accepted[choice] = taken[chosen[choice]] < slots;
                if (accepted[choice]) ++taken[chosen[choice]];
            }
        }
    }
    return accepted;
}

Values shares_of(const RouterSizes& sizes, const Routing& routing, Planted bug) {
    const Size of_sequence = sizes.sequence * sizes.experts.top_k;
    Values shares(sizes.batch * sizes.experts.count, 0.0);
    for (Size i = 0; i < std::ssize(routing.chosen); ++i) {
        if (bug == Planted::experts_balance_after_dropping && !routing.accepted[i]) continue;
        shares[i / of_sequence * sizes.experts.count + routing.chosen[i]] +=
            1.0 / static_cast<double>(of_sequence);
    }
    return shares;
}

Values log_sums_of(const Values& logits, Size rows) {
    const Size experts = static_cast<Size>(logits.size()) / rows;
    Values log_sums(rows);
    for (Size r = 0; r < rows; ++r) {
        const double* row = logits.data() + r * experts;
        const double highest = *std::max_element(row, row + experts);
        double sum = 0.0;
        for (Size e = 0; e < experts; ++e) sum += std::exp(row[e] - highest);
        log_sums[r] = highest + std::log(sum);
    }
    return log_sums;
}

/// What a position's p are divided by to be gates: by nothing, as it should be.
double divisor_of(const RouterSizes& sizes, const Routing& routing, Size row, Planted bug) {
    if (bug != Planted::experts_renormalised_gates) return 1.0;
    double sum = 0.0;
    for (Size k = 0; k < sizes.experts.top_k; ++k) {
        const Size expert = routing.chosen[row * sizes.experts.top_k + k];
        sum += routing.p[row * sizes.experts.count + expert];
    }
    return sum;
}

Values gates_of(const RouterSizes& sizes, const Routing& routing, Planted bug) {
    Values gates(routing.p.size(), 0.0);
    for (Size i = 0; i < std::ssize(routing.chosen); ++i) {
        if (!routing.accepted[i]) continue;
        const Size row = i / sizes.experts.top_k;
        const Size gate = row * sizes.experts.count + routing.chosen[i];
        gates[gate] = routing.p[gate] / divisor_of(sizes, routing, row, bug);
    }
    return gates;
}

/// Adds the gradient through the gates of one position to that of its p. With the planted divisor
/// S, d(p_i / S) / d p_j = ((i == j) - p_i / S) / S.
void add_gates_gradient(const RouterSizes& sizes, const Routing& routing, const Values& d_gates,
                        Size row, Planted bug, Values& d_p) {
    if (bug == Planted::experts_no_gate_gradient) return;
    const Size top_k = sizes.experts.top_k, first = row * sizes.experts.count;
    const double divisor = divisor_of(sizes, routing, row, bug);
    const bool divided = bug == Planted::experts_renormalised_gates;
    for (Size i = row * top_k; i < (row + 1) * top_k; ++i) {
        if (!routing.accepted[i]) continue;
        const Size gate = first + routing.chosen[i];
        d_p[gate] += d_gates[gate] / divisor;
        for (Size j = row * top_k; divided && j < (row + 1) * top_k; ++j) {
            d_p[first + routing.chosen[j]] -= d_gates[gate] * routing.gates[gate] / divisor;
        }
    }
}

}  // namespace

Routing route(const RouterSizes& sizes, const Values& logits, Planted bug) {
    Routing routing;
    routing.p = softmax(logits, sizes.rows());
    routing.log_sums = log_sums_of(logits, sizes.rows());
    routing.chosen = choices_of(sizes, routing.p);
    routing.accepted = accepted_of(sizes, routing.chosen, bug);
    routing.shares = shares_of(sizes, routing, bug);
    routing.gates = gates_of(sizes, routing, bug);
    return routing;
}

Values router_gradient(const RouterSizes& sizes, const Routing& routing, const Values& d_gates,
                       Planted bug) {
    const Size experts = sizes.experts.count;
    Values d_p(routing.p.size()), d_logits(routing.p.size(), 0.0);
    for (Size r = 0; r < sizes.rows(); ++r) {
        // Of T E sum_e f_e P_e, with P the mean of T positions and f a constant.
        for (Size e = 0; e < experts; ++e) {
            d_p[r * experts + e] = sizes.experts.balance * static_cast<double>(experts) *
                                   routing.shares[r / sizes.sequence * experts + e];
        }
        add_gates_gradient(sizes, routing, d_gates, r, bug, d_p);
        const double* p = routing.p.data() + r * experts;
        for (Size i = 0; i < experts; ++i) {
            double& d = d_logits[r * experts + i];
            for (Size j = 0; j < experts; ++j) {
                d += d_p[r * experts + j] * p[j] * ((i == j ? 1.0 : 0.0) - p[i]);
            }
            d += sizes.experts.z * 2.0 * routing.log_sums[r] * p[i];
        }
    }
    return d_logits;
}

RoutingFigures figures_of(const RouterSizes& sizes, const Routing& routing) {
    const Size experts = sizes.experts.count;
    RoutingFigures figures;
    for (Size b = 0; b < sizes.batch; ++b) {
        for (Size e = 0; e < experts; ++e) {
            double mean = 0.0;
            for (Size t = 0; t < sizes.sequence; ++t) {
                mean += routing.p[(b * sizes.sequence + t) * experts + e] /
                        static_cast<double>(sizes.sequence);
            }
            figures.balance += static_cast<double>(sizes.sequence * experts) *
                               routing.shares[b * experts + e] * mean;
        }
    }
    for (const double log_sum : routing.log_sums) figures.z += log_sum * log_sum;
    figures.dropped = std::count(routing.accepted.begin(), routing.accepted.end(), false);
    return figures;
}

Values combine(const RouterSizes& sizes, const Routing& routing,
               const std::vector<Values>& outputs) {
    const Size channels = static_cast<Size>(outputs.front().size()) / sizes.rows();
    Values out(outputs.front().size(), 0.0);
    for (Size e = 0; e < sizes.experts.count; ++e) {
        for (Size i = 0; i < std::ssize(out); ++i) {
            out[i] += routing.gates[i / channels * sizes.experts.count + e] * outputs[e][i];
        }
    }
    return out;
}

}  // namespace shardstone::validation::oracle
