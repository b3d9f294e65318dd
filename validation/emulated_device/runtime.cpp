// Test double of the CUDA runtime: real prototypes, host memory, streams run in an adversarial legal order.
#include "validation/emulated_device/runtime.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <vector>
#if defined(EMU_ASAN)
extern "C" { void __asan_poison_memory_region(const volatile void*, size_t); void __asan_unpoison_memory_region(const volatile void*, size_t); }
static void poison(void* p, size_t n) { __asan_poison_memory_region(p, n); }
static void unpoison(void* p, size_t n) { __asan_unpoison_memory_region(p, n); }
#else
static void poison(void*, size_t) {}
static void unpoison(void*, size_t) {}
#endif
#if defined(EMU_TSAN)
extern "C" { void* __tsan_create_fiber(unsigned); void* __tsan_get_current_fiber(); void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_set_fiber_name(void*, const char*); void __tsan_acquire(void*); void __tsan_release(void*);
void AnnotateIgnoreReadsBegin(const char*, int); void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int); void AnnotateIgnoreWritesEnd(const char*, int); }
struct Quiet { Quiet() { AnnotateIgnoreReadsBegin("", 0), AnnotateIgnoreWritesBegin("", 0); } ~Quiet() { AnnotateIgnoreReadsEnd("", 0), AnnotateIgnoreWritesEnd("", 0); } };
#else
static void* __tsan_create_fiber(unsigned) { return nullptr; }
static void* __tsan_get_current_fiber() { return nullptr; }
static void __tsan_switch_to_fiber(void*, unsigned) {}
static void __tsan_set_fiber_name(void*, const char*) {}
static void __tsan_acquire(void*) {}
static void __tsan_release(void*) {}
struct Quiet { Quiet() {} ~Quiet() {} };
#endif

// ---- memory: one arena, closed to the host, open while device work runs
namespace {
constexpr size_t arena_bytes = size_t(4) << 30, gap = 256;
char* arena = nullptr;
size_t arena_used = gap;
std::map<const char*, size_t> device_blocks, pinned_blocks, dead_blocks;
int open_depth = 0;
[[noreturn]] void fail(const std::string& what) { std::fprintf(stderr, "fake CUDA: %s\n", what.c_str()); std::exit(4); }
void make_arena() {
    if (arena) return;
    arena = (char*)mmap(nullptr, arena_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    poison(arena, arena_bytes / 64);
}
struct Open {  // device memory may be touched in this scope
    Open() { make_arena(); if (open_depth++ == 0) mprotect(arena, (arena_used + 4095) & ~size_t(4095), PROT_READ | PROT_WRITE); }
    ~Open() { if (--open_depth == 0) mprotect(arena, (arena_used + 4095) & ~size_t(4095), PROT_NONE); }
};
const std::pair<const char* const, size_t>* find(const std::map<const char*, size_t>& m, const void* p) {
    auto it = m.upper_bound((const char*)p);
    if (it == m.begin()) return nullptr;
    --it;
    return (const char*)p < it->first + it->second ? &*it : nullptr;
}
void* device_allocate(size_t n) {
    make_arena();
    char* p = arena + arena_used;
    arena_used += (n + gap - 1) / gap * gap + gap;
    if (arena_used > arena_bytes) fail("arena exhausted");
    Open open;
    unpoison(p, n);
    std::memset(p, 0xff, n);  // NaN, so that a read before a write shows
    device_blocks[p] = n;
    return p;
}

// ---- streams
struct Token { bool done = false; cudaStream_t stream = nullptr; };
using TokenPtr = std::shared_ptr<Token>;
struct Op { std::function<bool()> work; TokenPtr wait, signal; const char* name; std::shared_ptr<char> issued; unsigned long serial; };
}  // namespace
struct CUstream_st { std::deque<Op> queue; unsigned flags = 0; void* fiber = nullptr; char sync = 0; struct CUgraph_st* capture = nullptr; cudaStream_t origin = nullptr; };
struct CUevent_st { TokenPtr token; };
struct CUgraph_st { std::vector<std::pair<cudaStream_t, Op>> ops; std::vector<cudaStream_t> streams; };
struct CUgraphExec_st { CUgraph_st graph; };
namespace {
std::vector<cudaStream_t> streams;
unsigned long serials = 0;
std::mt19937 rng(std::getenv("EMU_SEED") ? atoi(std::getenv("EMU_SEED")) : 1);
char policy() { const char* p = std::getenv("EMU_STREAMS"); return p ? *p : 'l'; }  // lazy, others first, random, issue order
bool trace() { static bool t = std::getenv("EMU_TRACE"); return t; }

bool runnable(cudaStream_t s) { return !s->queue.empty() && (!s->queue.front().wait || s->queue.front().wait->done); }
bool step(cudaStream_t s) {  // run the head of one stream; false if it is still in flight
    Quiet quiet;
    Op& op = s->queue.front();
    void* host = __tsan_get_current_fiber();
    if (!s->fiber) s->fiber = __tsan_create_fiber(0), __tsan_set_fiber_name(s->fiber, "CUDA stream");
    __tsan_switch_to_fiber(s->fiber, 1);
    __tsan_acquire(op.issued.get());
    if (op.wait) __tsan_acquire(op.wait.get());
    bool done = true;
    if (op.work) { Open open; done = op.work(); }
    if (op.signal) __tsan_release(op.signal.get());
    __tsan_release(&s->sync);
    __tsan_switch_to_fiber(host, 1);
    if (!done) return false;
    if (op.signal) op.signal->done = true;
    if (trace()) std::fprintf(stderr, "[stream %p] %s\n", (void*)s, op.name);
    s->queue.pop_front();
    return true;
}
cudaStream_t needed(cudaStream_t s, int depth = 0) {  // whose head must run for s to go on
    if (depth > int(streams.size())) fail("streams wait for one another");
    if (runnable(s)) return s;
    return s->queue.empty() ? nullptr : needed(s->queue.front().wait->stream, depth + 1);
}
cudaStream_t choose(cudaStream_t target) {
    std::vector<cudaStream_t> can;
    for (cudaStream_t s : streams) if (runnable(s)) can.push_back(s);
    if (can.empty()) return nullptr;
    switch (policy()) {
        case 'r': return can[rng() % can.size()];
        case 'o': for (cudaStream_t s : can) if (s != target) return s; return can.front();
        case 'i': { cudaStream_t best = can[0]; for (cudaStream_t s : can) if (s->queue.front().serial < best->queue.front().serial) best = s; return best; }
        default: return needed(target);
    }
}
template <class Done> void advance(cudaStream_t target, Done done) {
    std::time_t since = 0;
    for (int idle = 0; !done();) {
        cudaStream_t s = idle > 200 ? nullptr : choose(target);
        if (s && step(s)) { idle = 0; continue; }
        if (++idle > 200)  // in flight for long: the rest of the device would have gone on by now
            for (cudaStream_t other : streams) if (runnable(other) && step(other)) idle = 0;
        if (idle == 1) since = std::time(nullptr);
        if (idle > 1000 && std::time(nullptr) - since > 5) {
            for (cudaStream_t o : streams) if (!o->queue.empty()) std::fprintf(stderr, "fake CUDA: stream %p is stuck in %s\n", (void*)o, o->queue.front().name);
            fail("no progress for five seconds");
        }
        sched_yield();
    }
}
void finish(cudaStream_t s) { advance(s, [&] { return s->queue.empty(); }); __tsan_acquire(&s->sync); }
void finish_all(bool blocking_only) { for (cudaStream_t s : streams) if (!blocking_only || !(s->flags & cudaStreamNonBlocking)) finish(s); }
cudaStream_t checked(cudaStream_t s) {
    if (!s || s == cudaStreamLegacy || s == cudaStreamPerThread) fail("work on the default stream: name a stream");
    return s;
}
void push(cudaStream_t s, const char* name, std::function<bool()> work, TokenPtr wait = {}, TokenPtr signal = {}) {
    auto issued = std::make_shared<char>();
    __tsan_release(issued.get());
    Op op{std::move(work), std::move(wait), std::move(signal), name, issued, ++serials};
    if (s->capture) s->capture->ops.emplace_back(s, std::move(op)); else s->queue.push_back(std::move(op));
}
void not_while_capturing(const char* what) { for (cudaStream_t s : streams) if (s->capture) fail(std::string(what) + " while a stream is captured"); }
void check_range(const void* p, size_t n, bool async, const char* what) {
    if (find(dead_blocks, p) && !find(device_blocks, p)) fail(std::string(what) + ": freed device memory");
    auto* b = find(device_blocks, p);
    if (!b) b = find(pinned_blocks, p);
    if (b && (const char*)p + n > b->first + b->second) fail(std::string(what) + ": past the end of an allocation");
    if (!b && async) fail(std::string(what) + ": asynchronous copy of pageable memory");
}
}  // namespace
namespace fake {
void enqueue(cudaStream_t s, const char* name, std::function<bool()> work) { push(checked(s), name, std::move(work)); }
bool is_device(const void* p) { return find(device_blocks, p); }
bool is_pinned(const void* p) { return find(pinned_blocks, p); }
void progress() { for (cudaStream_t s : streams) if (runnable(s)) { step(s); return; } }
}  // namespace fake
namespace emu {
void run_grid(dim3, dim3, size_t, const std::function<void()>&, const char*);
void enqueue_kernel(cudaStream_t s, dim3 grid, dim3 block, size_t shared, std::function<void()> body) {
    fake::enqueue(s, "kernel", [=] { run_grid(grid, block, shared, body, "kernel"); return true; });
}
void check_pointer_argument(const void* p, const char* kernel) { if (p && !fake::is_device(p) && !fake::is_pinned(p)) fail(std::string(kernel) + ": argument points to memory a device cannot reach"); }
}  // namespace emu

extern "C" {
cudaError_t cudaMalloc(void** p, size_t n) { not_while_capturing("cudaMalloc"); *p = device_allocate(n); return cudaSuccess; }
cudaError_t cudaFree(void* p) {
    if (!p) return cudaSuccess;
    finish_all(false);
    auto it = device_blocks.find((char*)p);
    if (it == device_blocks.end()) fail("cudaFree of something never allocated or freed twice");
    poison(p, it->second), dead_blocks.insert(*it), device_blocks.erase(it);
    return cudaSuccess;
}
cudaError_t cudaMallocAsync(void** p, size_t n, cudaStream_t) { *p = device_allocate(n); return cudaSuccess; }
cudaError_t cudaFreeAsync(void* p, cudaStream_t s) {
    push(checked(s), "free", [p] { Open o; size_t n = device_blocks.at((char*)p); std::memset(p, 0xff, n); poison(p, n); dead_blocks[(char*)p] = n; device_blocks.erase((char*)p); return true; });
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void** p, size_t n) { *p = std::malloc(n); std::memset(*p, 0xff, n); pinned_blocks[(char*)*p] = n; return cudaSuccess; }
cudaError_t cudaFreeHost(void* p) { finish_all(false); pinned_blocks.erase((char*)p); std::free(p); return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void* d, const void* s, size_t n, enum cudaMemcpyKind, cudaStream_t stream) {
    check_range(d, n, true, "cudaMemcpyAsync"), check_range(s, n, true, "cudaMemcpyAsync");
    push(checked(stream), "copy", [=] { std::memcpy(d, s, n); return true; });
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void* d, const void* s, size_t n, enum cudaMemcpyKind) {
    not_while_capturing("cudaMemcpy");
    check_range(d, n, false, "cudaMemcpy"), check_range(s, n, false, "cudaMemcpy");
    finish_all(true);
    Open open;
    std::memcpy(d, s, n);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* d, int v, size_t n, cudaStream_t s) {
    check_range(d, n, true, "cudaMemsetAsync");
    push(checked(s), "memset", [=] { std::memset(d, v, n); return true; });
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned flags) { *s = new CUstream_st; (*s)->flags = flags; streams.push_back(*s); return cudaSuccess; }
cudaError_t cudaStreamCreate(cudaStream_t* s) { return cudaStreamCreateWithFlags(s, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int) { return cudaStreamCreateWithFlags(s, flags); }
cudaError_t cudaStreamDestroy(cudaStream_t s) { finish(s); std::erase(streams, s); delete s; return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t s) { not_while_capturing("cudaStreamSynchronize"); finish(checked(s)); return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { not_while_capturing("cudaDeviceSynchronize"); finish_all(false); return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t s) { if (s->queue.empty()) { __tsan_acquire(&s->sync); return cudaSuccess; } fake::progress(); return cudaErrorNotReady; }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
    checked(s);
    if (!e->token) return cudaSuccess;  // never recorded: no wait, as in CUDA
    if (cudaStream_t o = e->token->stream; o->capture && !s->capture) s->capture = o->capture, s->capture->streams.push_back(s);
    push(s, "wait", {}, e->token);
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) { *e = new CUevent_st; return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t* e) { return cudaEventCreateWithFlags(e, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { delete e; return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
    e->token = std::make_shared<Token>(), e->token->stream = checked(s);
    push(s, "record", {}, {}, e->token);
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
    not_while_capturing("cudaEventSynchronize");
    if (auto t = e->token) advance(t->stream, [&] { return t->done; }), __tsan_acquire(t.get());
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e) { if (!e->token || e->token->done) { if (e->token) __tsan_acquire(e->token.get()); return cudaSuccess; } fake::progress(); return cudaErrorNotReady; }
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* d) { push(checked(s), "host function", [=] { f(d); return true; }); return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode) { checked(s)->capture = new CUgraph_st; s->capture->streams.push_back(s); return cudaSuccess; }
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* g) {
    *g = s->capture;
    std::map<cudaStream_t, bool> joined{{s, true}};  // every forked stream must flow back into the origin
    for (auto it = (*g)->ops.rbegin(); it != (*g)->ops.rend(); ++it)
        if (it->second.wait && joined[it->first]) joined[it->second.wait->stream] = true;
    for (cudaStream_t o : (*g)->streams) { o->capture = nullptr; if (!joined[o]) fail("cudaStreamEndCapture: a forked stream never joined"); }
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* x, cudaGraph_t g, unsigned long long) { *x = new CUgraphExec_st{*g}; return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s) {
    static std::vector<cudaStream_t> lanes;
    while (lanes.size() < x->graph.streams.size()) { lanes.emplace_back(); cudaStreamCreateWithFlags(&lanes.back(), cudaStreamNonBlocking); }
    auto lane = [&](cudaStream_t o) { for (size_t i = 0;; ++i) if (x->graph.streams[i] == o) return lanes[i]; };
    std::map<Token*, TokenPtr> fresh;
    auto copy = [&](const TokenPtr& t) { if (!t) return TokenPtr{}; auto& f = fresh[t.get()]; if (!f) f = std::make_shared<Token>(), f->stream = lane(t->stream); return f; };
    auto begin = std::make_shared<Token>();
    begin->stream = s, push(s, "graph begin", {}, {}, begin);
    for (cudaStream_t o : x->graph.streams) push(lane(o), "graph begin", {}, begin);
    for (auto& [o, op] : x->graph.ops) push(lane(o), op.name, op.work, copy(op.wait), copy(op.signal));
    for (cudaStream_t o : x->graph.streams) { auto end = std::make_shared<Token>(); end->stream = lane(o), push(lane(o), "graph end", {}, {}, end), push(s, "graph end", {}, end); }
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x) { delete x; return cudaSuccess; }
cudaError_t cudaGraphDestroy(cudaGraph_t g) { delete g; return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* n) { *n = 1; return cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDevice(int* d) { *d = 0; return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "fake"; }
const char* cudaGetErrorName(cudaError_t) { return "fake"; }
cudaError_t cudaMemGetInfo(size_t* f, size_t* t) { *f = arena_bytes - arena_used, *t = arena_bytes; return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
    *p = {}; std::strcpy(p->name, "emulated device"); p->totalGlobalMem = arena_bytes, p->multiProcessorCount = 4, p->major = 9, p->warpSize = 32;
    return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
    *a = {}; a->type = find(device_blocks, p) ? cudaMemoryTypeDevice : find(pinned_blocks, p) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
    return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* d, size_t dp, const void* s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind, cudaStream_t stream) {
    check_range(d, dp * (h - 1) + w, true, "cudaMemcpy2DAsync"), check_range(s, sp * (h - 1) + w, true, "cudaMemcpy2DAsync");
    push(checked(stream), "copy", [=] { for (size_t i = 0; i < h; ++i) std::memcpy((char*)d + i * dp, (const char*)s + i * sp, w); return true; });
    return cudaSuccess;
}
}
