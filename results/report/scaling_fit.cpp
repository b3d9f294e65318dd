// SPDX-License-Identifier: BSD-3-Clause
// Laws of scaling and the cost model, fitted to the smaller points and judged on the largest.
#include "results/report/scaling_fit.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// Points as models see them: all but the largest, and that one's ranks.
struct Seen {
    std::vector<double> ratios;     ///< m of the points seen
    std::vector<double> log_rates;  ///< of these
    std::vector<double> predicted;  ///< rates by the cost model, of these; empty where unknown
    double target_ratio = 1.0;
    double target_predicted = NAN;
};

struct Law {
    double log_rate = 0.0;  ///< of the largest point
    std::string parameters;
};
using Model = std::optional<Law> (*)(const Seen& seen);

/// m / S - 1, which both laws are linear in.
double slowdown(const Seen& seen, std::size_t i) {
    return seen.ratios[i] / std::exp(seen.log_rates[i] - seen.log_rates.front()) - 1.0;
}

Law law_of(const Seen& seen, double serial, double crosstalk, std::string parameters) {
    const double m = seen.target_ratio;
    const double speedup = m / (1.0 + serial * (m - 1.0) + crosstalk * m * (m - 1.0));
    return {seen.log_rates.front() + std::log(speedup), std::move(parameters)};
}

std::optional<Law> amdahl(const Seen& seen) {
    if (seen.ratios.size() < 2) return std::nullopt;
    double xy = 0.0, xx = 0.0;
    for (std::size_t i = 1; i < seen.ratios.size(); ++i) {
        const double x = seen.ratios[i] - 1.0;
        xy += x * slowdown(seen, i);
        xx += x * x;
    }
    const double serial = xy / xx;
    return law_of(seen, serial, 0.0, fmt::format("serial share {}", percent_text(serial)));
}

std::optional<Law> universal(const Seen& seen) {
    if (seen.ratios.size() < 3) return std::nullopt;
    double aa = 0.0, ab = 0.0, bb = 0.0, ay = 0.0, by = 0.0;
    for (std::size_t i = 1; i < seen.ratios.size(); ++i) {
        const double a = seen.ratios[i] - 1.0, b = seen.ratios[i] * a, y = slowdown(seen, i);
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ay += a * y;
        by += b * y;
    }
    const double determinant = aa * bb - ab * ab;
    const double serial = (ay * bb - by * ab) / determinant;
    const double crosstalk = (by * aa - ay * ab) / determinant;
    return law_of(
        seen, serial, crosstalk,
        fmt::format("contention {}, coherency {}", percent_text(serial), percent_text(crosstalk)));
}

std::optional<Law> cost_model(const Seen& seen) {
    if (seen.predicted.empty()) return std::nullopt;
    double log_ratio = 0.0;
    for (std::size_t i = 0; i < seen.predicted.size(); ++i) {
        log_ratio += (seen.log_rates[i] - std::log(seen.predicted[i])) /
                     static_cast<double>(seen.predicted.size());
    }
    return Law{std::log(seen.target_predicted) + log_ratio,
               fmt::format("measured over predicted {}", percent_text(std::exp(log_ratio)))};
}

Seen seen_of(const ScalingCurve& curve) {
    Seen seen;
    bool is_predicted = true;
    for (const ScalingPoint& point : curve.points) is_predicted &= point.predicted_s() > 0.0;
    const auto predicted = [](const ScalingPoint& point) {
        return point.tokens_per_step / point.predicted_s();
    };
    for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
        const ScalingPoint& point = curve.points[i];
        seen.ratios.push_back(point.ranks / curve.base().ranks);
        seen.log_rates.push_back(std::log(point.rate));
        if (is_predicted) seen.predicted.push_back(predicted(point));
    }
    seen.target_ratio = curve.points.back().ranks / curve.base().ranks;
    if (is_predicted) seen.target_predicted = predicted(curve.points.back());
    return seen;
}

/// Standard deviation of a run's log rate about its point, and its degrees of freedom.
struct RunDeviation {
    double deviation = NAN;
    std::size_t degrees = 0;
};

RunDeviation run_deviation(const ScalingCurve& curve) {
    double squares = 0.0;
    std::size_t degrees = 0;
    for (const ScalingPoint& point : curve.points) {
        for (const double rate : point.rates) {
            squares += std::pow(std::log(rate / point.rate), 2);
        }
        degrees += point.rates.size() - 1;
    }
    if (degrees == 0) return {};
    return {std::sqrt(squares / static_cast<double>(degrees)), degrees};
}

/// Half of the interval for the log rate of the largest point.
double half_width_of(const ScalingCurve& curve, Model model, const Seen& seen) {
    const auto [deviation, degrees] = run_deviation(curve);
    if (degrees == 0) return NAN;
    double variance = 1.0 / static_cast<double>(curve.points.back().rates.size());
    for (std::size_t i = 0; i < seen.log_rates.size(); ++i) {
        constexpr double step = 1e-5;
        Seen more = seen, less = seen;
        more.log_rates[i] += step;
        less.log_rates[i] -= step;
        const double slope = (model(more)->log_rate - model(less)->log_rate) / (2.0 * step);
        variance += slope * slope / static_cast<double>(curve.points[i].rates.size());
    }
    // half_width() of n samples is t(n - 1) deviation / sqrt(n).
    const std::size_t samples = degrees + 1;
    return half_width(deviation, samples) * std::sqrt(static_cast<double>(samples) * variance);
}

}  // namespace

std::vector<ScalingFit> scaling_fits(const ScalingCurve& curve) {
    struct Named {
        const char* name;
        Model model;
    };
    constexpr std::array models{Named{"Amdahl's law", amdahl},
                                Named{"the universal scalability law", universal},
                                Named{"the cost model", cost_model}};
    const Seen seen = seen_of(curve);
    std::vector<ScalingFit> fits;
    for (const auto& [name, model] : models) {
        const auto law = model(seen);
        if (!law || !std::isfinite(law->log_rate)) continue;
        const double half = half_width_of(curve, model, seen);
        ScalingFit& fit = fits.emplace_back();
        fit.model = name;
        fit.parameters = law->parameters;
        fit.rate = std::exp(law->log_rate);
        fit.interval = {fit.rate * std::exp(-half), fit.rate * std::exp(half)};
        const double measured = curve.points.back().rate;
        if (std::isfinite(half))
            fit.holds = fit.interval.low <= measured && measured <= fit.interval.high;
    }
    return fits;
}

}  // namespace shardstone::results
