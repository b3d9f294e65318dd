// SPDX-License-Identifier: BSD-3-Clause
// Options of `shardstone validate interconnect`, from words to what is measured.
#include "jobs/command/interconnect_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "collectives/cluster/description.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/cluster/toml_reader.hpp"
#include "jobs/command/device_option.hpp"
#include "kernels/base/duration.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/running_kernel.hpp"
#include "kernels/base/shared_files.hpp"
#include "kernels/base/units.hpp"
#include "reference/trainer/options.hpp"
#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/foreseen.hpp"

namespace shardstone::command {

namespace {

using collectives::Communicator;
using namespace validation;

/// Made unless --part says otherwise; with a description also traffic.
constexpr std::array usual_parts{"pairs", "congestion", "ranks", "clocks"};
constexpr const char* traffic_part = "traffic";

std::string acceptance_text(const std::string& file, const std::string& named) {
    try {
        return collectives::read_toml_text(file);
    } catch (const Error& error) {
        fail(fmt::format("--accept '{}': {}: give an acceptance file, or the name of one of: {}",
                         named, error.what(), fmt::join(shared_names("acceptance"), ", ")));
    }
}

InterconnectParts parts_of(InterconnectRequest& request) {
    if (request.parts.empty()) {
        request.parts.assign(usual_parts.begin(), usual_parts.end());
        if (!request.cluster.empty()) request.parts.push_back(traffic_part);
    }
    const auto has = [&](const char* part) {
        return std::ranges::find(request.parts, part) != request.parts.end();
    };
    const InterconnectParts parts{has("pairs"), has("congestion"), has("ranks"), has("clocks"),
                                  has(traffic_part)};
    require(!parts.traffic || request.device == "cpu",
            "--part traffic with --device cuda: traffic is that of messages between hosts, held "
            "against links between them; omit one of the two");
    require(!parts.traffic || !request.cluster.empty(),
            "--part traffic: add --cluster FILE, a description to predict it from: shardstone "
            "calibrate writes one");
    return parts;
}

/// Messages of pairs are then between GPUs, and no others. Collective.
void take_gpus(InterconnectRequest& request, Communicator& world) {
    const auto device = world.agree([&] { return reference::parse_device(request.device); });
    if (device == reference::DeviceKind::cpu) return;
    world.agree([&] {
        require(request.cluster.empty(),
                "--cluster with --device cuda: the traffic that it predicts is that of messages "
                "between hosts: omit one of the two");
        require(world.size() > 1,
                "--device cuda: one rank has nobody to pass messages to or to be compared with: "
                "start more");
        request.gpu = require_gpu();
    });
    require_messages_between_gpus(world);
    request.options.memory = collectives::DataMemory::gpu;
    choose_gpus(world);
    // So that what NCCL takes to begin is no part of the tests.
    collectives::make_pair_messages(world, request.options.memory, 1);
}

/// Clocks need no GPU.
void require_work_of_gpus(const InterconnectOptions& options, const Communicator& world) {
    const bool has_work = options.parts.pairs || options.parts.ranks ||
                          (options.parts.congestion && world.topology().nodes() > 1);
    require(options.memory == collectives::DataMemory::host || has_work,
            "--device cuda: these tests need no GPU: add pairs or ranks to --part, or omit "
            "--device");
}

std::vector<AcceptanceLimit> limits_in(const InterconnectRequest& request,
                                       const std::string& file) {
    const std::string theirs = memory_of_acceptance(request.accept_text, file);
    const std::string ours =
        request.options.memory == collectives::DataMemory::gpu ? "gpu" : "host";
    require(theirs == ours, [&] {
        return fmt::format(
            "--accept {} with --device {}: its limits are for memory = \"{}\"{}: give a file that "
            "has memory = \"{}\" above its first [[limit]]",
            request.accept, request.device, theirs,
            theirs == "host" ? ", as are those of a file that does not say so" : "", ours);
    });
    return parse_acceptance(request.accept_text, file);
}

/// They share its memory, also where they are declared to be on several nodes. Collective.
int most_ranks_of_a_machine(const Communicator& world) {
    const auto kernels = world.all_gather(std::array{running_kernel()});
    std::ptrdiff_t most = 0;
    for (const auto& kernel : kernels) most = std::max(most, std::ranges::count(kernels, kernel));
    return static_cast<int>(most);
}

/// For predictions of traffic.
void declare_cluster(const InterconnectRequest& request, Communicator& world) {
    if (request.cluster.empty()) return;
    world.declare_cluster(world.agree([&] {
        std::error_code ignored;
        const auto file = found_shared("clusters", request.cluster);
        // Shipped descriptions are not measured, so that no names are offered.
        require(std::filesystem::is_regular_file(file, ignored), [&] {
            return fmt::format(
                "--cluster '{}' is no file that exists: give a description that shardstone "
                "calibrate measured on these ranks",
                request.cluster);
        });
        auto cluster = collectives::read_cluster(request.cluster);
        collectives::require_links_between(/*gpus=*/false, cluster, "--cluster " + request.cluster);
        const int most = cluster.nodes * cluster.ranks_per_node;
        require(world.size() <= most, [&] {
            return fmt::format("--cluster {}: it has {}, and here are {}: calibrate with as many",
                               request.cluster, counted(most, "rank"), world.size());
        });
        require(cluster.measured, [&] {
            return fmt::format(
                "--cluster {}: it was not measured: its rates are assumed, and traffic cannot be "
                "held against them: run shardstone calibrate on these ranks",
                request.cluster);
        });
        return cluster;
    }));
}

}  // namespace

void resolve(InterconnectRequest& request, Communicator& world) {
    take_gpus(request, world);
    const std::string file = found_shared("acceptance", request.accept).string();
    request.accept_text = world.agree([&] {
        return world.is_root() && !file.empty() ? acceptance_text(file, request.accept)
                                                : std::string();
    });
    request.accept_text = world.broadcast(request.accept_text);
    const int ranks_of_machine = most_ranks_of_a_machine(world);
    world.agree([&] {
        InterconnectOptions& options = request.options;
        options.sizes_bytes.clear();
        for (const auto& size : request.sizes) {
            options.sizes_bytes.push_back(parse_size_bytes(size));
        }
        if (!file.empty()) options.limits = limits_in(request, file);
        for (const AcceptanceLimit& limit : options.limits) {
            if (limit.size_bytes > 0) options.sizes_bytes.push_back(limit.size_bytes);
        }
        options.parts = parts_of(request);
        require_work_of_gpus(options, world);
        std::ranges::sort(options.sizes_bytes);
        const auto twice = std::ranges::unique(options.sizes_bytes);
        options.sizes_bytes.erase(twice.begin(), twice.end());
        if (!request.soak.empty()) options.soak_s = parse_duration_s(request.soak);
        require_measurable(options, world.topology(), ranks_of_machine);
        require_limits_measurable(options, world.topology(), request.accept,
                                  collectives::node_name());
        require(request.resume.empty() || options.soak_s > 0.0,
                "--resume goes on with a soak: give --for as well");
    });
    declare_cluster(request, world);
}

}  // namespace shardstone::command
