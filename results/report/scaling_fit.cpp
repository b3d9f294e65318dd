// SPDX-License-Identifier: BSD-3-Clause
// Laws of scaling and the cost model, fitted to the smaller points and judged on the largest.
#include "results/report/scaling_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "kernels/base/statistics.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

/// Points as models see them: all but the largest, and that one's ranks.
struct Seen {
    std::vector<double> ratios;     ///< m of the points seen
    std::vector<double> log_rates;  ///< of these
    std::vector<double> predicted;  ///< rates by the cost model, of these; empty where unknown
    /// Shares of the predicted step besides useful passes; empty where they are not known of all.
    std::vector<double> lost;
    double target_ratio = 1.0;
    double target_predicted = NAN, target_lost = NAN;
};

struct Law {
    double log_rate = 0.0;  ///< of the largest point
    std::string parameters;
    std::vector<double> misses;  ///< log rates of the points it was fitted to, minus its own
    /// Of each of these, how far the model may be off there, where the largest point is 1.
    std::vector<double> doubts;
    std::size_t fitted = 0;  ///< numbers that were fitted
};
using Model = std::optional<Law> (*)(const Seen& seen);

/// m / S - 1, which both laws are linear in.
double slowdown(const Seen& seen, std::size_t i) {
    return seen.ratios[i] / std::exp(seen.log_rates[i] - seen.log_rates.front()) - 1.0;
}

Law law_of(const Seen& seen, double serial, double crosstalk) {
    const auto log_rate = [&](double m) {
        const double speedup = m / (1.0 + serial * (m - 1.0) + crosstalk * m * (m - 1.0));
        return seen.log_rates.front() + std::log(speedup);
    };
    Law law;
    law.log_rate = log_rate(seen.target_ratio);
    for (std::size_t i = 1; i < seen.ratios.size(); ++i) {
        law.misses.push_back(seen.log_rates[i] - log_rate(seen.ratios[i]));
    }
    return law;
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
    Law law = law_of(seen, serial, 0.0);
    law.parameters =
        fmt::format("serial share {}{}", percent_text(serial),
                    serial > 1.0 ? ", beyond 100 %: more ranks are slower than fewer" : "");
    law.fitted = 1;
    return law;
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
    Law law = law_of(seen, serial, crosstalk);
    law.parameters =
        fmt::format("contention {}, coherency {}", percent_text(serial), percent_text(crosstalk));
    law.fitted = 2;
    return law;
}

std::optional<Law> cost_model(const Seen& seen) {
    if (seen.predicted.empty()) return std::nullopt;
    Law law;
    for (std::size_t i = 0; i < seen.predicted.size(); ++i) {
        law.misses.push_back(seen.log_rates[i] - std::log(seen.predicted[i]));
    }
    for (const double lost : seen.lost) law.doubts.push_back(lost / seen.target_lost);
    law.log_rate = std::log(seen.target_predicted);
    law.parameters = fmt::format("rates measured there are {} of those predicted, geometric mean",
                                 percent_text(std::exp(mean(law.misses))));
    return law;
}

std::optional<Law> scaled_cost_model(const Seen& seen) {
    auto law = cost_model(seen);
    if (!law) return std::nullopt;
    const double log_ratio = mean(law->misses);
    for (double& miss : law->misses) miss -= log_ratio;
    law->log_rate += log_ratio;
    law->fitted = 1;
    return law;
}

/// Of the predicted step, all but its useful passes; not positive where that is not known.
double lost_share(const ScalingPoint& point) {
    const GapRow* const useful = point.split.part("useful passes");
    return useful == nullptr ? NAN : 1.0 - useful->predicted_s / point.split.predicted_s();
}

Seen seen_of(const ScalingCurve& curve) {
    Seen seen;
    bool is_predicted = true, is_lost = true;
    for (const ScalingPoint& point : curve.points) {
        is_predicted &= point.split.predicted_s() > 0.0;
        is_lost &= lost_share(point) > 0.0;
    }
    const auto predicted = [](const ScalingPoint& point) {
        return point.tokens_per_step / point.split.predicted_s();
    };
    for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
        const ScalingPoint& point = curve.points[i];
        seen.ratios.push_back(point.ranks / curve.base().ranks);
        seen.log_rates.push_back(std::log(point.rate));
        if (is_predicted) seen.predicted.push_back(predicted(point));
        if (is_predicted && is_lost) seen.lost.push_back(lost_share(point));
    }
    seen.target_lost = lost_share(curve.points.back());
    seen.target_ratio = curve.points.back().ranks / curve.base().ranks;
    if (is_predicted) seen.target_predicted = predicted(curve.points.back());
    return seen;
}

/// A standard deviation and its degrees of freedom, which it has none of where it is not known.
struct Deviation {
    double of_one = 0.0;
    std::size_t degrees = 0;

    /// Half of Student's t interval, 95 %, for what varies this many times as much as one.
    double half_width_of(double variance) const {
        // half_width() of n samples is t(n - 1) deviation / sqrt(n).
        const std::size_t samples = degrees + 1;
        return degrees == 0 ? NAN
                            : half_width(of_one, samples) *
                                  std::sqrt(static_cast<double>(samples) * variance);
    }
};

Deviation deviation_of(double squares, std::size_t degrees) {
    if (degrees == 0) return {};
    return {std::sqrt(squares / static_cast<double>(degrees)), degrees};
}

/// Of a run's log rate about its point.
Deviation run_deviation(const ScalingCurve& curve) {
    double squares = 0.0;
    std::size_t degrees = 0;
    for (const ScalingPoint& point : curve.points) {
        for (const double rate : point.rates) {
            squares += std::pow(std::log(rate / point.rate), 2);
        }
        degrees += point.rates.size() - 1;
    }
    return deviation_of(squares, degrees);
}

/// Of a point's log rate about the model, as if it were off alike at all points; with `doubts`, by
/// as much of what is lost there.
Deviation misfit(const Law& law, bool doubts) {
    double squares = 0.0;
    for (std::size_t i = 0; i < law.misses.size(); ++i) {
        const double doubt = doubts && !law.doubts.empty() ? law.doubts[i] : 1.0;
        squares += std::pow(law.misses[i] / doubt, 2);
    }
    return deviation_of(squares, law.misses.size() - std::min(law.misses.size(), law.fitted));
}

/// What the largest point's log rate changes by with that of each point seen.
std::vector<double> slopes_of(Model model, const Seen& seen) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < seen.log_rates.size(); ++i) {
        constexpr double step = 1e-5;
        Seen more = seen, less = seen;
        more.log_rates[i] += step;
        less.log_rates[i] -= step;
        slopes.push_back((model(more)->log_rate - model(less)->log_rate) / (2.0 * step));
    }
    return slopes;
}

/// Half of the interval for the log rate of the largest point.
double half_width_of(const ScalingCurve& curve, Model model, const Seen& seen) {
    const std::vector<double> slopes = slopes_of(model, seen);
    double of_runs = 1.0 / static_cast<double>(curve.points.back().rates.size());
    double of_points = 1.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const double square = slopes[i] * slopes[i];
        of_runs += square / static_cast<double>(curve.points[i].rates.size());
        of_points += square;
    }
    const Law law = *model(seen);
    // A NaN is not the larger of two.
    return std::fmax(run_deviation(curve).half_width_of(of_runs),
                     std::fmax(misfit(law, false).half_width_of(of_points),
                               misfit(law, true).half_width_of(of_points)));
}

FitVerdict verdict_of(const ScalingFit& fit, bool disturbed) {
    if (!fit.holds) return FitVerdict::no_interval;
    if (disturbed) return FitVerdict::disturbed;
    if (!*fit.holds) return FitVerdict::missed;
    const bool is_wide = fit.interval.high > most_interval_factor * fit.interval.low;
    return is_wide ? FitVerdict::too_wide : FitVerdict::held;
}

}  // namespace

std::string to_string(FitVerdict verdict) {
    constexpr std::array words{"held", "missed", "cannot be judged: disturbed",
                               "cannot be judged: too wide", "cannot be judged: no interval"};
    return words.at(static_cast<std::size_t>(verdict));
}

std::vector<ScalingFit> scaling_fits(const ScalingCurve& curve) {
    struct Named {
        const char* name;
        Model model;
    };
    constexpr std::array models{
        Named{"Amdahl's law", amdahl}, Named{"the universal scalability law", universal},
        Named{"the cost model", cost_model}, Named{"the cost model, scaled", scaled_cost_model}};
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
        fit.verdict = verdict_of(fit, curve.is_disturbed());
    }
    return fits;
}

}  // namespace shardstone::results
