// SPDX-License-Identifier: BSD-3-Clause
// A part of a GPT with memory of its own, and what it has of the tensors of the whole.
#pragma once

#include <memory>

#include "reference/model/gpt_part.hpp"
#include "validation/unit/model/small_model.hpp"

namespace shardstone::validation {

using reference::GptPart;
using reference::ModelPart;
using reference::ParameterInfo;
using reference::PartShape;
using reference::Recompute;
using reference::TensorGroup;

template <class Real>
class PartModel {
  public:
    PartModel(const GptConfig& config, const ModelPart& held, const PartShape& shape,
              TensorGroup& tensor)
        : layout_(config, held),
          weights_(static_cast<std::size_t>(layout_.count())),
          gradients_(weights_.size()),
          held_(held),
          part_(config, held, shape, memory(), tensor) {}

    GptPart<Real>& part() { return part_; }
    const reference::ParameterLayout& layout() const { return layout_; }
    std::vector<Real>& weights() { return weights_; }
    std::vector<Real>& gradients() { return gradients_; }
    int units(int chunk) const {
        return static_cast<int>(held_.chunks[static_cast<std::size_t>(chunk)].units().size());
    }

    /// Takes this part's elements of whole tensors.
    void load(const NamedValues& whole) {
        for_each_element([&](const ParameterInfo& info, std::size_t local, std::size_t global) {
            weights_[local] = static_cast<Real>(whole.at(info.name)[global]);
        });
    }
    /// Adds this part's gradients to those of whole tensors; of tensors that all tensor ranks hold,
    /// only if asked for.
    void add_gradients(NamedValues& whole, bool replicated_too = true) const {
        for_each_element([&](const ParameterInfo& info, std::size_t local, std::size_t global) {
            if (info.replicated && !replicated_too) return;
            Values& values = whole[info.name];
            std::size_t size = 1;
            for (const Size extent : info.shape) size *= static_cast<std::size_t>(extent);
            values.resize(size);
            values[global] += static_cast<double>(gradients_[local]);
        });
    }

    double forward(int chunk, int slot) {
        double loss = 0.0;
        for (int unit = 0; unit < units(chunk); ++unit) loss += part_.forward(chunk, unit, slot);
        return loss;
    }
    void backward(int chunk, int slot, double scale = 1.0) {
        for (int unit = units(chunk); unit-- > 0;) {
            part_.recompute(chunk, unit, slot);
            part_.backward(chunk, unit, slot, 0, scale);
        }
    }
    /// The same in two halves.
    void backward_input(int chunk, int slot, double scale = 1.0) {
        for (int unit = units(chunk); unit-- > 0;) {
            part_.recompute(chunk, unit, slot);
            part_.backward_input(chunk, unit, slot, 0, scale);
        }
    }
    void backward_weight(int chunk, int slot) {
        for (int unit = units(chunk); unit-- > 0;) {
            part_.recompute(chunk, unit, slot);
            part_.backward_weight(chunk, unit, slot);
        }
    }

  private:
    std::vector<reference::GroupMemory<Real>> memory() {
        std::vector<reference::GroupMemory<Real>> groups;
        for (const auto& group : layout_.groups()) {
            groups.push_back({weights_.data() + group.first, gradients_.data() + group.first});
        }
        return groups;
    }

    template <class F>
    void for_each_element(const F& f) const {
        for (const ParameterInfo& info : layout_.parameters()) {
            for (const auto& piece : info.pieces) {
                for (Size i = 0; i < piece.count; ++i) {
                    f(info, static_cast<std::size_t>(info.offset + piece.local + i),
                      static_cast<std::size_t>(piece.global + i));
                }
            }
        }
    }

    reference::ParameterLayout layout_;
    std::vector<Real> weights_, gradients_;
    ModelPart held_;
    GptPart<Real> part_;
};

}  // namespace shardstone::validation
