// Scheduler of the emulated device: blocks one after another, threads as fibers in a chosen order.
#include "kernels/base/device/language.hpp"
#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <sys/mman.h>
#if defined(EMU_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(EMU_TSAN)
extern "C" {
void* __tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void*);
void* __tsan_get_current_fiber();
void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_acquire(void*);
void __tsan_release(void*);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
}
#endif
namespace emu {
namespace ctx = boost::context::detail;
ThreadIndex thread_index{}, block_index{};
dim3 block_dim, grid_dim;
namespace {
#if defined(EMU_TSAN)
constexpr size_t stack_bytes = 64 << 10;
#else
constexpr size_t stack_bytes = 256 << 10;
#endif
enum class Wait { none, block, warp, finished };

struct Fiber {
    ctx::fcontext_t context{};
    char* stack = nullptr;
    void* tsan = nullptr;
    void* asan = nullptr;
};
struct Rendezvous { unsigned mask = 0, arrived = 0, generation = 0; unsigned char slots[2][32 * 64]; Where where; };
struct Thread {
    Fiber fiber;
    ThreadIndex index;
    unsigned id = 0;
    Wait wait = Wait::none;
    Where where;
    std::vector<std::vector<std::pair<void*, const void*>>> copies;
    bool started = false;
};
struct Shared { Where where; void* data; size_t bytes; };
struct Block {
    std::vector<Thread> threads;
    std::vector<std::vector<std::unique_ptr<Rendezvous>>> warps;
    std::vector<Shared> statics;
    void* dynamic = nullptr;
    size_t dynamic_bytes = 0;
    unsigned waiting = 0, alive = 0;
    char barrier[2] = {0, 0}, start = 0, finish = 0;
    unsigned phase = 0, sequence = 0;
};
Block* block;
Thread* current;
Fiber scheduler;
const std::function<void()>* kernel_body;
std::vector<unsigned> ready;   // thread ids that may run
std::mt19937 rng;
enum class Order { forward, reverse, random } order;
bool preempt_at_atomics;

[[noreturn]] void fail(const char* what, const Thread* t, Where a, const char* more = "", const Where* b = nullptr) {
    std::fprintf(stderr, "emulated device: %s%s: block (%u,%u,%u) thread (%u,%u,%u) at %s:%u", what, more, block_index.x, block_index.y,
                 block_index.z, t->index.x, t->index.y, t->index.z, a.file_name(), a.line());
    if (b) std::fprintf(stderr, "; others at %s:%u", b->file_name(), b->line());
    std::fprintf(stderr, "\n");
    std::exit(3);
}
bool same(const Where& a, const Where& b) { return a.line() == b.line() && a.column() == b.column() && a.file_name() == b.file_name(); }
void quiet_begin() {
#if defined(EMU_TSAN)
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__), AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
}
void quiet_end() {
#if defined(EMU_TSAN)
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__), AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
#endif
}
struct Quiet { Quiet() { quiet_begin(); } ~Quiet() { quiet_end(); } };

void finish_switch(Fiber& me) {
#if defined(EMU_ASAN)
    __sanitizer_finish_switch_fiber(me.asan, nullptr, nullptr);
#endif
    (void)me;
}
[[maybe_unused]] size_t scheduler_stack_size = 0;
void switch_to(Fiber& from, Fiber& to, bool last = false) {
#if defined(EMU_ASAN)
    __sanitizer_start_switch_fiber(last ? nullptr : &from.asan, to.stack, &to == &scheduler ? scheduler_stack_size : stack_bytes);
#endif
#if defined(EMU_TSAN)
    __tsan_switch_to_fiber(to.tsan, 1);
#endif
    (void)last;
    ctx::transfer_t back = ctx::jump_fcontext(to.context, &from);
    static_cast<Fiber*>(back.data)->context = back.fctx;
    finish_switch(from);
}
void leave(Wait why, Where where) {
    Thread* me = current;
    me->wait = why, me->where = where;
    switch_to(me->fiber, scheduler, why == Wait::finished);
}
void fiber_main(ctx::transfer_t from) {
    static_cast<Fiber*>(from.data)->context = from.fctx;
    finish_switch(current->fiber);
#if defined(EMU_TSAN)
    __tsan_acquire(&block->start);
#endif
    (*kernel_body)();
#if defined(EMU_TSAN)
    __tsan_release(&block->finish);
#endif
    leave(Wait::finished, Where::current());
}
[[maybe_unused]] char* new_stack() {
    char* p = (char*)mmap(nullptr, stack_bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    mprotect(p, 4096, PROT_NONE);
    return p + 4096;
}
std::vector<char*> stacks;
[[maybe_unused]] std::vector<void*> tsan_fibers[2];
void start_fiber(Thread& t) {
#if defined(EMU_TSAN)
    stacks.push_back((char*)std::malloc(stack_bytes));  // forgets what earlier fibers did there
#endif
    if (stacks.empty()) stacks.push_back(new_stack());
    t.fiber.stack = stacks.back(), stacks.pop_back();
    t.fiber.context = ctx::make_fcontext(t.fiber.stack + stack_bytes, stack_bytes, fiber_main);
    t.fiber.asan = nullptr;
#if defined(EMU_ASAN)
    __asan_unpoison_memory_region(t.fiber.stack, stack_bytes);
#endif
#if defined(EMU_TSAN)
    // Creating one costs milliseconds: two sets, so that neighbouring blocks stay unordered.
    auto& set = tsan_fibers[block->sequence & 1];
    if (set.size() <= t.id) set.resize(t.id + 1);
    if (!set[t.id]) set[t.id] = __tsan_create_fiber(0);
    t.fiber.tsan = set[t.id];
#endif
    t.started = true;
}
void retire(Thread& t) {
#if !defined(EMU_TSAN)
    stacks.push_back(t.fiber.stack);
#else
    std::free(t.fiber.stack);
#endif
}
void make_ready(unsigned id) {
    ready.push_back(id);
    if (order == Order::forward) std::push_heap(ready.begin(), ready.end(), std::greater<>{});
    if (order == Order::reverse) std::push_heap(ready.begin(), ready.end());
}
void run_block() {
    while (block->alive) {
        if (ready.empty()) {
            for (Thread& t : block->threads)
                if (t.wait == Wait::warp) fail("deadlock: lanes named in the mask never arrived (exited or elsewhere)", &t, t.where);
            for (Thread& t : block->threads)
                if (t.wait == Wait::block) fail("deadlock in __syncthreads", &t, t.where);
            std::abort();
        }
        if (order == Order::forward) std::pop_heap(ready.begin(), ready.end(), std::greater<>{});
        if (order == Order::reverse) std::pop_heap(ready.begin(), ready.end());
        if (order == Order::random) std::swap(ready[rng() % ready.size()], ready.back());
        const unsigned id = ready.back();
        ready.pop_back();
        Thread& t = block->threads[id];
        current = &t, thread_index = t.index;
        if (!t.started) start_fiber(t);
        switch_to(scheduler, t.fiber);
        if (t.wait == Wait::finished) {
            --block->alive;
            retire(t);
            if (block->waiting && block->waiting == block->alive) {  // exited threads do not hold up the others
                block->waiting = 0, ++block->phase;
                for (Thread& u : block->threads)
                    if (u.wait == Wait::block) u.wait = Wait::none, make_ready(u.id);
            }
        }
    }
}
}  // namespace

unsigned lane() { return current->id % 32; }

void sync_block(Where where) {
    Quiet quiet;
#if defined(EMU_TSAN)
    const unsigned parity = block->phase & 1;
    __tsan_release(&block->barrier[parity]);
#endif
    Thread* me = current;
    if (block->waiting)
        for (Thread& t : block->threads)
            if (t.wait == Wait::block && !same(t.where, where))
                fail("divergent __syncthreads", me, where, "", &t.where);
    if (++block->waiting == block->alive) {
        block->waiting = 0, ++block->phase;
        for (Thread& t : block->threads)
            if (t.wait == Wait::block) t.wait = Wait::none, make_ready(t.id);
        make_ready(me->id);
        leave(Wait::none, where);
    } else {
        leave(Wait::block, where);
    }
#if defined(EMU_TSAN)
    __tsan_acquire(&block->barrier[parity]);
#endif
}

void exchange(unsigned mask, const void* value, size_t bytes, int source, void* result, bool orders_memory, Where where) {
    Quiet quiet;
    Thread* me = current;
    auto& meetings = block->warps[me->id / 32];
    if (!(mask >> (me->id % 32) & 1)) fail("lane not in its own mask", me, where);
    Rendezvous* r = nullptr;
    for (auto& m : meetings)
        if (m->mask == mask) r = m.get();
    if (!r) {
        meetings.push_back(std::make_unique<Rendezvous>());
        r = meetings.back().get(), r->mask = mask;
    }
    if (r->arrived == 0) r->where = where;
    else if (!same(r->where, where)) fail("divergent warp operation", me, where, "", &r->where);
#if defined(EMU_TSAN)
    if (orders_memory) __tsan_release(r);
#endif
    (void)orders_memory;
    unsigned char* slots = r->slots[r->generation & 1];
    std::memcpy(slots + 64 * (me->id % 32), value, bytes);
    r->arrived |= 1u << (me->id % 32);
    if (r->arrived == mask) {
        ++r->generation, r->arrived = 0;
        const unsigned base = me->id / 32 * 32;
        for (unsigned l = 0; l < 32; ++l)
            if ((mask >> l & 1) && base + l != me->id) block->threads[base + l].wait = Wait::none, make_ready(base + l);
        if (order != Order::forward) { make_ready(me->id); leave(Wait::none, where); }
    } else {
        leave(Wait::warp, where);
    }
#if defined(EMU_TSAN)
    if (orders_memory) __tsan_acquire(r);
#endif
    if (source >= 0) std::memcpy(result, slots + 64 * (source & 31), bytes);
    else if (result) std::memcpy(result, slots, 32 * 64);
}

void* static_shared(size_t bytes, Where where) {
    Quiet quiet;
    for (Shared& s : block->statics)
        if (same(s.where, where) && s.bytes == bytes) return s.data;
    void* data = nullptr;
    if (posix_memalign(&data, 128, bytes)) std::abort();
    std::memset(data, 0xff, bytes);
    block->statics.push_back({where, data, bytes});
    return data;
}
void* dynamic_shared_bytes() { return block->dynamic; }
void yield_at_atomic() {
    if (!preempt_at_atomics || rng() % 8) return;
    Quiet quiet;
    make_ready(current->id);
    leave(Wait::none, Where::current());
}
// cp.async lands only at the wait: code that reads too early sees the poison.
void copy_async(void* s, const void* g) {
    Quiet quiet;
    if ((uintptr_t(s) | uintptr_t(g)) & 15) fail("cp.async: misaligned", current, Where::current());
    if (current->copies.empty()) current->copies.emplace_back();
    current->copies.back().push_back({s, g});
}
void misaligned(const char* instruction, Where where) { fail(instruction, current, where, ": misaligned"); }
void copy_async_commit() { Quiet quiet; current->copies.emplace_back(); }
void copy_async_wait(int pending) {
    for (;;) {
        std::vector<std::pair<void*, const void*>> group;
        {
            Quiet quiet;
            if (int(current->copies.size()) - 1 <= pending) return;
            group = std::move(current->copies.front());
            current->copies.erase(current->copies.begin());
        }
        static void* (*volatile copy)(void*, const void*, size_t) = std::memcpy;  // a real call, seen by the sanitizers
        for (auto [s, g] : group) copy(s, g, 16);
    }
}

void run_grid(dim3 grid, dim3 dim, size_t shared, const std::function<void()>& body, const char*) {
    Quiet quiet;  // our own bookkeeping; kernels run on fibers of their own
    const char* wish = std::getenv("EMU_ORDER");
    order = !wish || *wish == 'f' ? Order::forward : *wish == 'r' && wish[1] == 'e' ? Order::reverse : Order::random;
    if (order == Order::random) { static bool seeded; if (!seeded) rng.seed(std::getenv("EMU_SEED") ? atoi(std::getenv("EMU_SEED")) : 1), seeded = true; }
    preempt_at_atomics = order == Order::random;
    if (dim.x * dim.y * dim.z > 1024 || shared > 227 << 10 || grid.y > 65535 || grid.z > 65535) {
        std::fprintf(stderr, "emulated device: invalid launch configuration\n"); std::exit(3);
    }
#if defined(EMU_ASAN)
    {   // learn the scheduler's own stack
        pthread_attr_t a; void* addr; size_t size;
        pthread_getattr_np(pthread_self(), &a), pthread_attr_getstack(&a, &addr, &size), pthread_attr_destroy(&a);
        scheduler.stack = (char*)addr, scheduler_stack_size = size;
    }
#endif
#if defined(EMU_TSAN)
    scheduler.tsan = __tsan_get_current_fiber();
#endif
    kernel_body = &body, block_dim = dim, grid_dim = grid;
    const unsigned count = dim.x * dim.y * dim.z, blocks = grid.x * grid.y * grid.z;
    std::vector<unsigned> order_of_blocks(blocks);
    for (unsigned b = 0; b < blocks; ++b) order_of_blocks[b] = order == Order::reverse ? blocks - 1 - b : b;
    if (order == Order::random) std::shuffle(order_of_blocks.begin(), order_of_blocks.end(), rng);
    Block state;
    std::vector<Shared> graves;
    state.threads.resize(count);
    char launch_token = 0;
#if defined(EMU_TSAN)
    __tsan_release(&launch_token);
#endif
    (void)launch_token;
    for (unsigned b : order_of_blocks) {
        block = &state, ++state.sequence;
        state.warps.clear(), state.warps.resize((count + 31) / 32);
        state.waiting = 0, state.alive = count;
        if (posix_memalign(&state.dynamic, 128, shared ? shared : 1)) std::abort();
        std::memset(state.dynamic, 0xff, shared);
        block_index = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
        ready.clear();
        for (unsigned id = 0; id < count; ++id) {
            Thread& t = state.threads[id];
            t.id = id, t.wait = Wait::none, t.started = false, t.copies.clear();
            t.index = {id % dim.x, id / dim.x % dim.y, id / dim.x / dim.y};
            make_ready(id);
        }
#if defined(EMU_TSAN)
        state.start = 0;
        __tsan_release(&state.start);
#endif
        run_block();
        state.statics.push_back({{}, state.dynamic, shared});
        graves.insert(graves.end(), state.statics.begin(), state.statics.end());
        state.statics.clear();
#if !defined(EMU_TSAN)  // blocks stay unordered for the race detector: nothing is freed or used again between them
        for (Shared& s : graves) std::free(s.data);
        graves.clear();
#endif
    }
#if defined(EMU_TSAN)
    __tsan_acquire(&state.finish);
    for (Shared& s : graves) std::free(s.data);
#endif
}
}  // namespace emu
