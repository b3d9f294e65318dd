// SPDX-License-Identifier: BSD-3-Clause
// Each rank's GPU, stream and NCCL communicator, made once per MPI communicator and kept with it.
#include "collectives/executors/nccl/context_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "collectives/cluster/native.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

namespace {

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
    const auto ranks = gpus_of_ranks(communicator);
    const std::string missing = missing_gpu(ranks);
    const std::string obstacle =
        communicator.broadcast(missing.empty() ? shared_gpu(ranks) : missing);
    if (!obstacle.empty()) return obstacle;
    int version = 0;
    SHARDSTONE_NCCL(ncclGetVersion(&version));
    note_gpus(
        communicator,
        {{"NCCL", fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)}});
    return {};
}

NcclContext::NcclContext(const Communicator& communicator)
    : device_(number_of_gpu(communicator, static_cast<int>(list_devices().devices.size()))) {
    use_device();
    stream_ = std::make_shared<CudaStream>();
    ncclUniqueId id{};
    if (communicator.is_root()) SHARDSTONE_NCCL(ncclGetUniqueId(&id));
    communicator.broadcast(std::as_writable_bytes(std::span(&id, 1)));
    const InLibrary here;
    SHARDSTONE_NCCL(ncclCommInitRank(&comm_, communicator.size(), id, communicator.rank()));
}

NcclContext::~NcclContext() {
    cudaSetDevice(device_);
    if (comm_ != nullptr) ncclCommDestroy(comm_);
}

std::shared_ptr<NcclContext> NcclContext::of(const Communicator& communicator) {
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
    check_nccl(state, "what is under way", comm_);
}

}  // namespace shardstone::collectives
