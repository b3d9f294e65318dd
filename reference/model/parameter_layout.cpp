// SPDX-License-Identifier: BSD-3-Clause
// Orders a rank's parameters in the flat buffer by group, with names, shapes and tensor shares.
#include "reference/model/parameter_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

// GPT-2 (Radford et al. 2019, section 2.3; values as in its published code).
constexpr float initial_deviation = 0.02F;

EvenShare all(std::int64_t count) {
    return {0, count};
}

}  // namespace

/// Appends tensors to a layout, group by group.
class ParameterLayout::Writer {
  public:
    Writer(ParameterLayout& layout, const GptConfig& config, const ModelPart& part)
        : layout_(layout), config_(config), part_(part) {}

    void final_norm() {
        begin(ParameterGroup::Kind::final_norm);
        norm(layout_.final_norm_, "final_norm");
        end();
    }
    void experts(std::int64_t layer);
    void block(std::int64_t layer);
    void position() {
        begin(ParameterGroup::Kind::position);
        add("position_embedding.weight", {config_.context, config_.channels},
            {{all(config_.context)}, all(config_.channels)}, normal(initial_deviation));
        end();
    }
    void token() {
        begin(ParameterGroup::Kind::token);
        ParameterInfo& info = add("token_embedding.weight", {config_.vocabulary, config_.channels},
                                  {{part_.vocabulary(config_)}, all(config_.channels)},
                                  normal(initial_deviation), true);
        info.copy = !part_.has_embedding();
        end();
    }

  private:
    struct Initial {
        float mean = 0.0F, deviation = 0.0F;
    };
    static Initial normal(float deviation) { return {0.0F, deviation}; }

    ParameterInfo& add(std::string name, std::vector<std::int64_t> shape, const TensorCut& cut,
                       const Initial& initial, bool sharded = false);
    std::int64_t next() const { return layout_.count_ - group_.first; }

    void begin(ParameterGroup::Kind kind, std::int64_t layer = 0) {
        group_ = {.kind = kind, .layer = layer, .first = layout_.count_};
    }
    void end() {
        group_.count = next();
        layout_.groups_.push_back(group_);
    }
    void norm(AffineSlot& slot, const std::string& name);
    void column_parallel(AffineSlot& slot, const std::string& name, std::int64_t outputs,
                         const std::vector<EvenShare>& rows);
    void row_parallel_weight(AffineSlot& slot, const std::string& name, std::int64_t inputs,
                             const EvenShare& columns);
    void row_parallel_bias(AffineSlot& slot, const std::string& name) {
        slot.bias = next();
        add(name + ".bias", {config_.channels}, {{all(config_.channels)}, all(1)}, {});
    }
    void mlp(BlockSlots& slots, std::int64_t layer);
    void router(AffineSlot& slot, const std::string& name) {
        slot = {config_.experts.count, config_.channels, next(), 0};
        add(name + ".weight", {slot.outputs, slot.inputs}, {{all(slot.outputs)}, all(slot.inputs)},
            normal(initial_deviation));
    }
    static std::string in_block(std::int64_t layer, const char* part) {
        return fmt::format("blocks.{}.{}", layer, part);
    }

    ParameterLayout& layout_;
    const GptConfig& config_;
    const ModelPart& part_;
    ParameterGroup group_;
};

ParameterInfo& ParameterLayout::Writer::add(std::string name, std::vector<std::int64_t> shape,
                                            const TensorCut& cut, const Initial& initial,
                                            bool sharded) {
    ParameterInfo info;
    info.name = std::move(name);
    info.cut = cut;
    for (const EvenShare& rows : cut.rows) info.count += rows.count * cut.columns.count;
    info.decay = shape.size() > 1;
    info.replicated = !sharded && part_.tensor_ranks > 1;
    info.shape = std::move(shape);
    info.offset = std::exchange(layout_.count_, layout_.count_ + info.count);
    info.initial_mean = initial.mean;
    info.initial_deviation = initial.deviation;
    if (info.replicated) group_.replicated += info.count;
    layout_.parameters_.push_back(std::move(info));
    return layout_.parameters_.back();
}

void ParameterLayout::Writer::norm(AffineSlot& slot, const std::string& name) {
    const TensorCut whole{{all(config_.channels)}, all(1)};
    slot = {.outputs = config_.channels, .weight = next(), .bias = next() + config_.channels};
    add(name + ".weight", {config_.channels}, whole, {1.0F, 0.0F});
    add(name + ".bias", {config_.channels}, whole, {});
}

/// A rank holds `rows` of the weight (outputs, C), and of the bias.
void ParameterLayout::Writer::column_parallel(AffineSlot& slot, const std::string& name,
                                              std::int64_t outputs,
                                              const std::vector<EvenShare>& rows) {
    slot = {.inputs = config_.channels, .weight = next()};
    for (const EvenShare& range : rows) slot.outputs += range.count;
    add(name + ".weight", {outputs, config_.channels}, {rows, all(config_.channels)},
        normal(initial_deviation), true);
    slot.bias = next();
    add(name + ".bias", {outputs}, {rows, all(1)}, {}, true);
}

/// A rank holds `columns` of the weight (C, inputs); the bias is added once, by every rank to the
/// sum.
void ParameterLayout::Writer::row_parallel_weight(AffineSlot& slot, const std::string& name,
                                                  std::int64_t inputs, const EvenShare& columns) {
    // Each block adds two branches to the residual stream: keep its variance near one.
    const float deviation =
        initial_deviation / std::sqrt(2.0F * static_cast<float>(config_.layers));
    slot = {.outputs = config_.channels, .inputs = columns.count, .weight = next()};
    add(name + ".weight", {config_.channels, inputs}, {{all(config_.channels)}, columns},
        normal(deviation), true);
}

/// An expert is column- and row-parallel like an MLP, except for the last bias: results leave the
/// rank before they are summed, so each tensor rank adds its own share of the bias.
void ParameterLayout::Writer::experts(std::int64_t layer) {
    const std::int64_t c = config_.channels;
    const EvenShare own = part_.experts(config_), hidden = part_.hidden(config_);
    auto& slots = layout_.block_.experts;
    slots.assign(static_cast<std::size_t>(own.count), {});
    begin(ParameterGroup::Kind::experts, layer);
    for (std::int64_t i = 0; i < own.count; ++i) {
        auto& [projection, expansion] = slots[static_cast<std::size_t>(i)];
        const std::string name = fmt::format("blocks.{}.experts.{}.", layer, own.first + i);
        row_parallel_weight(projection, name + "projection", 4 * c, hidden);
        projection.bias = next();
        add(name + "projection.bias", {c}, {{part_.channels(config_)}, all(1)}, {}, true);
        column_parallel(expansion, name + "expansion", 4 * c, {hidden});
    }
    end();
}

void ParameterLayout::Writer::mlp(BlockSlots& slots, std::int64_t layer) {
    const std::int64_t hidden = 4 * config_.channels;
    const EvenShare own = part_.hidden(config_);
    row_parallel_weight(slots.mlp_projection, in_block(layer, "mlp.projection"), hidden, own);
    column_parallel(slots.mlp_expansion, in_block(layer, "mlp.expansion"), hidden, {own});
}

void ParameterLayout::Writer::block(std::int64_t layer) {
    const std::int64_t c = config_.channels, d = config_.head_size();
    const EvenShare heads = part_.heads(config_);
    const EvenShare own{heads.first * d, heads.count * d};
    const auto name = [layer](const char* part) { return in_block(layer, part); };
    const bool has_mlp = !config_.experts.any();
    BlockSlots& slots = layout_.block_;
    begin(ParameterGroup::Kind::block, layer);
    if (has_mlp) mlp(slots, layer);
    row_parallel_weight(slots.attention_projection, name("attention.projection"), c, own);
    column_parallel(slots.qkv, name("attention.qkv"), 3 * c,
                    {own, {c + own.first, own.count}, {2 * c + own.first, own.count}});
    if (has_mlp) {
        row_parallel_bias(slots.mlp_projection, name("mlp.projection"));
    } else {
        router(slots.router, name("router"));
    }
    norm(slots.norm2, name("norm2"));
    row_parallel_bias(slots.attention_projection, name("attention.projection"));
    norm(slots.norm1, name("norm1"));
    end();
}

ParameterLayout::ParameterLayout(const GptConfig& config, const ModelPart& part) {
    config.validate();
    Writer writer(*this, config, part);
    if (part.has_head()) writer.final_norm();
    for (auto chunk = part.chunks.rbegin(); chunk != part.chunks.rend(); ++chunk) {
        for (std::int64_t i = chunk->layers - 1; i >= 0; --i) {
            if (config.experts.any()) writer.experts(chunk->first_layer + i);
            writer.block(chunk->first_layer + i);
        }
    }
    if (part.has_embedding()) writer.position();
    if (part.has_embedding() || part.has_head()) writer.token();
}

std::int64_t tensor_count(const GptConfig& config) {
    // Weight and bias of two norms and attention's layers; of an MLP's two, or of the experts'.
    constexpr std::int64_t without_mlp = 8, of_mlp = 4, others = 4;
    const std::int64_t router = config.experts.any() ? 1 : 0;
    const std::int64_t of_block = without_mlp + of_mlp * config.experts.count + router;
    return of_block * config.layers + others;
}

std::size_t ParameterLayout::group_index(ParameterGroup::Kind kind, std::int64_t layer) const {
    const auto found = std::ranges::find_if(groups_, [&](const ParameterGroup& group) {
        return group.kind == kind && (!group.is_of_block() || group.layer == layer);
    });
    SHARDSTONE_EXPECTS(found != groups_.end());
    return static_cast<std::size_t>(found - groups_.begin());
}

std::vector<std::size_t> ParameterLayout::groups_of(const Unit& unit) const {
    using Kind = ParameterGroup::Kind;
    switch (unit.kind) {
        case Unit::Kind::embedding:
            return {group_index(Kind::position), group_index(Kind::token)};
        case Unit::Kind::block:
            if (!has_experts()) return {group_index(Kind::block, unit.layer)};
            return {group_index(Kind::experts, unit.layer), group_index(Kind::block, unit.layer)};
        case Unit::Kind::head:
            return {group_index(Kind::final_norm), group_index(Kind::token)};
    }
    return {};
}

}  // namespace shardstone::reference
