// SPDX-License-Identifier: BSD-3-Clause
// Included before all else, the bug that the thread sanitizer is to see: nothing is released.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#define memory_order_release memory_order_relaxed
#define memory_order_acq_rel memory_order_relaxed
