// SPDX-License-Identifier: BSD-3-Clause
// A cluster description becomes a SimGrid platform with plain alpha-beta costs, hosts and routes.
#include "benchmarks/collectives/simgrid/platform.hpp"

#include <fmt/format.h>

#include <map>
#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

#include "collectives/simulation/fabric.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::benchmarks {

namespace {

namespace s4u = simgrid::s4u;
using collectives::ClusterDescription;
using collectives::Fabric;
using collectives::Route;

/// Off: what SMPI adds to latency and bandwidth by message size, its copies of small messages that
/// let the sender go on (every message is a rendezvous), the time of its own calls and of the host,
/// acknowledgements that take bandwidth, TCP's window, and rates that depend on the round trip.
constexpr const char* plain_models[] = {
    "network/model:SMPI",
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:1",
    "smpi/async-small-thresh:0",
    "smpi/send-is-detached-thresh:0",
    "network/crosstraffic:0",
    "network/TCP-gamma:1e15",
    "network/weight-S:0",
    "surf/precision:1e-12",
    "smpi/simulate-computation:0",
    "smpi/wtime:0",
};

/// Any size: without curves the pace is one.
Route route_between(const Fabric& fabric, int from, int to) {
    return fabric.route(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), 1);
}

class Platform {
  public:
    Platform(const ClusterDescription& cluster, int ranks, double bandwidth_factor)
        : cluster_(cluster),
          fabric_(cluster, ranks),
          bandwidth_factor_(bandwidth_factor),
          zone_(s4u::create_full_zone("cluster")) {
        add_hosts();
        add_links();
        for (int from = 0; from < ranks; ++from) {
            for (int to = 0; to < ranks; ++to) {
                if (from != to) add_route(from, to);
            }
        }
        zone_->seal();
    }

  private:
    void add_hosts() {
        const double speed = cluster_.reduction.rate_gb_s * 1e9;
        for (int rank = 0; rank < fabric_.size(); ++rank) {
            s4u::Host* const host = zone_->create_host(fmt::format("{}", rank), speed);
            host->set_property("node", fmt::format("{}", rank / cluster_.ranks_per_node));
            host->seal();
            hosts_.push_back(host);
        }
    }

    void add_links() {
        for (std::uint32_t link = 0; link < fabric_.links(); ++link) {
            links_.push_back(zone_->create_link(fmt::format("link {}", link),
                                                fabric_.capacity(link) * bandwidth_factor_));
            links_.back()->seal();
        }
    }

    s4u::Link* pace_of(const Route& route) {
        s4u::Link*& pace = paces_[{route.alpha_s, route.beta_s_per_byte}];
        if (pace == nullptr) {
            pace = zone_->create_link(fmt::format("pace {}", paces_.size()),
                                      bandwidth_factor_ / route.beta_s_per_byte);
            pace->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
            pace->set_latency(route.alpha_s)->seal();
        }
        return pace;
    }

    void add_route(int from, int to) {
        const Route route = route_between(fabric_, from, to);
        std::vector<s4u::LinkInRoute> way{s4u::LinkInRoute(pace_of(route))};
        for (int i = 0; i < route.length; ++i) {
            way.emplace_back(links_[route.links[static_cast<std::size_t>(i)]]);
        }
        zone_->add_route(hosts_[static_cast<std::size_t>(from)]->get_netpoint(),
                         hosts_[static_cast<std::size_t>(to)]->get_netpoint(), nullptr, nullptr,
                         way, false);
    }

    const ClusterDescription& cluster_;
    const Fabric fabric_;
    const double bandwidth_factor_;
    s4u::NetZone* zone_;
    std::vector<s4u::Host*> hosts_;
    std::vector<s4u::Link*> links_;
    std::map<std::pair<double, double>, s4u::Link*> paces_;  ///< by alpha and beta
};

}  // namespace

void build_platform(const ClusterDescription& cluster, int ranks, double bandwidth_factor) {
    const bool plain = cluster.intra_node.measured.empty() && cluster.inter_node.measured.empty() &&
                       cluster.reduction.measured.empty();
    require(plain, [&] {
        return fmt::format(
            "cluster {} has curves measured over sizes, which SimGrid is not given here: use one "
            "described by alpha and bandwidth",
            cluster.name);
    });
    for (const char* const setting : plain_models) s4u::Engine::set_config(setting);
    Platform(cluster, ranks, bandwidth_factor);
}

}  // namespace shardstone::benchmarks
