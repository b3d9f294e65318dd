// SPDX-License-Identifier: BSD-3-Clause
// Each kernel is timed on one core by Google Benchmark, and set beside its bound and libraries.
#include "benchmarks/kernels/kernel_runner.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "benchmarks/harness/interleaved.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/roofline/roofline.hpp"

namespace shardstone::benchmarks {

namespace {

/// The rate at which this core goes through arrays like the kernel's; the better of their own
/// pattern and of the plain update, which out of cache moves no byte that is not counted.
double bandwidth_for(const Workload& workload) {
    constexpr double least = 4096.0;
    constexpr double most = 0x1p30;  // beyond every cache: more would only take longer
    const Streams& streams = workload.streams;
    const double arrays = streams.read + streams.updated + streams.written;
    const double footprint = workload.bytes * arrays / streams.bytes_per_byte();
    const auto bytes = static_cast<std::int64_t>(std::clamp(footprint, least, most));
    return std::max(measured_bandwidth_b_s(bytes, streams), measured_bandwidth_b_s(bytes));
}

/// A team of this process alone.
class Alone : public Team {
  public:
    void line_up() override {}
    std::vector<double> maxima(std::span<const double> mine) override {
        return {mine.begin(), mine.end()};
    }
};

/// The kernel beside the library that is the fastest for it.
std::optional<RatioSpread> against_libraries(const Workload& workload, double about_s,
                                             const KernelPolicy& policy) {
    Alone alone;
    const auto iterations = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(policy.repetition_s / about_s), 1, Stopwatch::most_in_batch);
    std::optional<RatioSpread> fastest;
    for (const auto& library : workload.libraries) {
        const auto spread = compare_interleaved(alone, TimeFrom::own_start, policy.repetitions,
                                                iterations, {workload.run, {}}, {library, {}});
        if (!fastest || spread.median < fastest->median) fastest = spread;
    }
    return fastest;
}

/// Takes Google Benchmark's repetitions as samples, instead of printing their mean.
class Collector : public benchmark::BenchmarkReporter {
  public:
    const std::vector<double>& samples_s() const { return samples_s_; }

    bool ReportContext(const Context& /*context*/) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        // Means and the like over the repetitions come as a second report: the samples are enough.
        if (runs.front().run_type != Run::RT_Iteration) return;
        for (const Run& run : runs) {
            samples_s_.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
        }
    }

  private:
    std::vector<double> samples_s_;
};

std::vector<double> repetitions_s(const std::string& name, const std::function<void()>& run,
                                  const KernelPolicy& policy) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&](benchmark::State& state) {
                                     for ([[maybe_unused]] auto iteration : state) {
                                         run();
                                         benchmark::ClobberMemory();
                                     }
                                 })
        ->Repetitions(policy.repetitions)
        ->MinTime(policy.repetition_s)
        ->UseRealTime();
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector, "all");
    benchmark::ClearRegisteredBenchmarks();
    require(!collector.samples_s().empty(), "Google Benchmark left out a kernel");
    return collector.samples_s();
}

/// One kernel at one size, its memory rate before and after.
class Measuring {
  public:
    Measuring(const Workload& workload, const KernelPolicy& policy, MachineRates& rates)
        : workload_(workload), policy_(policy), rates_(rates) {}

    /// Fills in what is measured; the rest of `result` is as it was.
    void measure(KernelResult& result) {
        bandwidth_b_s_.samples.push_back(bandwidth_for(workload_));
        result.samples_s = repetitions_s(result.name, workload_.run, policy_);
        result.median_s = median(result.samples_s);
        result.interval_s = median_interval(result.samples_s);
        result.of_library = against_libraries(workload_, result.median_s, policy_);
        bandwidth_b_s_.samples.push_back(bandwidth_for(workload_));
    }

    void bound(KernelResult& result) {
        constexpr int more_calls = 3;
        result.bound = bound_of(result);
        for (int call = 0; call < more_calls && result.share() > 1.0; ++call) {
            if (result.bound.is_memory()) {
                bandwidth_b_s_.samples.push_back(bandwidth_for(workload_));
            } else {
                rates_.measure();
            }
            result.bound = bound_of(result);
        }
        result.bandwidth_b_s = bandwidth_b_s_.best();
    }

  private:
    Bound bound_of(const KernelResult& result) const {
        Bound bound{result.bytes / bandwidth_b_s_.best(), rates_.least_time_s(result.arithmetic),
                    0};
        bound.noise = bound.is_memory() ? bandwidth_b_s_.noise() : rates_.noise(result.arithmetic);
        return bound;
    }

    const Workload& workload_;
    const KernelPolicy& policy_;
    MachineRates& rates_;
    BestOf bandwidth_b_s_;
};

KernelResult measured(const KernelBenchmark& kernel, std::int64_t size, const KernelPolicy& policy,
                      MachineRates& rates, Watch& watch) {
    const Workload workload = kernel.prepare(size);
    workload.run();  // first touch, and what libraries set up at a first call
    KernelResult result, tried;
    tried.name = kernel.name;
    tried.size_of = kernel.size_of;
    tried.size = size;
    tried.arithmetic = workload.arithmetic;
    tried.bytes = workload.bytes;
    Measuring measuring(workload, policy, rates);
    const Watched watched =
        watch.until_quiet([&] { measuring.measure(tried); }, [&] { result = tried; });
    measuring.bound(result);
    result.watched = watched;
    return result;
}

}  // namespace

std::vector<KernelResult> run_kernels(const std::vector<KernelBenchmark>& kernels,
                                      const KernelPolicy& policy, MachineRates& rates, Watch& watch,
                                      const std::function<void(const KernelResult&)>& done) {
    std::vector<KernelResult> results;
    for (const auto& kernel : kernels) {
        for (const std::int64_t size : kernel.sizes) {
            if (interrupted()) return results;
            results.push_back(measured(kernel, size, policy, rates, watch));
            done(results.back());
        }
    }
    return results;
}

}  // namespace shardstone::benchmarks
