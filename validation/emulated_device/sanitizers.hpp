// SPDX-License-Identifier: BSD-3-Clause
// What the sanitizers have to be told of fibers, streams and device memory; nothing in a plain
// build. Under the address sanitizer all of the emulated device is instrumented. Under the thread
// sanitizer only kernels and tests are (SHARDSTONE_EMULATED_TSAN says so): it has to see the order
// that the emulated device guarantees and not the one in which its single thread happens to run
// things.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(SHARDSTONE_EMULATED_TSAN)
extern "C" {
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void* __tsan_get_current_fiber();
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void __tsan_read_range(void* address, unsigned long size);
void __tsan_write_range(void* address, unsigned long size);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace shardstone::emulated {

#if defined(SHARDSTONE_EMULATED_TSAN)
inline constexpr bool has_thread_sanitizer = true;
/// What was done before a release is before what comes after an acquire of the same address.
inline void acquire(void* token) {
    __tsan_acquire(token);
}
inline void release(void* token) {
    __tsan_release(token);
}
/// Accesses by code that is not instrumented, in the name of the stream it runs for.
inline void note_read(const void* data, std::size_t bytes) {
    __tsan_read_range(const_cast<void*>(data), bytes);
}
inline void note_write(void* data, std::size_t bytes) {
    __tsan_write_range(data, bytes);
}
/// Accesses in this scope are our own bookkeeping.
class Quiet {
  public:
    Quiet() {
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
    ~Quiet() {
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
};
/// Another line of execution for the race detector, unordered to the one before.
inline void* new_line_of_execution() {
    return __tsan_create_fiber(0);
}
inline void end_line_of_execution(void* line) {
    __tsan_destroy_fiber(line);
}
inline void* current_line_of_execution() {
    return __tsan_get_current_fiber();
}
inline void continue_on(void* line) {
    __tsan_switch_to_fiber(line, 1);
}
#else
inline constexpr bool has_thread_sanitizer = false;
inline void acquire(void*) {}
inline void release(void*) {}
inline void note_read(const void*, std::size_t) {}
inline void note_write(void*, std::size_t) {}
class Quiet {
  public:
    Quiet() {}
    ~Quiet() {}
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
};
inline void* new_line_of_execution() {
    return nullptr;
}
inline void end_line_of_execution(void*) {}
inline void* current_line_of_execution() {
    return nullptr;
}
inline void continue_on(void*) {}
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool has_address_sanitizer = true;
inline void poison(const void* data, std::size_t bytes) {
    __asan_poison_memory_region(data, bytes);
}
inline void unpoison(const void* data, std::size_t bytes) {
    __asan_unpoison_memory_region(data, bytes);
}
#else
inline constexpr bool has_address_sanitizer = false;
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
#endif

}  // namespace shardstone::emulated
