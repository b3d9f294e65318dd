// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace shardstone::collectives {

/// A GPU of this node that this process may use.
struct Device {
    std::string name;
    std::string uuid;  ///< the same from every process that sees the device
    std::int64_t memory_bytes = 0;
};

struct DeviceList {
    std::vector<Device> devices;
    std::string why_none;  ///< empty when there are some
};

/// What GPUs there are: none, with the reason, in a build without CUDA. Local; takes none in use.
DeviceList list_devices();

/// A namespace-scope `const DeviceSource` in a file that is built only where there is a toolkit
/// tells list_devices() of its devices.
class DeviceSource {
  public:
    explicit DeviceSource(std::function<DeviceList()> list);
};

}  // namespace shardstone::collectives
