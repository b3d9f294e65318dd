// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::validation::oracle {

/// One parameter with its AdamW state, in double (Loshchilov and Hutter 2019, algorithm 2).
struct AdamwParameter {
    double weight = 0.0;
    double first_moment = 0.0;
    double second_moment = 0.0;
};

struct AdamwConstants {
    double learning_rate, beta1, beta2, epsilon, weight_decay;
};

/// Step `step` = 1, 2, ... with gradient g.
AdamwParameter adamw(const AdamwConstants& constants, AdamwParameter parameter, double g, int step);

}  // namespace shardstone::validation::oracle
