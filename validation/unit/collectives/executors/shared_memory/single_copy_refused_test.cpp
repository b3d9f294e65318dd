// SPDX-License-Identifier: BSD-3-Clause
// A container whose filter of system calls forbids single copies, as those of some container
// runtimes do: installed here, for good, hence a program of its own with one test.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include "collectives/executors/shared_memory/peer_memory.hpp"
#include "collectives/executors/shared_memory/shared_memory.hpp"
#include "kernels/base/error.hpp"
#include "validation/unit/collectives/executors/shared_memory/random_vectors.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

/// From now on the kernel refuses this process its copies. Returns whether that could be had.
bool refuse_single_copies() {
    const auto equal = [](unsigned number, unsigned char skip) {
        return sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, skip, 0);
    };
    std::array filter{
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        equal(SYS_process_vm_readv, 2),
        equal(SYS_process_vm_writev, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    sock_fprog program{filter.size(), filter.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

constexpr std::int64_t count = 5003;

std::unique_ptr<Executor> make_executor() {
    return make_shared_memory_all_reduce(
        world(), {count, ElementType::fp32, Reduction::sum},
        {.segment_bytes = 1024, .lag = 1, .single_copy_bytes = 1, .chunk_bytes = 512});
}

void expect_right(Executor& executor) {
    auto data = random_vector<float>(world().rank(), count);
    executor.run(data.data());
    EXPECT_TRUE(same_bits(data.data(), sum_in_rank_order<float>(Reduction::sum, count)));
    world().barrier();
}

TEST(SingleCopyRefused, EveryRankStagesWhenOneIsRefusedAndLaterRefusalsAreErrors) {
    if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
    if (!PeerMemory(world()).reachable()) GTEST_SKIP() << "refused already";
    const auto early = make_executor();
    expect_right(*early);

    const bool last = world().rank() == world().size() - 1;
    if (world().min(!last || refuse_single_copies() ? 1.0 : 0.0) == 0.0) {
        GTEST_SKIP() << "the kernel has no filters of system calls";
    }
    EXPECT_FALSE(PeerMemory(world()).reachable());
    expect_right(*make_executor());

    // The one that was made before relies on what it found then. All ranks fail: none is left
    // waiting for another.
    ASSERT_TRUE(last || refuse_single_copies());
    world().barrier();
    try {
        expect_right(*early);
        FAIL() << "copied nevertheless, or another way was gone";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("cannot read"), std::string::npos) << text;
        EXPECT_NE(text.find("Operation not permitted"), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
    world().barrier();
}

}  // namespace
}  // namespace shardstone::validation
