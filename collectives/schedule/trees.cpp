// SPDX-License-Identifier: BSD-3-Clause
// Reduce and gather programs along a k-nomial tree, digit by digit of the rank.
#include "collectives/schedule/trees.hpp"

#include <algorithm>

namespace shardstone::collectives {

KNomialTree::KNomialTree(int size, int radix) : size_(size), radix_(radix) {
    for (std::int64_t reached = 1; reached < size; reached *= radix) ++levels_;
}

KNomialTree KNomialTree::flat(int size) {
    return {size, std::max(2, size)};
}

int KNomialTree::root_degree() const {
    int degree = 0;
    for (std::int64_t weight = 1; weight < size_; weight *= radix_) {
        degree += static_cast<int>(std::min<std::int64_t>(radix_ - 1, (size_ - 1) / weight));
    }
    return degree;
}

int KNomialTree::largest_branch() const {
    int largest = 0;
    // The first child of a digit has the largest branch of that digit.
    for (std::int64_t weight = 1; weight < size_; weight *= radix_) {
        const int first = static_cast<int>(weight);
        largest = std::max(largest, branch(first, first).count);
    }
    return largest;
}

/// `rank`, whose lowest digit other than 0 stands for `weight`, and those below it.
BlockRange KNomialTree::branch(int rank, int weight) const {
    return {rank, std::min(weight, size_ - rank)};
}

template <class BlocksOf>
RankProgram KNomialTree::towards_root(int rank, int block_count, TransferKind receive,
                                      BlocksOf&& blocks) const {
    RankProgramBuilder tree(block_count);
    int weight = 1;
    for (int level = 0; level < levels_; ++level, weight *= radix_) {
        const int digit = rank / weight % radix_;
        if (digit != 0) {
            tree.send(level, rank - digit * weight, blocks(branch(rank, weight)));
            break;
        }
        for (int child = 1; child < radix_ && rank + child * weight < size_; ++child) {
            const int peer = rank + child * weight;
            tree.add({receive, 0, level, peer, blocks(branch(peer, weight))});
        }
    }
    return tree.build();
}

RankProgram KNomialTree::reduce(int rank) const {
    return towards_root(rank, 1, TransferKind::receive_reduce, [](BlockRange) {
        return BlockRange{0, 1};
    });
}

RankProgram KNomialTree::gather(int rank) const {
    return towards_root(rank, size_, TransferKind::receive_replace,
                        [](BlockRange branch) { return branch; });
}

}  // namespace shardstone::collectives
