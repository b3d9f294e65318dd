// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "benchmarks/collectives/accuracy_depth.hpp"
#include "benchmarks/collectives/accuracy_inputs.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Communicator;

/// The unit in the last place that the type has at `value`.
template <class T>
double ulp_at(double value) {
    if constexpr (element_traits<T>::is_integer) {
        return 1.0;
    } else {
        const double magnitude = std::max(std::abs(value), element_traits<T>::smallest_normal);
        return std::ldexp(2.0 * element_traits<T>::unit_roundoff, std::ilogb(magnitude));
    }
}

/// (1 + u)^n - 1.
template <class T>
double relative_bound(int depth) {
    if constexpr (element_traits<T>::is_integer) {
        return 0.0;
    } else {
        return std::expm1(depth * std::log1p(element_traits<T>::unit_roundoff));
    }
}

double share(double error, double bound) {
    if (error == 0.0) return 0.0;
    // What is not a number is beyond every bound.
    return error <= bound ? error / bound
                          : std::max(error / bound, std::nextafter(1.0, 2.0));
}

/// Sets the errors of this rank's result.
template <class T>
void compare(const T* result, std::span<const SumInputs::Exact> exact, SumAccuracy& accuracy) {
    const double relative = relative_bound<T>(accuracy.depth);
    double squares = 0.0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const auto got = static_cast<double>(static_cast<arithmetic_of<T>>(result[i]));
        double error = std::abs(exact[i].error_of(got));
        if (!std::isfinite(error)) error = std::numeric_limits<double>::infinity();
        const double bound = relative * std::abs(exact[i].high);
        const double ulp = ulp_at<T>(exact[i].high);
        squares += (error / ulp) * (error / ulp);
        accuracy.max_error_ulp = std::max(accuracy.max_error_ulp, error / ulp);
        accuracy.bound_ulp = std::max(accuracy.bound_ulp, bound / ulp);
        accuracy.share_of_bound = std::max(accuracy.share_of_bound, share(error, bound));
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, exact.size()));
    accuracy.rms_error_ulp = std::sqrt(squares / count);
}

/// The bits of every run, on this rank.
std::vector<std::string> run(Communicator& communicator, const AccuracyRequest& request,
                             const SumInputs& inputs, const std::string& algorithm,
                             ElementType type) {
    const auto size_bytes = request.count * static_cast<std::int64_t>(element_size(type));
    const auto buffer =
        collectives::make_buffer(communicator, "all_reduce", algorithm, size_bytes);
    collectives::AllReduce all_reduce(communicator, algorithm, request.count, type,
                                      collectives::Reduction::sum);
    std::vector<std::string> bits;
    for (int r = 0; r < request.runs; ++r) {
        inputs.fill(buffer.get(), request.count, communicator.rank());
        all_reduce.run(buffer.get());
        bits.emplace_back(reinterpret_cast<const char*>(buffer.get()),
                          static_cast<std::size_t>(size_bytes));
    }
    return bits;
}

SumAccuracy measure_one(Communicator& communicator, const AccuracyRequest& request,
                        const SumInputs& inputs, std::span<const SumInputs::Exact> exact,
                        const std::string& name, ElementType type) {
    const auto algorithm = collectives::find_algorithm("all_reduce", name);
    SumAccuracy accuracy;
    accuracy.algorithm = name;
    accuracy.type = type;
    accuracy.ranks = communicator.size();
    accuracy.count = request.count;
    accuracy.depth = summation_depth(algorithm, communicator.topology());
    accuracy.depth_is_seen = algorithm.has_schedule();
    const auto bits = run(communicator, request, inputs, name, type);
    for (const std::string& of_run : bits) {
        dispatch(type, [&](auto zero) {
            std::vector<decltype(zero)> result(exact.size());
            std::memcpy(static_cast<void*>(result.data()), of_run.data(), of_run.size());
            compare(result.data(), exact, accuracy);
        });
    }
    const std::string of_root = communicator.broadcast(bits.front());
    const bool same_runs = std::ranges::count(bits, bits.front()) == std::ssize(bits);
    accuracy.same_in_all_runs = communicator.min(same_runs ? 1.0 : 0.0) > 0.0;
    accuracy.same_on_all_ranks = communicator.min(bits.front() == of_root ? 1.0 : 0.0) > 0.0;
    accuracy.digest = stream_of(of_root);
    accuracy.max_error_ulp = communicator.max(accuracy.max_error_ulp);
    accuracy.rms_error_ulp = communicator.max(accuracy.rms_error_ulp);
    accuracy.share_of_bound = communicator.max(accuracy.share_of_bound);
    return accuracy;
}

}  // namespace

std::vector<SumAccuracy> measure_accuracy(Communicator& communicator,
                                          const AccuracyRequest& request,
                                          const std::function<void(const SumAccuracy&)>& measured) {
    std::vector<SumAccuracy> all;
    for (const ElementType type : request.types) {
        const SumInputs inputs(type, communicator.size());
        const auto exact = inputs.sums(request.count);
        for (const std::string& name : request.algorithms) {
            all.push_back(measure_one(communicator, request, inputs, exact, name, type));
            measured(all.back());
        }
    }
    return all;
}

}  // namespace shardstone::benchmarks
