// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardstone::validation::oracle {

/// What a tensor is by its name (reference/data/README.md, "Initial weights").
bool is_norm(const std::string& name);
bool is_bias(const std::string& name);
/// Matrices have weight decay, and a trust ratio under LAMB and LARS; norms and biases have not.
bool is_matrix(const std::string& name);

/// The `count` initial values of a tensor of a model of `layers` blocks, by the rule of
/// reference/data/README.md to the last bit: the arithmetic is FP32's and one operation after the
/// other is written down there.
std::vector<float> initial_weights(std::uint64_t seed, const std::string& name, std::int64_t count,
                                   std::int64_t layers);

}  // namespace shardstone::validation::oracle
