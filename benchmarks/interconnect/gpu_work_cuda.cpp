// SPDX-License-Identifier: BSD-3-Clause
// Products, copies and transfers of a rank's GPU, timed by events in its queue.
#include <cmath>
#include <functional>

#include "benchmarks/harness/gpu_meter.hpp"
#include "benchmarks/interconnect/gpu_work.hpp"
#include "collectives/device/runtime_cuda.hpp"
#include "kernels/base/check_cuda.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "kernels/roofline/square_product.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone::benchmarks {

namespace {

/// Every piece is done twice, and the second counts, which is enqueued while the first runs:
/// between events in an idle queue passes the time of the host's calls as well.
constexpr int repetitions = 2;
/// Products of 8192 rows take a Hopper 12 ms then, in which NVML answers.
constexpr int products_to_read = 8;

class CudaWork final : public GpuWork {
  public:
    std::int64_t rows_to_time() override { return shardstone::rows_to_time<bf16>(); }
    void take_over(std::int64_t rows) override {
        product_ = std::make_unique<SquareProduct<bf16>>(rows);
        tflop_ = 2e-12 * std::pow(static_cast<double>(rows), 3);
    }

    double product_s() override { return last_of(repetitions, {}); }
    double watched_product_s() override {
        return last_of(products_to_read, [this] { meter_.read(now_s()); });
    }
    double copy_s() override {
        return time_s([this] { copy_array(queue_, from_.data(), to_.data(), gpu_copied_bytes); });
    }
    double transfer_s() override {
        return time_s([this] {
            transfer(host_.get(), to_.data());
            transfer(to_.data(), host_.get());
        });
    }

    std::vector<results::GpuReadingRow> take_readings() override { return meter_.take_readings(); }
    std::string why_no_readings() const override { return meter_.why_none(); }

  private:
    double last_of(int products, const std::function<void()>& meanwhile) {
        const double last_s = product_->times_s(products, meanwhile).back();
        product_->require_bits_of_first();
        return last_s / tflop_;
    }
    double time_s(const std::function<void()>& enqueue) const {
        return device_times_s(queue_, enqueue, repetitions, 1).back();
    }
    void transfer(const std::byte* from, std::byte* to) const {
        SHARDSTONE_CUDA(
            cudaMemcpyAsync(to, from, gpu_transferred_bytes, cudaMemcpyDefault, queue_.stream()));
    }

    CudaQueue queue_;
    GpuMeter meter_{Cuda::address()};
    double tflop_ = 0.0;
    std::unique_ptr<SquareProduct<bf16>> product_;
    Buffer<std::byte, Cuda> from_{gpu_copied_bytes}, to_{gpu_copied_bytes};
    std::shared_ptr<std::byte> host_ = collectives::pinned_memory(gpu_transferred_bytes);
};

const GpuWorkSource source([] {
    auto work = std::make_unique<CudaWork>();
    work->take_over(128);
    return work;
});

}  // namespace

}  // namespace shardstone::benchmarks
