// SPDX-License-Identifier: BSD-3-Clause
// Memory of the emulated devices: its addresses, and who may touch it when.
#include "validation/emulated_device/memory.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "validation/emulated_device/block.hpp"
#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/sanitizers.hpp"
#include "validation/emulated_device/settings.hpp"

namespace shardstone::emulated {

namespace {

constexpr std::size_t arena_bytes = std::size_t{256}
                                    << 30;  ///< of addresses; little of it is memory
constexpr std::size_t alignment = 256;
constexpr int nan_byte = 0xff;

char* arena = nullptr;
std::size_t arena_used = 0;
std::map<const char*, Allocation> allocations;  ///< all there ever were
std::set<const Allocation*> live;
std::map<int, std::size_t> bytes_in_use;  ///< by device
int open_depth = 0;

std::size_t rounded(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

void make_arena() {
    if (arena != nullptr) return;
    void* memory =
        mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) fault("no addresses for device memory");
    arena = static_cast<char*>(memory);
    explain_wrong_accesses();
}

struct Pages {
    char* first;
    std::size_t bytes;
};

/// Allocations end where their pages do, but for their alignment.
Pages pages_of(const Allocation& allocation) {
    const auto start = static_cast<std::size_t>(allocation.data - arena) / page_bytes();
    char* const first = arena + start * page_bytes();
    char* const end = allocation.data + rounded(allocation.bytes, alignment);
    return {first, rounded(static_cast<std::size_t>(end - first), page_bytes())};
}

void protect(const Allocation& allocation, int protection) {
    const Pages pages = pages_of(allocation);
    if (mprotect(pages.first, pages.bytes, protection) != 0)
        fault("mprotect of device memory failed");
}

void protect_all(int protection) {
    for (const Allocation* const allocation : live) protect(*allocation, protection);
}

Allocation& known(void* data) {
    const auto found = allocations.find(static_cast<const char*>(data));
    if (found == allocations.end()) fault("memory that was never allocated on a device is freed");
    return found->second;
}

/// What is done meanwhile may touch this allocation.
template <class F>
void while_open(const Allocation& allocation, F f) {
    if (open_depth == 0) protect(allocation, PROT_READ | PROT_WRITE);
    f();
    if (open_depth == 0) protect(allocation, PROT_NONE);
}

/// Allocations of this size as they lie in the pages that are next.
char* next_place(std::size_t bytes) {
    make_arena();
    const std::size_t size = rounded(std::max<std::size_t>(bytes, 1), alignment);
    const std::size_t pages = rounded(size, page_bytes());
    if (arena_used + pages + page_bytes() > arena_bytes) fault("all addresses have been used once");
    char* const data = arena + arena_used + pages - size;
    arena_used += pages + page_bytes();
    return data;
}

/// For the address sanitizer: the rest of the pages is nobody's.
void poison_around(const Allocation& allocation) {
    const Pages pages = pages_of(allocation);
    poison(pages.first, pages.bytes);
    unpoison(allocation.data, allocation.bytes);
}

/// Pages of a file, or of nothing again, in place of what is there.
void map_pages(const Allocation& allocation, int file) {
    const Pages pages = pages_of(allocation);
    const bool is_readable = file >= 0 && open_depth > 0;
    const int kind = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const mapped =
        mmap(pages.first, pages.bytes, is_readable ? PROT_READ | PROT_WRITE : PROT_NONE,
             kind | MAP_FIXED, file, 0);
    if (mapped == MAP_FAILED) fault("mmap of device memory failed");
}

/// Other processes that have it open hold a lock on its file.
void give_up_file(Allocation& allocation) {
    if (allocation.file < 0) return;
    if (!allocation.is_foreign && flock(allocation.file, LOCK_EX | LOCK_NB) != 0) {
        fault("device memory is freed that another process has opened: it has to be closed first");
    }
    map_pages(allocation, -1);
    close(allocation.file);
    allocation.file = -1;
}

/// The bytes up to the pages' end, where the sanitizer does not look after them itself.
void check_end(const Allocation& allocation) {
    if (has_address_sanitizer) return;
    const char* const end = allocation.data + rounded(allocation.bytes, alignment);
    const bool untouched =
        std::all_of(static_cast<const char*>(allocation.data) + allocation.bytes, end,
                    [](char c) { return c == static_cast<char>(nan_byte); });
    if (!untouched) {
        fault(fmt::format("written past the end of an allocation of {} B", allocation.bytes));
    }
}

}  // namespace

void* allocate_on_device(std::size_t bytes, int device) {
    const std::size_t size = rounded(std::max<std::size_t>(bytes, 1), alignment);
    if (static_cast<std::int64_t>(size) > settings().memory_bytes - device_bytes_in_use(device)) {
        return nullptr;
    }
    char* const data = next_place(bytes);
    allocations[data] = {data, bytes, device, State::promised};
    bytes_in_use[device] += size;
    return data;
}

void open_allocation(void* data) {
    Allocation& allocation = known(data);
    allocation.state = State::live;
    live.insert(&allocation);
    protect(allocation, PROT_READ | PROT_WRITE);
    const Pages pages = pages_of(allocation);
    while_open(allocation, [&] {
        const Quiet quiet;
        std::memset(pages.first, nan_byte, pages.bytes);
    });
    poison_around(allocation);
}

int share_on_device(void* data) {
    Allocation& allocation = known(data);
    if (allocation.file >= 0) return allocation.file;
    const Pages pages = pages_of(allocation);
    allocation.file = memfd_create("device memory", MFD_CLOEXEC);
    while_open(allocation, [&] {
        const Quiet quiet;
        unpoison(pages.first, pages.bytes);
        const auto size = static_cast<ssize_t>(pages.bytes);
        if (write(allocation.file, pages.first, pages.bytes) != size) {
            fault("no file for device memory that is shared");
        }
    });
    map_pages(allocation, allocation.file);
    poison_around(allocation);
    return allocation.file;
}

void* map_on_device(int file, std::size_t bytes, int device) {
    char* const data = next_place(bytes);
    Allocation& allocation = allocations[data];
    allocation = {data, bytes, device, State::live, file, true};
    map_pages(allocation, file);
    poison_around(allocation);
    live.insert(&allocation);
    return data;
}

void unmap_on_device(void* data) {
    Allocation& allocation = known(data);
    give_up_file(allocation);
    allocation.state = State::freed;
    live.erase(&allocation);
}

void free_on_device(void* data) {
    Allocation& allocation = known(data);
    if (allocation.state == State::freed) fault("device memory is freed twice");
    if (allocation.is_foreign) fault("device memory of another process is freed, not closed");
    if (allocation.state == State::live) while_open(allocation, [&] { check_end(allocation); });
    const Pages pages = pages_of(allocation);
    protect(allocation, PROT_NONE);
    madvise(pages.first, pages.bytes, MADV_DONTNEED);
    give_up_file(allocation);
    allocation.state = State::freed;
    live.erase(&allocation);
    bytes_in_use[allocation.device] -=
        rounded(std::max<std::size_t>(allocation.bytes, 1), alignment);
}

const Allocation* device_allocation(const void* address) {
    const auto* const wanted = static_cast<const char*>(address);
    auto after = allocations.upper_bound(wanted);
    if (after == allocations.begin()) return nullptr;
    const Allocation& allocation = (--after)->second;
    return wanted <= allocation.data + allocation.bytes ? &allocation : nullptr;
}

std::int64_t device_bytes_in_use(int device) {
    return static_cast<std::int64_t>(bytes_in_use[device]);
}

DeviceMemoryOpen::DeviceMemoryOpen() {
    if (open_depth++ == 0) protect_all(PROT_READ | PROT_WRITE);
}

DeviceMemoryOpen::~DeviceMemoryOpen() {
    if (--open_depth == 0) protect_all(PROT_NONE);
}

DeviceMemoryClosed::DeviceMemoryClosed() : depth_(open_depth) {
    if (open_depth > 0) protect_all(PROT_NONE);
    open_depth = 0;
}

DeviceMemoryClosed::~DeviceMemoryClosed() {
    open_depth = depth_;
    if (open_depth > 0) protect_all(PROT_READ | PROT_WRITE);
}

void check_ends_of_allocations() {
    const Quiet quiet;
    for (const Allocation* const allocation : live) check_end(*allocation);
}

std::string explain_access(const void* address) {
    const auto* const at = static_cast<const char*>(address);
    if (arena == nullptr || at < arena || at >= arena + arena_bytes) return {};
    const auto after = allocations.upper_bound(at);
    if (after == allocations.begin()) return "device memory that was never allocated";
    const Allocation& nearest = std::prev(after)->second;
    const std::string which = fmt::format("byte {} of an allocation of {} B on device {}",
                                          at - nearest.data, nearest.bytes, nearest.device);
    const bool is_inside = at >= nearest.data && at < nearest.data + nearest.bytes;
    if (!is_inside) return "outside of any allocation, " + which;
    switch (nearest.state) {
        case State::promised:
            return "before its cudaMallocAsync has run: " + which;
        case State::freed:
            return "after it was freed: " + which;
        default:
            return which;
    }
}

}  // namespace shardstone::emulated
