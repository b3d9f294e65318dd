// SPDX-License-Identifier: BSD-3-Clause
// Traces and axes of a report's figures, as the JSON that the page's script draws.
#include "results/report/figure.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "results/report/words.hpp"

namespace shardstone::results {

using nlohmann::json;

namespace {

json tick_at(double value, const std::string& text) {
    return {{"at", value}, {"text", text}};
}

}  // namespace

json line_trace(const std::string& name, const std::vector<double>& x, const std::vector<double>& y,
                int shade) {
    return {{"name", name}, {"x", x}, {"y", y}, {"shade", shade}};
}

void make_dashed(json& trace) {
    trace["dashed"] = true;
    trace["points"] = false;
    trace["width"] = 1.5;
}

void add_interval(json& trace, const std::vector<double>& low, const std::vector<double>& high) {
    trace["low"] = low;  // what is not finite becomes null, and no bar
    trace["high"] = high;
}

void mark_disturbed(json& trace, const std::vector<bool>& disturbed, Figure& figure) {
    constexpr std::string_view remark = " (hollow: disturbed)";
    if (std::ranges::count(disturbed, true) == 0) return;
    trace["hollow"] = disturbed;
    if (!figure.title.ends_with(remark)) figure.title += remark;
}

json bar_trace(const std::string& name, const std::vector<double>& values, int shade) {
    return {{"name", name}, {"y", values}, {"shade", shade}};
}

json plain_axis(const std::string& title) {
    return {{"title", title}};
}

json linear_axis(const std::string& title) {
    return {{"title", title}, {"zero", true}};
}

json log_axis(const std::string& title) {
    return {{"title", title}, {"log", true}};
}

json decade_axis(const std::string& title, const std::vector<double>& values,
                 std::string (*text)(double)) {
    double least = INFINITY;
    double greatest = 0.0;
    for (const double value : values) {
        if (!(value > 0.0) || !std::isfinite(value)) continue;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    }
    json axis = log_axis(title);
    axis["ticks"] = json::array();
    if (!(greatest > 0.0)) return axis;
    for (double power = std::floor(std::log10(least)); power <= std::ceil(std::log10(greatest));
         power += 1.0) {
        axis["ticks"].push_back(tick_at(std::pow(10.0, power), text(std::pow(10.0, power))));
    }
    return axis;
}

json size_axis(const std::vector<double>& sizes) {
    constexpr std::size_t most_ticks = 8;
    const std::size_t stride = (sizes.size() + most_ticks - 1) / most_ticks;
    json axis = log_axis("Message size");
    axis["ticks"] = json::array();
    axis["room"] = true;
    for (std::size_t i = 0; i < sizes.size(); i += stride) {
        if (sizes[i] > 0.0) axis["ticks"].push_back(tick_at(sizes[i], size_text(sizes[i])));
    }
    return axis;
}

json count_axis(const std::string& title, const std::vector<double>& counts) {
    json axis = log_axis(title);
    axis["ticks"] = json::array();
    axis["room"] = true;
    for (const double count : counts) axis["ticks"].push_back(tick_at(count, count_text(count)));
    return axis;
}

}  // namespace shardstone::results
