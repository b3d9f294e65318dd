// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/gpt_config.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/model/part_shape.hpp"

namespace shardstone::reference {

/// Parameters of a part of a model, in closed form from the sizes alone;
/// compare ParameterLayout::count(), the number actually laid out.
std::int64_t expected_parameters(const GptConfig& config, const ModelPart& part);
/// Parameters of one group; for groups of blocks, those of one block, if the part has any.
std::int64_t expected_parameters(const GptConfig& config, const ModelPart& part,
                                 ParameterGroup::Kind kind);

/// Memory that GptPart<Real>(config, part, shape) must allocate besides parameters, in bytes, in
/// closed form; GptPart::activations_bytes() is the actual allocation.
template <class Real>
std::int64_t expected_activations_bytes(const GptConfig& config, const ModelPart& part,
                                        const PartShape& shape);

extern template std::int64_t expected_activations_bytes<float>(const GptConfig&, const ModelPart&,
                                                               const PartShape&);
extern template std::int64_t expected_activations_bytes<double>(const GptConfig&, const ModelPart&,
                                                                const PartShape&);

}  // namespace shardstone::reference
