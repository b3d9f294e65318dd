// SPDX-License-Identifier: BSD-3-Clause
// Work that the device is given as one graph does what it does when it is given piece by piece.
#include "kernels/tensor/queue_graph.hpp"

#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/queue_marks.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

constexpr std::int64_t count = 100;

class DeviceGraphs : public OnDevice {
  protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        graph_ = std::make_unique<QueueGraph>(queue());
        data_ = std::make_unique<Located<float, Cuda>>(count, 1.0F);
    }

    void launch() {
        graph_->launch();
        queue().wait();
        EXPECT_TRUE(graph_->has_run());
    }
    void note_scaling(float factor) {
        graph_->note([&] { scale_array(queue(), factor, data_->data(), count); });
    }
    void expect_data(float value) { EXPECT_EQ(data_->read(), std::vector<float>(count, value)); }

    static CudaQueue queue() { return {}; }
    std::unique_ptr<QueueGraph> graph_;
    std::unique_ptr<Located<float, Cuda>> data_;
};

TEST_F(DeviceGraphs, RunWhenTheyAreLaunchedAndAsOften) {
    note_scaling(3.0F);
    expect_data(1.0F);
    launch();
    launch();
    expect_data(9.0F);
}

TEST_F(DeviceGraphs, TakeOverValuesAndAreMadeAnewForAnotherShape) {
    for (const float factor : {2.0F, 5.0F}) {
        note_scaling(factor);
        launch();
    }
    expect_data(10.0F);
    EXPECT_EQ(graph_->times_made(), 1);
    graph_->note([&] {
        scale_array(queue(), 2.0F, data_->data(), count);
        fill_array(queue(), data_->data(), 1, 7.0F);
    });
    launch();
    auto expected = std::vector<float>(count, 20.0F);
    expected[0] = 7.0F;
    EXPECT_EQ(data_->read(), expected);
    EXPECT_EQ(graph_->times_made(), 2);
}

// All copies of a graph wait in pinned memory until it is launched, although pieces of it are free.
TEST_F(DeviceGraphs, KeepWhatTheHostGaveThem) {
    const std::vector<float> before(count, 5.0F);
    write_array(queue(), before.data(), data_->data(), count);  // a piece that is free again
    queue().wait();
    for (int turn = 0; turn < 2; ++turn) {
        std::vector<Located<float, Cuda>> targets;
        for (int i = 0; i < 9; ++i) targets.emplace_back(count, 0.0F);
        graph_->note([&] {
            for (int i = 0; i < 9; ++i) {
                const std::vector<float> values(count, static_cast<float>(10 * turn + i));
                write_array(queue(), values.data(), targets[static_cast<std::size_t>(i)].data(),
                            count);
            }
        });
        launch();
        for (int i = 0; i < 9; ++i) {
            EXPECT_EQ(targets[static_cast<std::size_t>(i)].read(),
                      std::vector<float>(count, static_cast<float>(10 * turn + i)));
        }
    }
}

TEST_F(DeviceGraphs, LeaveNothingOfWhatFailed) {
    EXPECT_THROW(graph_->note([&] {
        scale_array(queue(), 3.0F, data_->data(), count);
        throw std::runtime_error("a failure of the host");
    }),
                 std::runtime_error);
    EXPECT_EQ(noting_of_graph(), 0U);
    scale_array(queue(), 2.0F, data_->data(), count);
    expect_data(2.0F);
    note_scaling(4.0F);
    launch();
    expect_data(8.0F);
}

TEST_F(DeviceGraphs, HaveTimesOfTheirParts) {
    QueueMarks marks(queue());
    marks.set();
    graph_->note([&] {
        scale_array(queue(), 3.0F, data_->data(), count);
        marks.set();
        scale_array(queue(), 3.0F, data_->data(), count);
    });
    for (int turn = 0; turn < 2; ++turn) launch();
    marks.set();
    const auto passed_s = marks.intervals_s();
    ASSERT_EQ(passed_s.size(), 2U);
    for (const double time_s : passed_s) EXPECT_GT(time_s, 0.0);
}

}  // namespace
}  // namespace shardstone::validation
