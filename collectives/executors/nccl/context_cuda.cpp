// SPDX-License-Identifier: BSD-3-Clause
// Each rank's GPU, stream and NCCL communicator, made once per MPI communicator and kept with it.
#include "collectives/executors/nccl/context_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu_of_rank.hpp"
#include "collectives/executors/nccl/obstacle.hpp"

namespace shardstone::collectives {

namespace {

/// That which the process has chosen, as a rank of a training has; else by the lane on the node as
/// found: declared ones have no GPUs of their own. Where each rank sees only its own GPU (Slurm's
/// --gpus-per-task), that is number 0 for all.
int number_of_gpu(const Communicator& communicator, int visible) {
    if (const auto chosen = chosen_gpu()) return *chosen;
    return discover_topology(communicator.native().comm).lane_of(communicator.rank()) % visible;
}

DeviceOfRank device_of_rank(const Communicator& communicator) {
    DeviceList found;
    try {
        found = list_devices();
    } catch (const Error& error) {
        found.why_none = error.what();
    }
    DeviceOfRank mine{node_name(), {}, found.why_none, static_cast<int>(found.devices.size())};
    const int number = number_of_gpu(communicator, std::max(mine.visible, 1));
    if (mine.visible > 0) mine.uuid = found.devices[static_cast<std::size_t>(number)].uuid;
    return mine;
}

/// For the run's record.
void note_gpus(const Communicator& communicator) {
    const auto gpus = list_devices().devices;
    const auto own =
        static_cast<std::size_t>(number_of_gpu(communicator, static_cast<int>(gpus.size())));
    auto software = cuda_versions();
    int version = 0;
    SHARDSTONE_NCCL(ncclGetVersion(&version));
    software["NCCL"] = fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
    note_used_gpus({communicator.gather(gpus[own].name), std::move(software)});
}

/// The contexts belong to MPI's communicators, whose end is theirs.
int key_of_contexts() {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        const auto forget = [](MPI_Comm, int, void* context, void*) -> int {
            delete static_cast<std::shared_ptr<NcclContext>*>(context);
            return MPI_SUCCESS;
        };
        SHARDSTONE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr));
        return made;
    }();
    return key;
}

}  // namespace

void check_nccl(ncclResult_t code, const char* call, ncclComm_t comm) {
    require(code == ncclSuccess, [&] {
        std::string detail = ncclGetLastError(comm);
        detail.resize(std::min(detail.find('\n'), detail.size()));
        return fmt::format("{} failed: {}{}{}: run with NCCL_DEBUG=WARN to see why", call,
                           ncclGetErrorString(code), detail.empty() ? "" : ", ", detail);
    });
}

std::string nccl_obstacle(const Communicator& communicator) {
    const auto texts = communicator.gather(to_text(device_of_rank(communicator)));
    std::vector<DeviceOfRank> ranks;
    for (const auto& text : texts) ranks.push_back(parse_device_of_rank(text));
    const std::string obstacle = communicator.broadcast(obstacle_of(ranks));
    if (obstacle.empty()) note_gpus(communicator);
    return obstacle;
}

NcclContext::NcclContext(const Communicator& communicator)
    : device_(number_of_gpu(communicator, static_cast<int>(list_devices().devices.size()))) {
    use_device();
    stream_ = std::make_unique<CudaStream>();
    ncclUniqueId id{};
    communicator.agree([&] {
        if (communicator.is_root()) SHARDSTONE_NCCL(ncclGetUniqueId(&id));
    });
    communicator.broadcast(std::as_writable_bytes(std::span(&id, 1)));
    SHARDSTONE_NCCL(ncclCommInitRank(&comm_, communicator.size(), id, communicator.rank()));
}

NcclContext::~NcclContext() {
    cudaSetDevice(device_);
    if (comm_ != nullptr) ncclCommDestroy(comm_);
}

std::shared_ptr<NcclContext> NcclContext::of(Communicator& communicator) {
    const MPI_Comm comm = communicator.native().comm;
    std::shared_ptr<NcclContext>* kept = nullptr;
    int found = 0;
    SHARDSTONE_MPI(MPI_Comm_get_attr(comm, key_of_contexts(), static_cast<void*>(&kept), &found));
    if (found != 0) return *kept;
    const std::string obstacle = nccl_obstacle(communicator);
    communicator.agree([&] { require(obstacle.empty(), [&] { return obstacle; }); });
    auto made =
        std::make_unique<std::shared_ptr<NcclContext>>(std::make_shared<NcclContext>(communicator));
    SHARDSTONE_MPI(MPI_Comm_set_attr(comm, key_of_contexts(), made.get()));
    return *made.release();
}

void NcclContext::use_device() const {
    SHARDSTONE_CUDA(cudaSetDevice(device_));
}

void NcclContext::check() const {
    ncclResult_t state = ncclSuccess;
    SHARDSTONE_NCCL(ncclCommGetAsyncError(comm_, &state));
    check_nccl(state, "a collective under way", comm_);
}

}  // namespace shardstone::collectives
