// SPDX-License-Identifier: BSD-3-Clause
// What nodes of a cluster are compared by: processor, memory, clocks, software, settings, errors.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <fstream>
#include <limits>
#include <system_error>

#include "kernels/base/utf8.hpp"
#include "results/inventory/facts.hpp"
#include "results/record/environment.hpp"
#include "results/record/health.hpp"
#include "results/record/kernel_files.hpp"

namespace shardstone::results {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Facts = std::vector<FactRow>;

void add_text(Facts& facts, const char* kind, const char* subject,
              const std::optional<std::string>& text) {
    if (text) facts.push_back(text_fact(kind, subject, *text));
}

void add_machine(const json& machine, Facts& facts) {
    facts.push_back(text_fact("processor", "model", machine.at("cpu")));
    facts.push_back(number_fact("processor", "packages", machine.at("packages")));
    facts.push_back(number_fact("processor", "cores", machine.at("cores")));
    facts.push_back(number_fact("processor", "hardware threads", machine.at("hardware_threads")));
    facts.push_back(number_fact("processor", "NUMA nodes", machine.at("numa_nodes")));
    facts.push_back(text_fact("processor", "caches", caches_in_words(machine)));
    if (machine.contains("memory_bytes")) {
        facts.push_back(number_fact("memory", "memory_bytes", machine.at("memory_bytes")));
    }
    facts.push_back(text_fact("software", "kernel", machine.at("kernel")));
}

/// What the cores' files of one name hold: "performance", or "performance on 3, powersave on 1".
std::optional<std::string> over_cores(const HostFiles& files, const char* name) {
    std::map<std::string, int> cores;
    std::error_code ignored;
    const fs::path all = files.sys / "devices/system/cpu";
    for (fs::directory_iterator cpu(all, ignored), end; cpu != end; cpu.increment(ignored)) {
        const std::string folder = cpu->path().filename().string();
        const bool is_core = folder.starts_with("cpu") && folder.size() > 3 &&
                             std::isdigit(static_cast<unsigned char>(folder[3])) != 0;
        const auto value = is_core ? line_of_file(cpu->path() / "cpufreq" / name) : std::nullopt;
        if (value) ++cores[*value];
        if (ignored) break;
    }
    if (cores.empty()) return std::nullopt;
    if (cores.size() == 1) return cores.begin()->first;
    std::string text;
    for (const auto& [value, count] : cores) {
        text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", value, count);
    }
    return text;
}

void add_clocks(const HostFiles& files, Facts& facts) {
    const fs::path cpu = files.sys / "devices/system/cpu";
    add_text(facts, "clock", "governor", over_cores(files, "scaling_governor"));
    add_text(facts, "clock", "highest clock in kHz", over_cores(files, "scaling_max_freq"));
    add_text(facts, "clock", "boost", line_of_file(cpu / "cpufreq/boost"));
    add_text(facts, "clock", "no_turbo", line_of_file(cpu / "intel_pstate/no_turbo"));
}

/// "microcode : 0xa101148" of the first core.
std::optional<std::string> microcode(const HostFiles& files) {
    std::ifstream file(files.proc / "cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("microcode") && colon != std::string::npos) {
            return as_utf8(line.substr(colon + 2));
        }
    }
    return std::nullopt;
}

void add_software(const HostFiles& files, Facts& facts) {
    for (const char* driver : {"mlx5_core", "bnxt_en", "ice", "irdma", "efa", "hfi1", "nvidia",
                               "amdgpu", "gdrdrv", "nvidia_peermem", "xpmem", "knem"}) {
        const auto version = line_of_file(files.sys / "module" / driver / "version");
        if (version)
            facts.push_back(text_fact("software", std::string("driver ") + driver, *version));
    }
    const fs::path dmi = files.sys / "class/dmi/id";
    add_text(facts, "firmware", "BIOS", line_of_file(dmi / "bios_version"));
    add_text(facts, "firmware", "model of the server", line_of_file(dmi / "product_name"));
    add_text(facts, "firmware", "microcode", microcode(files));
}

void add_settings(const HostFiles& files, Facts& facts) {
    const fs::path cpu = files.sys / "devices/system/cpu";
    const fs::path memory = files.sys / "kernel/mm";
    add_text(facts, "setting", "transparent_hugepage",
             line_of_file(memory / "transparent_hugepage/enabled"));
    add_text(facts, "setting", "hugepages of 2 MiB",
             line_of_file(memory / "hugepages/hugepages-2048kB/nr_hugepages"));
    add_text(facts, "setting", "numa_balancing",
             line_of_file(files.proc / "sys/kernel/numa_balancing"));
    add_text(facts, "setting", "smt", line_of_file(cpu / "smt/control"));
    add_text(facts, "setting", "isolated cores", line_of_file(cpu / "isolated"));
}

}  // namespace

FactRow text_fact(const std::string& kind, const std::string& subject, const std::string& text) {
    FactRow fact;
    fact.kind = kind;
    fact.subject = subject;
    fact.text = text;
    return fact;
}

FactRow number_fact(const std::string& kind, const std::string& subject, double number) {
    FactRow fact;
    fact.kind = kind;
    fact.subject = subject;
    fact.number = number;
    return fact;
}

Facts host_facts(const HostFiles& files) {
    Facts facts;
    add_machine(machine_description(files), facts);
    add_clocks(files, facts);
    add_software(files, facts);
    add_settings(files, facts);
    return facts;
}

Facts counter_facts(const HostFiles& files, const std::vector<NvmlGpu>& gpus) {
    const HealthCounters counters = read_health(files);
    HealthCounters zeros = counters;
    for (auto& [name, value] : zeros) value = 0;
    Facts facts;
    for (const HealthChange& since_boot : health_changes(zeros, counters)) {
        if (!since_boot.fails) continue;
        facts.push_back(
            number_fact("counter", since_boot.counter, static_cast<double>(since_boot.after)));
    }
    for (const NvmlGpu& gpu : gpus) {
        const auto add = [&](const char* name, double count) {
            if (count > 0.0) {
                facts.push_back(number_fact("counter", gpu.row.address + " " + name, count));
            }
        };
        add("gpu_corrected", gpu.corrected_errors);
        add("gpu_uncorrected", gpu.uncorrected_errors);
    }
    return facts;
}

}  // namespace shardstone::results
