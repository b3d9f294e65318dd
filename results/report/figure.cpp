// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/figure.hpp"

#include <algorithm>
#include <cmath>

#include "results/report/html.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

using nlohmann::json;

json line_trace(const std::string& name, const std::vector<double>& x, const std::vector<double>& y,
                int shade) {
    return {{"type", "scatter"},
            {"mode", "lines+markers"},
            {"name", escape_html(name)},
            {"x", x},
            {"y", y},
            {"legendgroup", name},
            {"shade", shade}};
}

void make_dashed(json& trace) {
    trace["mode"] = "lines";
    trace["line"]["dash"] = "dash";
    trace["line"]["width"] = 1.5;
    trace["opacity"] = 0.75;
}

void add_interval(json& trace, const std::vector<double>& low, const std::vector<double>& high) {
    json above = json::array();
    json below = json::array();
    for (std::size_t i = 0; i < low.size(); ++i) {
        const double y = trace["y"][i].is_number() ? trace["y"][i].get<double>() : NAN;
        const bool known = std::isfinite(low[i]) && std::isfinite(high[i]) && std::isfinite(y);
        above.push_back(known ? high[i] - y : 0.0);
        below.push_back(known ? y - low[i] : 0.0);
    }
    trace["error_y"] = {{"type", "data"},      {"symmetric", false}, {"array", above},
                        {"arrayminus", below}, {"thickness", 1.2},   {"width", 3}};
}

json bar_trace(const std::string& name, const std::vector<std::string>& labels,
               const std::vector<double>& values, int shade, bool horizontal) {
    json trace{{"type", "bar"}, {"name", escape_html(name)}, {"shade", shade}};
    json& names = trace[horizontal ? "y" : "x"] = json::array();
    for (const auto& label : labels) names.push_back(escape_html(label));
    trace[horizontal ? "x" : "y"] = values;
    if (horizontal) trace["orientation"] = "h";
    return trace;
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
    json places = json::array();
    json labels = json::array();
    if (greatest > 0.0) {
        for (double power = std::floor(std::log10(least)); power <= std::ceil(std::log10(greatest));
             power += 1.0) {
            places.push_back(std::pow(10.0, power));
            labels.push_back(text(std::pow(10.0, power)));
        }
    }
    return {{"title", title}, {"type", "log"}, {"tickvals", places}, {"ticktext", labels}};
}

json linear_axis(const std::string& title) {
    return {{"title", title}, {"rangemode", "tozero"}, {"separatethousands", true}};
}

json size_axis(const std::vector<double>& sizes) {
    constexpr std::size_t most_ticks = 8;
    const std::size_t stride = (sizes.size() + most_ticks - 1) / most_ticks;
    json places = json::array();
    json labels = json::array();
    for (std::size_t i = 0; i < sizes.size(); i += stride) {
        if (sizes[i] <= 0.0) continue;
        places.push_back(sizes[i]);
        labels.push_back(size_text(sizes[i]));
    }
    return {{"title", "Message size"}, {"type", "log"}, {"tickvals", places}, {"ticktext", labels}};
}

json count_axis(const std::string& title, const std::vector<double>& counts) {
    json labels = json::array();
    for (const double count : counts) labels.push_back(count_text(count));
    return {{"title", title}, {"type", "log"}, {"tickvals", counts}, {"ticktext", labels}};
}

}  // namespace shardstone::results
