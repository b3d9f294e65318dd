// SPDX-License-Identifier: BSD-3-Clause
// A part of a GPT with memory of its own, and what it has of the tensors of the whole.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "reference/model/gpt_part.hpp"
#include "validation/unit/reference/model/small_model.hpp"

namespace shardstone::validation {

using reference::GptPart;
using reference::ModelPart;
using reference::ParameterInfo;
using reference::PartShape;
using reference::Pass;
using reference::Recompute;

template <class Real>
class PartModel {
  public:
    /// What a part that shares its layers does with the others of its tensor group.
    using Meeting = std::function<void(const reference::PhaseTransfer&, const reference::Rows&)>;

    PartModel(const GptConfig& config, const ModelPart& held, const PartShape& shape,
              Meeting meeting = {})
        : layout_(config, held),
          weights_(static_cast<std::size_t>(layout_.count())),
          gradients_(weights_.size()),
          held_(held),
          part_(HostQueue(), config, held, shape, memory()),
          meeting_(std::move(meeting)) {}

    GptPart<Real>& part() { return part_; }
    const reference::ParameterLayout& layout() const { return layout_; }
    std::vector<Real>& weights() { return weights_; }
    std::vector<Real>& gradients() { return gradients_; }
    int units(int chunk) const {
        return static_cast<int>(held_.chunks[static_cast<std::size_t>(chunk)].units().size());
    }

    /// Of all forward passes so far.
    const reference::LossSums& sums() const { return sums_; }

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
        for (int unit = 0; unit < units(chunk); ++unit) run({Pass::forward, chunk, unit, slot});
        const reference::LossSums sums = part_.take_losses();
        for (const auto one : reference::each_loss_sum) sums_.*one += sums.*one;
        return sums.loss;
    }
    void backward(int chunk, int slot, double scale = 1.0) {
        go_back(Pass::backward, chunk, slot, scale);
    }
    /// The same in two halves.
    void backward_input(int chunk, int slot, double scale = 1.0) {
        go_back(Pass::backward_input, chunk, slot, scale);
    }
    void backward_weight(int chunk, int slot) { go_back(Pass::backward_weight, chunk, slot, 0.0); }

  private:
    void run(const reference::PassAt& at) {
        const auto& phases = part_.phases(at.chunk, at.unit, at.pass);
        for (const auto& segment : reference::segments_of(phases)) {
            const reference::Computed computed = part_.compute(at, segment);
            const auto& last = phases[static_cast<std::size_t>(segment.end()) - 1];
            if (last.transfer) meeting_(*last.transfer, computed.rows);
        }
    }
    void go_back(Pass pass, int chunk, int slot, double scale) {
        for (int unit = units(chunk); unit-- > 0;) {
            run({Pass::recompute, chunk, unit, slot});
            run({pass, chunk, unit, slot, 0, scale});
        }
    }

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
            for (const auto& piece : info.pieces()) {
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
    Meeting meeting_;
    reference::LossSums sums_;
};

}  // namespace shardstone::validation
