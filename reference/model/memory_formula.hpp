// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/gpt_config.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/model/part_shape.hpp"

namespace shardstone::reference {

/// Parameters of a part of a model, in closed form from the sizes alone;
/// ParameterLayout::count() counts what it has laid out.
std::int64_t expected_parameters(const GptConfig& config, const ModelPart& part);
/// Those of one group; of one block, where the part has any.
std::int64_t expected_parameters(const GptConfig& config, const ModelPart& part,
                                 ParameterGroup::Kind kind);

/// What GptPart<Real>(config, part, shape) must hold besides parameters, in bytes, in closed form;
/// GptPart::activations_bytes() measures what it has allocated.
template <class Real>
std::int64_t expected_activations_bytes(const GptConfig& config, const ModelPart& part,
                                        const PartShape& shape);

extern template std::int64_t expected_activations_bytes<float>(const GptConfig&, const ModelPart&,
                                                               const PartShape&);
extern template std::int64_t expected_activations_bytes<double>(const GptConfig&, const ModelPart&,
                                                                const PartShape&);

}  // namespace shardstone::reference
