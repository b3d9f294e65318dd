// SPDX-License-Identifier: BSD-3-Clause
// Energy, power, clocks and temperature of a GPU, read while it computes.
#include "benchmarks/harness/gpu_meter.hpp"

#include <fmt/format.h>

namespace shardstone::benchmarks {

namespace {

using namespace results::nvml;

template <class Value>
double scaled(const std::optional<Value>& value, double scale = 1.0) {
    return value ? static_cast<double>(*value) * scale : results::not_measured;
}

std::string limits_in_words(unsigned long long limits) {
    std::string words;
    const auto add = [&](unsigned long long bits, const char* word) {
        if ((limits & bits) != 0) words += (words.empty() ? "" : ", ") + std::string(word);
    };
    add(by_power, "power");
    add(by_heat, "heat");
    add(by_either, "hardware");
    add(by_settings, "settings");
    return words;
}

}  // namespace

GpuMeter::GpuMeter(const std::string& address, const std::string& library)
    : library_(library), why_none_(library_.why_none()) {
    if (!why_none_.empty()) return;
    const Functions& f = library_.functions();
    if (f.handle_at == nullptr || f.handle_at(address.c_str(), &device_) != success) {
        why_none_ = fmt::format("{} knows no GPU at {}", library, address);
    }
}

void GpuMeter::read(double time_s) {
    if (!why_none_.empty()) return;
    constexpr double milli = 1e-3;
    const Functions& f = library_.functions();
    results::GpuReadingRow row;
    row.time_s = time_s;
    // First what changes soonest: the work may end meanwhile.
    row.sm_mhz = scaled(asked<unsigned>(f.clock_mhz, device_, clock_sm));
    const auto limits = asked<unsigned long long>(f.clock_limits, device_);
    row.limited_by = limits ? limits_in_words(*limits) : results::limit_not_told;
    row.power_w = scaled(asked<unsigned>(f.power_mw, device_), milli);
    row.energy_j = scaled(asked<unsigned long long>(f.energy_mj, device_), milli);
    row.celsius = scaled(asked<unsigned>(f.celsius, device_, sensor_of_gpu));
    if (readings_.size() == most_readings) thin_out();
    readings_.push_back(std::move(row));
}

void GpuMeter::lap(double time_s) {
    const bool is_due = readings_.empty() || time_s - readings_.back().time_s >= pace_s_;
    if (is_due) read(time_s);
}

/// The first one stays: what was used is told from there.
void GpuMeter::thin_out() {
    std::vector<results::GpuReadingRow> kept;
    for (std::size_t i = 0; i < readings_.size(); i += 2) kept.push_back(std::move(readings_[i]));
    readings_ = std::move(kept);
    pace_s_ *= 2.0;
}

}  // namespace shardstone::benchmarks
