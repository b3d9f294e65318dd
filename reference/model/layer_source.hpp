// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/attention.hpp"
#include "reference/model/linear_layer.hpp"
#include "reference/model/split_stream.hpp"

namespace shardstone::reference {

/// Inputs for constructing the layers of a part; all must outlive them.
template <class S, class Space = Host>
struct LayerSource {
    const GptConfig& config;
    const ModelPart& part;
    const ParameterLayout& layout;
    const std::vector<GroupMemory<compute_t<S>>>& memory;  ///< by group of the layout
    const Attention<S, Space>& attention;
    std::int64_t micro_batch;  ///< B
    std::int64_t sequence;     ///< T, of whole sequences
    const SplitStream<Space>& stream;
    Fp8Scales<Space>* fp8 = nullptr;  ///< for the products of blocks, unless it is nullptr
    Fp8Buffers fp8_buffers;

    const GroupMemory<compute_t<S>>& group(ParameterGroup::Kind kind,
                                           std::int64_t layer = 0) const {
        return memory[layout.group_index(kind, layer)];
    }
    LinearView<S, Space> tokens() const {
        return table_view<S, Space>(part.vocabulary(config).count, config.channels,
                                    group(ParameterGroup::Kind::token));
    }
};

}  // namespace shardstone::reference
