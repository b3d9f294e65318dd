// SPDX-License-Identifier: BSD-3-Clause
// A model cut into chunks, on one rank or on stages, gives the bits of the whole, in float.
#include <memory>

#include "reference/model/split_stream.hpp"
#include "validation/unit/reference/model/part_model.hpp"

namespace shardstone::validation {
namespace {

using reference::ModelChunk;

const GptConfig four_layers{"four", 31, 12, 4, 2, 16};

class Chunks : public testing::Test {
  protected:
    const MicroBatch data_ = random_batch(2, 7);
    const NamedValues weights_ = lively_weights(four_layers);
    const NamedValues expected_ = gradient_of<float>(weights_, data_, four_layers);

    /// Chunks that end before the given layers, and at the end.
    static std::vector<ModelChunk> cut(const std::vector<Size>& ends) {
        std::vector<ModelChunk> chunks;
        Size begin = 0;
        for (const Size end : ends) {
            chunks.push_back({begin, end - begin, chunks.empty(), false});
            begin = end;
        }
        chunks.push_back({begin, four_layers.layers - begin, chunks.empty(), true});
        return chunks;
    }

    PartShape shape(std::size_t chunks) const {
        return {.micro_batch = data_.batch,
                .sequence = data_.sequence,
                .slots = std::vector<int>(chunks, 1)};
    }
};

TEST_F(Chunks, OnOneRankGiveTheBitsOfTheWhole) {
    for (const auto& ends :
         std::vector<std::vector<Size>>{{}, {0}, {1}, {3}, {4}, {1, 3}, {0, 2, 4}}) {
        const auto chunks = cut(ends);
        const int count = static_cast<int>(chunks.size());
        PartModel<float> model(four_layers, {.chunks = chunks}, shape(chunks.size()));
        model.load(weights_);
        for (int chunk = 0; chunk < count; ++chunk) {
            model.part().load(chunk, 0, data_.tokens, data_.targets);
            if (chunk > 0)
                copy_rows<float>(HostQueue(), model.part().output(chunk - 1, 0).as<float>(),
                                 model.part().input(chunk, 0).as<float>());
            model.forward(chunk, 0);
        }
        for (int chunk = count; chunk-- > 0;) model.backward(chunk, 0);
        NamedValues actual;
        model.add_gradients(actual);
        EXPECT_EQ(actual, expected_) << count << " chunks";
    }
}

/// Every stage a part of its own, that only meets its neighbours' streams.
class Stages {
  public:
    Stages(const std::vector<ModelChunk>& chunks, const PartShape& shape,
           const NamedValues& weights) {
        for (const ModelChunk& chunk : chunks) {
            const ModelPart part{.chunks = {chunk}, .embedding_is_shared = true};
            stages_.push_back(std::make_unique<PartModel<float>>(four_layers, part, shape));
            stages_.back()->load(weights);
        }
    }

    double forward(const MicroBatch& data) {
        double loss = 0.0;
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            GptPart<float>& part = stages_[i]->part();
            part.load(0, 0, data.tokens, data.targets);
            if (i > 0)
                copy_rows<float>(HostQueue(), stages_[i - 1]->part().output(0, 0).as<float>(),
                                 part.input(0, 0).as<float>());
            loss += stages_[i]->forward(0, 0);
        }
        return loss;
    }

    /// The whole model adds the embedding's gradients to those that the head has left in the table;
    /// so does the first stage here, which gets them from the last.
    NamedValues backward() {
        NamedValues gradients;
        for (std::size_t i = stages_.size(); i-- > 0;) {
            if (i + 1 < stages_.size()) {
                copy_rows<float>(HostQueue(), stages_[i + 1]->part().gradient(0).as<float>(),
                                 stages_[i]->part().gradient(0).as<float>());
            }
            if (i == 0) hand_over_table();
            stages_[i]->backward(0, 0);
        }
        for (const auto& stage : stages_) stage->add_gradients(gradients);
        return gradients;
    }

  private:
    void hand_over_table() {
        auto& from = stages_.back()->gradients();
        const auto& info = stages_.back()->layout().parameters().back();
        EXPECT_TRUE(info.copy);
        auto& to = stages_.front()->gradients();
        std::copy(from.begin() + info.offset, from.end(), to.end() - info.count);
        std::fill(from.begin() + info.offset, from.end(), 0.0F);
    }

    std::vector<std::unique_ptr<PartModel<float>>> stages_;
};

TEST_F(Chunks, OnStagesGiveTheBitsOfTheWhole) {
    Gpt<float> whole(four_layers, data_.batch, data_.sequence);
    load(whole, weights_);
    const double loss = whole.forward(data_.tokens, data_.targets);
    for (const auto& ends : std::vector<std::vector<Size>>{{0}, {2}, {4}, {1, 2}, {0, 1, 4}}) {
        Stages stages(cut(ends), shape(1), weights_);
        EXPECT_EQ(stages.forward(data_), loss);
        EXPECT_EQ(stages.backward(), expected_) << ends.size() + 1 << " stages";
    }
}

}  // namespace
}  // namespace shardstone::validation
