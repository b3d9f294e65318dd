// SPDX-License-Identifier: BSD-3-Clause
// The registry of transports, and how their names go with those of algorithms.
#include "collectives/operation/transport.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

constexpr std::string_view prefix = "over_";

std::map<std::string, Transport, std::less<>>& transport_registry() {
    static std::map<std::string, Transport, std::less<>> all;
    return all;
}

}  // namespace

TransportRegistration::TransportRegistration(Transport transport) {
    const std::string name = transport.name;
    transport_registry().emplace(name, std::move(transport));
}

std::vector<const Transport*> transports() {
    std::vector<const Transport*> all;
    for (const auto& [name, transport] : transport_registry()) all.push_back(&transport);
    return all;
}

const Transport& find_transport(std::string_view name) {
    const auto entry = transport_registry().find(name);
    SHARDSTONE_EXPECTS(entry != transport_registry().end());
    return entry->second;
}

std::string name_over(const Transport& transport, std::string_view algorithm) {
    if (transport.name == plain_transport) return std::string(algorithm);
    return fmt::format("{}{}:{}", prefix, transport.name, algorithm);
}

NameParts take_apart(std::string_view name) {
    const auto colon = name.find(':');
    if (!name.starts_with(prefix) || colon == std::string_view::npos) return {nullptr, name};
    const std::string_view word = name.substr(prefix.size(), colon - prefix.size());
    const auto entry = transport_registry().find(word);
    if (entry == transport_registry().end() || word == plain_transport) return {nullptr, name};
    return {&entry->second, name.substr(colon + 1)};
}

}  // namespace shardstone::collectives
