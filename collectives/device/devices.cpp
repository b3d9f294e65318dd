// SPDX-License-Identifier: BSD-3-Clause
// Where the list of GPUs comes from: a source that registers itself, or none without CUDA.
#include "collectives/device/devices.hpp"

#include <utility>

namespace shardstone::collectives {

namespace {

std::function<DeviceList()>& source() {
    static std::function<DeviceList()> list = [] {
        return DeviceList{{}, "this program was built without CUDA"};
    };
    return list;
}

}  // namespace

DeviceList list_devices() {
    return source()();
}

DeviceSource::DeviceSource(std::function<DeviceList()> list) {
    source() = std::move(list);
}

}  // namespace shardstone::collectives
