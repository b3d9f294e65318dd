// SPDX-License-Identifier: BSD-3-Clause
// Notices between the watchdogs of different nodes, by UDP.
#include "collectives/watchdog/node_channel.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <string_view>
#include <tuple>

namespace shardstone::collectives {

namespace {

/// The IPv4 addresses under which other nodes may reach this one, "10.0.0.1 192.168.7.1 ".
std::string own_hosts() {
    std::string hosts;
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) return hosts;
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        if ((one->ifa_flags & IFF_LOOPBACK) != 0 || (one->ifa_flags & IFF_UP) == 0) continue;
        std::array<char, INET_ADDRSTRLEN> text{};
        const auto& address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
        if (inet_ntop(AF_INET, &address, text.data(), text.size()) != nullptr) {
            hosts += std::string(text.data()) + ' ';
        }
    }
    freeifaddrs(all);
    return hosts;
}

/// The port of a new socket that listens everywhere; 0 when there is none to be had.
std::uint16_t listen_somewhere(int socket) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (socket < 0 || bind(socket, generic, size) != 0) return 0;
    return getsockname(socket, generic, &size) == 0 ? ntohs(address.sin_port) : std::uint16_t{0};
}

std::uint64_t agreed_token(const Communicator& communicator) {
    std::random_device entropy;
    std::uint64_t token = std::uint64_t{entropy()} << 32 | entropy();
    communicator.broadcast(std::as_writable_bytes(std::span(&token, 1)));
    return token;
}

}  // namespace

std::vector<NodeChannel::Address> NodeChannel::addresses_of(const std::string& text) {
    std::istringstream words(text);
    std::uint16_t port = 0;
    words >> port;
    std::vector<Address> addresses;
    for (std::string host; words >> host;) {
        in_addr parsed{};
        if (inet_pton(AF_INET, host.c_str(), &parsed) == 1) {
            addresses.push_back({parsed.s_addr, htons(port)});
        }
    }
    return addresses;
}

std::unique_ptr<NodeChannel> NodeChannel::open(const Communicator& communicator) {
    if (communicator.found_topology().nodes() == 1) return nullptr;
    std::unique_ptr<NodeChannel> channel(new NodeChannel);
    channel->socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const std::uint16_t port = listen_somewhere(channel->socket_);
    if (communicator.min(port) <= 0.0) return nullptr;
    channel->token_ = agreed_token(communicator);
    for (const auto& text : communicator.all_gather(fmt::format("{} {}", port, own_hosts()))) {
        channel->addresses_.push_back(addresses_of(text));
    }
    return channel;
}

NodeChannel::~NodeChannel() {
    if (socket_ >= 0) ::close(socket_);
}

void NodeChannel::send(const Notice& notice, std::span<const int> to_ranks) const {
    const std::string data = to_datagram(notice, token_);
    for (const int rank : to_ranks) {
        for (const Address& address : addresses_[static_cast<std::size_t>(rank)]) {
            sockaddr_in to{};
            to.sin_family = AF_INET;
            to.sin_addr.s_addr = address.host;
            to.sin_port = address.port;
            // What cannot be sent is as good as lost.
            std::ignore = ::sendto(socket_, data.data(), data.size(), MSG_NOSIGNAL,
                                   reinterpret_cast<const sockaddr*>(&to), sizeof to);
        }
    }
}

std::optional<Notice> NodeChannel::receive() const {
    constexpr int most_of_strangers = 1000;
    std::vector<char> data(longest_notice + 1);  // one more: a longer one is seen to be longer
    for (int strangers = 0; strangers < most_of_strangers; ++strangers) {
        const ssize_t size = ::recv(socket_, data.data(), data.size(), 0);
        if (size < 0) return std::nullopt;
        const std::string_view bytes(data.data(), static_cast<std::size_t>(size));
        auto notice = from_datagram(bytes, token_, static_cast<int>(addresses_.size()));
        if (notice) return notice;
    }
    return std::nullopt;
}

}  // namespace shardstone::collectives
