// SPDX-License-Identifier: BSD-3-Clause
// NCCL's own collectives, as many as the version at hand has, called with our types and shares.
#include "collectives/executors/nccl/library_cuda.hpp"

#include <map>
#include <string_view>

#include "collectives/executors/nccl/executor_cuda.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

ncclDataType_t library_type(ElementType type) {
    switch (type) {
        case ElementType::fp32:
            return ncclFloat32;
        case ElementType::fp64:
            return ncclFloat64;
        case ElementType::bf16:
            return ncclBfloat16;
        case ElementType::fp16:
            return ncclFloat16;
        case ElementType::fp8_e4m3:
            return ncclFloat8e4m3;
        case ElementType::fp8_e5m2:
            return ncclFloat8e5m2;
        case ElementType::int32:
            return ncclInt32;
        case ElementType::int64:
            return ncclInt64;
    }
    fail("unknown element type");
}

ncclRedOp_t library_reduction(Reduction reduction) {
    switch (reduction) {
        case Reduction::sum:
            return ncclSum;
        case Reduction::max:
            return ncclMax;
        case Reduction::min:
            return ncclMin;
        case Reduction::avg:
            return ncclAvg;
    }
    fail("unknown reduction");
}

/// The arguments of one call.
struct Call {
    const std::byte* input;
    std::byte* output;
    std::size_t count;  ///< elements of the vector
    std::size_t share;  ///< elements of a rank's share of it
    std::size_t share_bytes;
    ncclDataType_t type;
    ncclRedOp_t reduction;
    int root;
    std::size_t rank;
    const NcclContext& context;

    bool in_place() const { return input == output; }
    /// In place, a rank's share is where it belongs in the vector.
    const std::byte* own_input() const { return in_place() ? input + rank * share_bytes : input; }
    std::byte* own_output() const { return in_place() ? output + rank * share_bytes : output; }
    ncclComm_t comm() const { return context.comm(); }
    cudaStream_t stream() const { return context.stream().get(); }
};

struct LibraryFunction {
    std::string call;
    ncclResult_t (*run)(const Call&);
};

using Functions = std::map<std::string_view, LibraryFunction>;

Functions oldest_functions() {
    return {
        {"all_reduce",
         {"ncclAllReduce",
          [](const Call& c) {
              return ncclAllReduce(c.input, c.output, c.count, c.type, c.reduction, c.comm(),
                                   c.stream());
          }}},
        {"reduce_scatter",
         {"ncclReduceScatter",
          [](const Call& c) {
              return ncclReduceScatter(c.input, c.own_output(), c.share, c.type, c.reduction,
                                       c.comm(), c.stream());
          }}},
        {"all_gather",
         {"ncclAllGather",
          [](const Call& c) {
              return ncclAllGather(c.own_input(), c.output, c.share, c.type, c.comm(), c.stream());
          }}},
        {"broadcast",
         {"ncclBroadcast",
          [](const Call& c) {
              return ncclBroadcast(c.input, c.output, c.count, c.type, c.root, c.comm(),
                                   c.stream());
          }}},
        {"reduce",
         {"ncclReduce",
          [](const Call& c) {
              return ncclReduce(c.input, c.output, c.count, c.type, c.reduction, c.root, c.comm(),
                                c.stream());
          }}},
    };
}

Functions newer_functions() {
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
    return {
        {"gather",
         {"ncclGather",
          [](const Call& c) {
              return ncclGather(c.own_input(), c.output, c.share, c.type, c.root, c.comm(),
                                c.stream());
          }}},
        {"scatter",
         {"ncclScatter",
          [](const Call& c) {
              return ncclScatter(c.input, c.own_output(), c.share, c.type, c.root, c.comm(),
                                 c.stream());
          }}},
        {"all_to_all",
         {"ncclAlltoAll",
          [](const Call& c) {
              return ncclAlltoAll(c.input, c.output, c.share, c.type, c.comm(), c.stream());
          }}},
    };
#else
    return {};
#endif
}

const Functions& functions() {
    static const Functions table = [] {
        Functions all = oldest_functions();
        all.merge(newer_functions());
        return all;
    }();
    return table;
}

class LibraryCollective : public NcclExecutor {
  public:
    LibraryCollective(Communicator& communicator, const Operation& operation,
                      const CollectiveSpec& spec)
        : NcclExecutor(communicator, operation, spec),
          function_(functions().at(operation.name)),
          vector_(spec.vector),
          root_(spec.root),
          rank_(communicator.rank()),
          size_(communicator.size()),
          type_(library_type(spec.vector.type)),
          reduction_(library_reduction(spec.vector.reduction)),
          needs_copy_in_place_(operation.sharing == Sharing::by_pair) {}

    std::int64_t bytes_sent() const noexcept override { return 0; }

  private:
    void enqueue(const std::byte* input, std::byte* output) override {
        if (input == output && needs_copy_in_place_) input = copy_of(input);
        const std::int64_t share = vector_.count / size_;
        const Call call{input,
                        output,
                        static_cast<std::size_t>(vector_.count),
                        static_cast<std::size_t>(share),
                        static_cast<std::size_t>(share * vector_.element_bytes()),
                        type_,
                        reduction_,
                        root_,
                        static_cast<std::size_t>(rank_),
                        context()};
        check_nccl(function_.run(call), function_.call.c_str(), context().comm());
    }

    /// NCCL overwrites what it has not yet sent.
    const std::byte* copy_of(const std::byte* input) {
        if (copy_ == nullptr) copy_ = memory().allocate(vector_.size_bytes());
        if (vector_.count > 0) memory().copy(copy_.get(), input, vector_.size_bytes());
        return copy_.get();
    }

    const LibraryFunction& function_;
    VectorSpec vector_;
    int root_, rank_, size_;
    ncclDataType_t type_;
    ncclRedOp_t reduction_;
    bool needs_copy_in_place_;
    std::shared_ptr<std::byte> copy_;
};

}  // namespace

std::vector<NcclCollective> nccl_collectives() {
    std::vector<NcclCollective> all;
    for (const auto& [operation, function] : functions()) {
        all.push_back({std::string(operation), function.call});
    }
    return all;
}

std::unique_ptr<Executor> make_nccl_collective(Communicator& communicator,
                                               const Operation& operation,
                                               const CollectiveSpec& spec) {
    return std::make_unique<LibraryCollective>(communicator, operation, spec);
}

}  // namespace shardstone::collectives
