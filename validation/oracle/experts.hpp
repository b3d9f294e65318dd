// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/gpt_config.hpp"
#include "validation/oracle/layers.hpp"

namespace shardstone::validation::oracle {

struct RouterSizes {
    Size batch, sequence;
    reference::ExpertOptions experts;

    Size rows() const { return batch * sequence; }
};

/// What a router of E experts decides, by the definition at reference::ExpertOptions.
struct Routing {
    Values p;                    ///< softmax of the logits, (B, T, E)
    Values log_sums;             ///< log-sum-exp of the logits, (B, T)
    std::vector<Size> chosen;    ///< experts of each position, the largest p first, (B, T, K)
    std::vector<bool> accepted;  ///< which of these choices the capacity lets through, (B, T, K)
    Values shares;               ///< f, of a sequence's T K choices those of an expert, (B, E)
    Values gates;                ///< what an expert's output is multiplied with, (B, T, E)
};

/// logits (B, T, E).
Routing route(const RouterSizes& sizes, const Values& logits, Planted bug = Planted::none);

/// Gradient with respect to the logits of what has the gradient `d_gates` (B, T, E), plus of
/// what `figures_of()` gives times the options' factors.
Values router_gradient(const RouterSizes& sizes, const Routing& routing, const Values& d_gates,
                       Planted bug = Planted::none);

/// What is added to the training's loss, without the factors, and how many choices had no effect.
struct RoutingFigures {
    double balance = 0.0;  ///< sum over sequences of T E sum_e f_e P_e
    double z = 0.0;        ///< sum over positions of the squared log-sum-exp
    std::int64_t dropped = 0;
};
RoutingFigures figures_of(const RouterSizes& sizes, const Routing& routing);

/// Sum over experts of gate times output; outputs[e] (B, T, C) is what expert e makes of every
/// position, also of those that do not use it.
Values combine(const RouterSizes& sizes, const Routing& routing,
               const std::vector<Values>& outputs);

}  // namespace shardstone::validation::oracle
