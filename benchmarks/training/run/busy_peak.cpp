// SPDX-License-Identifier: BSD-3-Clause
// The peak FLOP rate of the cores that the ranks keep busy: what MFU is a share of.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <string>

#include "benchmarks/harness/ranks_by_machine.hpp"
#include "benchmarks/training/run/throughput.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/base/error.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "kernels/roofline/roofline.hpp"
#include "kernels/roofline/square_product.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Communicator;

/// Of this rank's core.
BusyPeak core_peak(const reference::Precision& precision) {
    if (precision.fp64) return {measured_fp64_peak_flop_s(), 1, "FP64 multiply-adds", {}};
    const BusyPeak fp32{measured_peak_flop_s(), 1, "FP32 multiply-adds", {}};
    if (precision.storage != reference::Storage::bf16) return fp32;
    const BusyPeak dots{measured_bf16_peak_flop_s().value_or(0.0), 1, "BF16 dot products", {}};
    const BusyPeak tiles{measured_matrix_unit_flop_s().value_or(0.0), 1, "BF16 matrix tiles", {}};
    // What a matrix unit can do that we have no instructions for shows in products alone.
    const BusyPeak products{measured_product_flop_s<bf16>(), 1, "BF16 matrix products", {}};
    return better_of(better_of(fp32, dots), better_of(tiles, products));
}

/// One character for each core that this rank may run on.
std::string own_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    std::string text(CPU_SETSIZE, '0');
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return text.replace(0, 1, "1");
    for (std::size_t core = 0; core < text.size(); ++core) {
        if (CPU_ISSET(core, &cores)) text[core] = '1';
    }
    return text;
}

int cores_of(const std::vector<std::string>& by_rank, std::span<const int> ranks) {
    int count = 0;
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
        count += std::ranges::any_of(
            ranks, [&](int rank) { return by_rank[static_cast<std::size_t>(rank)][core] == '1'; });
    }
    return count;
}

#ifdef SHARDSTONE_HAS_CUDA
/// Of this rank's GPU, in products of the type in which the precision multiplies.
BusyPeak gpu_peak(const reference::Precision& precision) {
    using reference::Storage;
    constexpr const char* method =
        "the best of ten products of (8192, 8192), or of the first of 128, 256, ... rows of which "
        "two take 5 ms, on each GPU by one of its ranks, before and after, times the GPUs";
    const auto of = [&](double (*flop_per_s)(std::int64_t), const char* arithmetic) {
        constexpr std::int64_t largest = 8192;
        BusyPeak peak{0.0, 1, arithmetic, method, "GPU"};
        try {
            peak.core_flop_per_s = flop_per_s(largest);
        } catch (const WrongProduct& wrong) {
            peak.fault = wrong.what();
        }
        return peak;
    };
    if (precision.fp8_products && gpu_reads_fp8()) {
        return of(measured_device_product_flop_s<fp8_e4m3>, "FP8 products of cuBLASLt");
    }
    if (precision.storage == Storage::bf16) {
        return of(measured_device_product_flop_s<bf16>, "BF16 products of cuBLASLt");
    }
    if (precision.storage == Storage::fp16) {
        return of(measured_device_product_flop_s<fp16>, "FP16 products of cuBLASLt");
    }
    return of(measured_device_product_flop_s<float>,
              tf32() ? "TF32 products of cuBLASLt" : "FP32 products of cuBLASLt");
}

/// The first of any rank, with its number, on all.
std::string first_fault(const Communicator& world, const std::string& mine) {
    std::string first;
    const auto faults = world.gather(mine);
    for (std::size_t rank = faults.size(); rank-- > 0;) {
        if (!faults[rank].empty()) first = fmt::format("rank {}: {}", rank, faults[rank]);
    }
    return world.broadcast(first);
}
#endif

}  // namespace

int busy_cores(const Communicator& world) {
    const auto by_rank = world.gather(own_cores());
    int busy = 0;
    for (const auto& ranks : ranks_by_machine(world)) {
        if (!world.is_root()) continue;
        busy += std::min(cores_of(by_rank, ranks), static_cast<int>(ranks.size()));
    }
    return static_cast<int>(world.max(busy));
}

BusyPeak measure_busy_peak(const Communicator& world, const reference::Precision& precision) {
    const auto machines = ranks_by_machine(world);
    const bool measures = std::ranges::any_of(
        machines, [&](const auto& ranks) { return ranks.front() == world.rank(); });
    BusyPeak peak;
    if (measures) peak = core_peak(precision);
    peak.core_flop_per_s = world.sum(peak.core_flop_per_s) / static_cast<double>(machines.size());
    peak.cores = busy_cores(world);
    // Of several machines, what rank 0's has.
    peak.arithmetic = world.broadcast(peak.arithmetic);
    peak.method =
        "the best of many runs on one core of each machine, before and after "
        "the training, times the cores in use";
    return peak;
}

BusyPeak measure_gpu_peak([[maybe_unused]] const Communicator& world,
                          [[maybe_unused]] const reference::Precision& precision,
                          [[maybe_unused]] bool tf32) {
#ifdef SHARDSTONE_HAS_CUDA
    collectives::choose_gpu_of_rank(world);
    set_tf32(tf32);
    const auto gpus = collectives::gpus_on_all_ranks(world);
    const auto& mine = gpus[static_cast<std::size_t>(world.rank())].uuid;
    const auto first = std::ranges::find(gpus, mine, &collectives::DeviceOfRank::uuid);
    // Ranks that share a GPU have their shares of it: of two at once either may reach all.
    const bool measures = first - gpus.begin() == world.rank();
    BusyPeak peak;
    if (measures) peak = gpu_peak(precision);
    peak.core_flop_per_s = world.sum(peak.core_flop_per_s) / world.size();
    peak.cores = world.size();
    for (std::string* text : {&peak.arithmetic, &peak.method, &peak.processor}) {
        *text = world.broadcast(*text);
    }
    peak.fault = first_fault(world, peak.fault);
    return peak;
#else
    fail("this program was built without CUDA");
#endif
}

BusyPeak measure_peak(const reference::TrainOptions& options, const Communicator& world) {
    if (options.pace) return paced_peak(options);
    if (options.device == reference::DeviceKind::cuda) {
        return measure_gpu_peak(world, options.precision, options.tf32);
    }
    return measure_busy_peak(world, options.precision);
}

BusyPeak paced_peak(const reference::TrainOptions& options) {
    return {options.pace.value().flop_per_s, options.plan.ranks(), "paced devices",
            "given by --pace, times the ranks; nothing was computed"};
}

BusyPeak better_of(const BusyPeak& one, const BusyPeak& other) {
    BusyPeak better = one.core_flop_per_s >= other.core_flop_per_s ? one : other;
    better.fault = one.fault.empty() ? other.fault : one.fault;
    return better;
}

void require_faultless(const BusyPeak& peak, const Communicator& world) {
    world.agree([&] {
        if (!peak.fault.empty()) fail(peak.fault, ExitCode::check_failed);
    });
}

}  // namespace shardstone::benchmarks
