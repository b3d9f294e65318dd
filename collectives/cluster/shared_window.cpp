// SPDX-License-Identifier: BSD-3-Clause
// A memory file that the first rank of a node creates and the others open and map by way of /proc.
#include "collectives/cluster/shared_window.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>
#include <vector>

#include "kernels/base/available_memory.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::collectives {

namespace {

/// The first page of the memory, so that a rank can tell whether it opened the right one.
struct Title {
    std::uint64_t identity;
};

constexpr std::int64_t page_bytes = 4096;

std::int64_t whole_pages(std::int64_t size_bytes) {
    return (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    int number() const noexcept { return number_; }

  private:
    int number_;
};

[[noreturn]] void cannot(const char* what, std::int64_t size_bytes, const std::string& why) {
    fail(
        fmt::format("cannot {} {} of memory to share with the ranks of this node: {}; use less, "
                    "or an algorithm over messages such as ring",
                    what, format_size(size_bytes), why));
}

[[noreturn]] void cannot(const char* what, std::int64_t size_bytes, int error) {
    cannot(what, size_bytes, std::string(std::strerror(error)));
}

/// Exact in a double, the only thing that Communicator gathers.
std::uint64_t new_identity() {
    std::random_device entropy;
    constexpr int bits_of_double = 53;
    const std::uint64_t word = std::uint64_t{entropy()} << 32 | entropy();
    return std::max<std::uint64_t>(1, word >> (64 - bits_of_double));
}

Descriptor create(std::int64_t size_bytes, std::uint64_t identity) {
    // Asked for more than there is, the kernel would take all there is before it gives up.
    const auto room = available_memory().of_node;
    if (room && size_bytes > room->bytes) {
        cannot("reserve", size_bytes,
               fmt::format("{}; {} are left ({})", std::strerror(ENOMEM), format_size(room->bytes),
                           room->name));
    }
    Descriptor file(memfd_create("shardstone", MFD_CLOEXEC));
    if (file.number() < 0 || ftruncate(file.number(), size_bytes) != 0) {
        cannot("make", size_bytes, errno);
    }
    const Title title{identity};
    if (pwrite(file.number(), &title, sizeof title, 0) != sizeof title) {
        cannot("make", size_bytes, errno);
    }
    return file;
}

/// Opens what another process of this node created. Linux lets us through /proc as the same user.
/// Nothing is touched before its title is read: a rank elsewhere may have had that process number.
Descriptor open_other(int process, int number, std::uint64_t identity) {
    const std::string path = fmt::format("/proc/{}/fd/{}", process, number);
    Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    Title title{};
    const bool right = file.number() >= 0 &&
                       pread(file.number(), &title, sizeof title, 0) == sizeof title &&
                       title.identity == identity;
    require(right, [&] {
        return fmt::format(
            "cannot open the memory that process {} of this node shares; start its "
            "ranks in one container and as one user, or use ring",
            process);
    });
    return file;
}

std::byte* map(const Descriptor& file, std::int64_t size_bytes) {
    void* const mapped = mmap(nullptr, static_cast<std::size_t>(size_bytes), PROT_READ | PROT_WRITE,
                              MAP_SHARED, file.number(), 0);
    if (mapped == MAP_FAILED) cannot("map", size_bytes, errno);
    return static_cast<std::byte*>(mapped);
}

/// The live windows of this process; buffers are looked up here from any thread.
struct Directory {
    std::atomic<std::int64_t> changes = 0;
    std::mutex mutex;
    std::vector<const SharedWindow*> windows;
};

Directory& directory() {
    static Directory all;
    return all;
}

/// What the first lane of a node tells the others, as doubles: process, descriptor, identity.
using Offer = std::array<double, 3>;

Offer offer_for(const Communicator& communicator, int leader, const Offer& mine) {
    const auto all = communicator.all_gather(mine);
    Offer offer;
    std::copy_n(all.begin() + leader * std::ssize(mine), mine.size(), offer.begin());
    return offer;
}

}  // namespace

SharedWindow::SharedWindow(const Communicator& communicator, std::int64_t part_bytes)
    : part_bytes_(part_bytes), stride_bytes_(whole_pages(part_bytes)) {
    const Topology& topology = communicator.topology();
    require_memory_in_common(topology, communicator.found_topology());
    const auto ranks = topology.ranks_on(topology.node_of(communicator.rank()));
    lanes_ = static_cast<int>(ranks.size());
    lane_ = topology.lane_of(communicator.rank());
    const std::int64_t all_bytes = page_bytes + lanes_ * stride_bytes_;

    Descriptor file = communicator.agree([&] {
        if (lane_ != 0) return Descriptor();
        identity_ = new_identity();
        return create(all_bytes, identity_);
    });
    const Offer offer =
        offer_for(communicator, ranks.front(),
                  {static_cast<double>(getpid()), static_cast<double>(file.number()),
                   static_cast<double>(identity_)});
    identity_ = static_cast<std::uint64_t>(offer[2]);
    communicator.agree([&] {
        if (lane_ != 0) {
            file = open_other(static_cast<int>(offer[0]), static_cast<int>(offer[1]), identity_);
        }
        const int error =
            posix_fallocate(file.number(), page_bytes + lane_ * stride_bytes_, stride_bytes_);
        if (error != 0) cannot("reserve", stride_bytes_, error);
        memory_ = {map(file, all_bytes), Unmap{static_cast<std::size_t>(all_bytes)}};
    });
    const std::lock_guard lock(directory().mutex);
    directory().windows.push_back(this);
    ++directory().changes;
}

SharedWindow::~SharedWindow() {
    const std::lock_guard lock(directory().mutex);
    std::erase(directory().windows, this);
    ++directory().changes;
}

std::int64_t SharedWindow::changes() noexcept {
    return directory().changes.load(std::memory_order_acquire);
}

void SharedWindow::Unmap::operator()(std::byte* memory) const noexcept {
    munmap(memory, size_bytes);
}

std::byte* SharedWindow::part(int lane) const noexcept {
    return memory_.get() + page_bytes + lane * stride_bytes_;
}

std::optional<SharedWindow::Location> SharedWindow::find(const void* data,
                                                         std::int64_t size_bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const std::lock_guard lock(directory().mutex);
    for (const SharedWindow* window : directory().windows) {
        const auto begin = reinterpret_cast<std::uintptr_t>(window->part(window->lane_));
        const auto offset = static_cast<std::int64_t>(address - begin);
        if (address >= begin && offset + size_bytes <= window->part_bytes_) {
            return Location{window, offset};
        }
    }
    return std::nullopt;
}

void require_memory_in_common(const Topology& declared, const Topology& found) {
    for (int node = 0; node < declared.nodes(); ++node) {
        const auto ranks = declared.ranks_on(node);
        const auto apart = std::ranges::find_if(
            ranks, [&](int rank) { return !found.same_node(rank, ranks.front()); });
        require(apart == ranks.end(), [&] {
            return fmt::format(
                "ranks {} and {} are on node {} as declared, but share no memory ({} as found): "
                "declare nodes that lie within those, or use an algorithm over messages such as "
                "ring",
                ranks.front(), *apart, node, found.description());
        });
    }
}

std::shared_ptr<std::byte> make_shared_buffer(const Communicator& communicator,
                                              std::int64_t size_bytes) {
    auto window =
        std::make_shared<SharedWindow>(communicator, std::max<std::int64_t>(1, size_bytes));
    std::byte* const mine = window->part(window->lane());
    return {std::move(window), mine};
}

}  // namespace shardstone::collectives
