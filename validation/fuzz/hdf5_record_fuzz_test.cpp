// SPDX-License-Identifier: BSD-3-Clause
// Hostile HDF5 records in memory: as accidents make them, and as only a forger could, with a seal
// that holds over bytes or over a tree of groups and data sets that is none of ours.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "results/format/hash.hpp"
#include "results/format/hdf5_format.hpp"
#include "validation/fuzz/forged_hdf5.hpp"
#include "validation/fuzz/small_records.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::results;

void try_bytes(const std::string& bytes, Counts& counts) {
    const auto read = [&] {
        const Record record = record_from_bytes(bytes, "fuzz.h5");
        ASSERT_EQ(hash_of(record_from_bytes(to_hdf5_bytes(record), "again.h5")), hash_of(record));
    };
    try_input(read, counts);
}

/// Any changed byte shows before the library sees it.
TEST(Hdf5RecordFuzz, AChangedByteIsRefused) {
    const std::string good = to_hdf5_bytes(small_records().front());
    Mutator mutator({good}, nasty_words(), 71);
    Counts counts;
    for_each_input([&] {
        const std::string bytes = mutator.below(8) == 0 ? good : mutator.next();
        const int before = counts.accepted;
        try_bytes(bytes, counts);
        ASSERT_EQ(counts.accepted - before, bytes == good ? 1 : 0);
    });
    expect_both("HDF5 records, changed", counts, 20);
}

/// What processes that may die have come to, in memory that they share with the one that counts.
struct Tally {
    Counts counts;
    int next = 0;
    int killed = 0, failed = 0;
};

/// Tries input after input in processes of their own: the library falls over structures that only a
/// forger could have sealed (libhdf5 1.10.8: wild addresses), which is no bug of ours. What it
/// kills is counted, one that hangs for 20 s too; a failed promise ends a process with a code.
template <class One>
void for_each_input_apart(Tally& tally, One&& one) {
    constexpr int inputs_of_a_process = 200;
    while (tally.next < fuzz_inputs()) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            ::alarm(20);
            const int end = std::min(fuzz_inputs(), tally.next + inputs_of_a_process);
            while (tally.next < end && !testing::Test::HasFailure()) one(tally.next++);
            ::_exit(testing::Test::HasFailure() ? 1 : 0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) ++tally.killed;
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0) ++tally.failed;
        ASSERT_EQ(tally.failed, 0) << "input " << tally.next - 1;
    }
}

/// Bytes changed and sealed anew: the library meets damage that only a forger could make.
TEST(Hdf5RecordFuzz, ResealedBytesAreReadOrRefused) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer ends a process with a code where the library falls";
#endif
    std::vector<std::string> images;
    for (const Record& record : small_records()) {
        images.push_back(to_hdf5_bytes(record).substr(hdf5_head_size));
    }
    void* const shared =
        ::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    Tally& tally = *new (shared) Tally;
    for_each_input_apart(tally, [&](int input) {
        Mutator mutator(images, nasty_words(), 7200 + static_cast<std::uint64_t>(input));
        std::string image = images[mutator.below(images.size())];
        for (std::size_t times = 1 + mutator.below(3); times > 0; --times) {
            image[mutator.below(image.size())] = static_cast<char>(mutator.below(256));
        }
        if (mutator.below(16) == 0) image = mutator.next();
        try_bytes(resealed_hdf5(image), tally.counts);
    });
    expect_both("HDF5 records, resealed", tally.counts, 50);
    std::printf("HDF5 records, resealed: the library fell over %d\n", tally.killed);
    EXPECT_LE(tally.killed, fuzz_inputs() / 20);
    ::munmap(shared, sizeof(Tally));
}

/// A tree of groups and data sets as the library writes it, some of them not what a record has.
TEST(Hdf5RecordFuzz, ForgedTreesAreReadOrRefused) {
    Mutator mutator({""}, nasty_words(), 73);
    Counts counts;
    for_each_input([&] { try_bytes(forged_hdf5(small_records().front(), mutator), counts); });
    expect_both("HDF5 trees, forged", counts, 100);
}

}  // namespace
}  // namespace shardstone::validation
