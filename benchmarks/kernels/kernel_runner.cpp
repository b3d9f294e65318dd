// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/kernels/kernel_runner.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "benchmarks/harness/interleaved.hpp"
#include "kernels/base/error.hpp"
#include "kernels/roofline/roofline.hpp"

namespace shardstone::benchmarks {

namespace {

/// Google Benchmark calls a benchmark anew for each repetition; the buffers of one kernel are kept
/// over them and freed when the next one begins.
struct Prepared {
    std::string run_name;
    Workload workload;
};

/// The rate at which this core goes through as many bytes as the kernel does.
double bandwidth_over(double bytes) {
    constexpr double least = 4096.0;
    constexpr double most = 0x1p30;  // beyond every cache: more would only take longer
    return measured_bandwidth_b_s(static_cast<std::int64_t>(std::clamp(bytes, least, most)));
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

using Done = std::function<void(const KernelResult&)>;

/// Takes Google Benchmark's repetitions as samples, instead of printing their mean.
class Collector : public benchmark::BenchmarkReporter {
  public:
    Collector(std::shared_ptr<Prepared> prepared, const KernelPolicy& policy, Done done)
        : prepared_(std::move(prepared)), policy_(policy), done_(std::move(done)) {}

    void expect(const std::string& run_name, KernelResult result) {
        pending_[run_name] = std::move(result);
    }
    bool all_came() const { return results_.size() == pending_.size(); }
    std::vector<KernelResult> take() { return std::move(results_); }

    bool ReportContext(const Context& /*context*/) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        // Means and the like over the repetitions come as a second report: the samples are enough.
        if (runs.front().run_type != Run::RT_Iteration) return;
        KernelResult result = pending_.at(runs.front().run_name.function_name);
        result.arithmetic = prepared_->workload.arithmetic;
        result.bytes = prepared_->workload.bytes;
        for (const Run& run : runs) {
            result.samples_s.push_back(run.real_accumulated_time /
                                       static_cast<double>(run.iterations));
        }
        result.bandwidth_b_s = bandwidth_over(result.bytes);
        result.median_s = median(result.samples_s);
        result.interval_s = median_interval(result.samples_s);
        result.of_library = against_libraries(prepared_->workload, result.median_s, policy_);
        done_(result);
        results_.push_back(std::move(result));
    }

  private:
    std::shared_ptr<Prepared> prepared_;
    KernelPolicy policy_;
    Done done_;
    std::map<std::string, KernelResult> pending_;
    std::vector<KernelResult> results_;
};

void add(const KernelBenchmark& kernel, std::int64_t size, const KernelPolicy& policy,
         const std::shared_ptr<Prepared>& prepared) {
    const std::string run_name = fmt::format("{}/{}", kernel.name, size);
    benchmark::RegisterBenchmark(
        run_name.c_str(),
        [=](benchmark::State& state) {
            if (prepared->run_name != run_name) {
                *prepared = {};
                *prepared = {run_name, kernel.prepare(size)};
                prepared->workload.run();  // first touch, and what libraries set up at a first call
            }
            for ([[maybe_unused]] auto iteration : state) {
                prepared->workload.run();
                benchmark::ClobberMemory();
            }
        })
        ->Repetitions(policy.repetitions)
        ->MinTime(policy.repetition_s)
        ->UseRealTime();
}

}  // namespace

std::vector<KernelResult> run_kernels(const std::vector<KernelBenchmark>& kernels,
                                      const KernelPolicy& policy, const Done& done) {
    const auto prepared = std::make_shared<Prepared>();
    Collector collector(prepared, policy, done);
    for (const auto& kernel : kernels) {
        for (const std::int64_t size : kernel.sizes) {
            KernelResult result;
            result.name = kernel.name;
            result.size_of = kernel.size_of;
            result.size = size;
            collector.expect(fmt::format("{}/{}", kernel.name, size), result);
            add(kernel, size, policy, prepared);
        }
    }
    benchmark::RunSpecifiedBenchmarks(&collector, "all");
    benchmark::ClearRegisteredBenchmarks();
    require(collector.all_came(), "Google Benchmark left out a kernel");
    return collector.take();
}

}  // namespace shardstone::benchmarks
