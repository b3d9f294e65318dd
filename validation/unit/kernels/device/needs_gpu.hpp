// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "collectives/device/devices.hpp"

namespace shardstone::validation {

/// Tests of kernels on a GPU or on the emulated device; skips, saying why, where there is none.
class OnDevice : public testing::Test {
  protected:
    void SetUp() override {
        const collectives::DeviceList list = collectives::list_devices();
        if (list.devices.empty()) GTEST_SKIP() << "no GPU: " << list.why_none;
    }
};

}  // namespace shardstone::validation
