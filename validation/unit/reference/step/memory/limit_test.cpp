// SPDX-License-Identifier: BSD-3-Clause
// What Buffers count, and the limit on it.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone::validation {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

/// Room for so much more than is in use, for the length of a scope.
class Room {
  public:
    explicit Room(std::int64_t size_bytes) {
        set_memory_limit_bytes(Host::in_use_bytes() + size_bytes);
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() { set_memory_limit_bytes(0); }
};

TEST(MemoryLimit, CountsWhatIsHeld) {
    const std::int64_t before = Host::in_use_bytes();
    {
        Buffer<double> first(1000);
        EXPECT_EQ(Host::in_use_bytes() - before, 8000);
        Buffer<float> second(7);
        EXPECT_EQ(Host::in_use_bytes() - before, 8028);
        const Buffer<double> moved = std::move(first);
        EXPECT_EQ(Host::in_use_bytes() - before, 8028);
        second = Buffer<float>(3);  // the old one goes
        EXPECT_EQ(Host::in_use_bytes() - before, 8012);
        EXPECT_GE(memory_peak_bytes() - before, 8040);  // both were there meanwhile
    }
    EXPECT_EQ(Host::in_use_bytes(), before);
    EXPECT_GE(memory_peak_bytes() - before, 8040);
}

TEST(MemoryLimit, CountsOfAllThreads) {
    const std::int64_t before = Host::in_use_bytes();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([] {
            for (int i = 0; i < 200; ++i) {
                const Buffer<float> buffer(100 + i);
                EXPECT_GE(memory_peak_bytes(), Host::in_use_bytes() - 4 * 4 * 300);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(Host::in_use_bytes(), before);
}

TEST(MemoryLimit, RefusesWhatIsBeyond) {
    const Room room(4 * mebibyte);
    const std::int64_t before = Host::in_use_bytes();
    const Buffer<std::byte> most(4 * mebibyte);  // to the byte
    EXPECT_THROW(Buffer<std::byte>(1), Error);
    EXPECT_EQ(Host::in_use_bytes() - before, 4 * mebibyte);  // what was refused is not counted
    set_memory_limit_bytes(0);
    EXPECT_NO_THROW(Buffer<std::byte>(8 * mebibyte));
}

TEST(MemoryLimit, NamesTheNumbers) {
    if (Host::in_use_bytes() > 0) GTEST_SKIP() << "something else holds a buffer";
    const Room room(4 * mebibyte);
    const Buffer<std::byte> held(3 * mebibyte);
    try {
        const Buffer<std::byte> refused(2 * mebibyte);
        FAIL() << "beyond the limit";
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("cannot allocate 2 MiB: 3 MiB of the limit of 4 MiB"),
                  std::string::npos)
            << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
    }
}

TEST(MemoryLimit, WhatWasHeldAlreadyStays) {
    const Buffer<std::byte> held(2 * mebibyte);
    set_memory_limit_bytes(mebibyte);
    EXPECT_THROW(Buffer<std::byte>(1), Error);
    set_memory_limit_bytes(0);
}

}  // namespace
}  // namespace shardstone::validation
