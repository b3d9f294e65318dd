// SPDX-License-Identifier: BSD-3-Clause
// Computations on a GPU, or an emulated one, wait for collectives.
#include "collectives/executors/stream_order.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "collectives/executors/collective.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/cuda.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr std::int64_t count = 1 << 12;

class StreamOrderTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto why = find_algorithm("all_reduce", "nccl").obstacle(world());
        if (!why.empty()) GTEST_SKIP() << why;
        choose_gpu_of_rank(world());
        data_ = std::make_unique<shardstone::Buffer<float, Cuda>>(count);
        order_ = make_stream_order(world(), CudaQueue().stream());
        sum_ = std::make_unique<Collective>(
            world(), find_algorithm("all_reduce", "over_nccl:ring"),
            CollectiveSpec{{count, ElementType::fp32, Reduction::sum}, 0, {}});
    }
    // Before MPI ends.
    void TearDown() override {
        sum_.reset();
        order_.reset();
        data_.reset();
    }

    /// Starts the sum behind the computations so far.
    StreamOrder::Mark start() {
        order_->collectives_wait();
        sum_->start(data_->data(), data_->data());
        return order_->mark();
    }

    std::unique_ptr<shardstone::Buffer<float, Cuda>> data_;
    std::unique_ptr<StreamOrder> order_;
    std::unique_ptr<Collective> sum_;
};

TEST_F(StreamOrderTest, OrdersComputationsBehindTheCollective) {
    const std::vector<float> ones(count, 1.0F);
    write_array(CudaQueue(), ones.data(), data_->data(), count);
    order_->computations_wait(start());
    const auto sums = read_array(CudaQueue(), data_->data(), count);
    for (const float sum : sums) ASSERT_EQ(sum, static_cast<float>(world().size()));
}

}  // namespace
}  // namespace shardstone::validation
