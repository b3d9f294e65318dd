// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone validate interconnect` is, in its --help.
#include "jobs/command/validate_interconnect.hpp"

namespace shardstone::command {

const char* const interconnect_details =
    R"(Tests messages by MPI between memories of the hosts or, with --device cuda, through NCCL between
those of GPUs, by whatever way it takes. It times messages between all pairs of nodes (their first
ranks, as many pairs at once as there can be) and of ranks inside nodes, in both directions, in passes,
and compares the data that arrived; then pairs of two halves of the nodes alone and all at once, and
one pair beside an all-to-all of all others
(congestion); then fixed work on every rank (arithmetic, memory, wake-ups; with --device cuda also
its GPU's products in BF16, copies in its memory and transfers from and to its host; a GPU that multiplies
wrong ends the run and is named, and of a slow one is told what held its clock down); clocks of nodes before
and after that. With --cluster, whose links calibrate has measured, collectives and the messages of
training steps (data parallel, ZeRO-3, tensor, pipeline) are held against their prediction: over
1.25 times as long fails, whatever single pairs do. Parts of the network and ranks that are slow are
named with odds; a few more pair tests tell apart what could be meant.
The verdict is against the cluster's own median and, with --accept, the limits of a file, which hold
for every pair or rank. Two nodes with one NIC each have no median: without limits they do not pass;
with more NICs (--rails) these are compared, and a node that is slow as a whole is not seen. A limit that the
given nodes and tests cannot measure is refused. Without --rails only the NICs of the nodes' first
ranks are tested, and the verdict says how many were not. Where other programs took over 5 % of the
cores of most machines nothing passes, and what that may explain does not fail. Congestion and clocks
(by the bounds of their surest readings) are judged by limits only. What the tests leave of --budget
is spent on limits that are undecided: on as many samples again, and again, up to 1536 of each pair
or rank, and the oftener a limit is judged the surer its verdict has to be (95 % for all of them
together); a p99 takes 368 samples at least. Then it is said what --budget would decide them:
  memory = "gpu"                   # of limits for --device cuda; else leave it out
  [[limit]]
  quantity = "rate between nodes"  # or latency; inside nodes; slowdown of a victim; without
                                   # size: wake-up delay, clock offset, clock drift,
                                   # traffic over prediction; of 4 nodes or more
                                   # bisection rate, slowdown of pairs at once; with
                                   # --device cuda GPU product rate, GPU memory rate (what
                                   # a copy reads and writes), GPU transfer rate (one way
                                   # after the other)
  statistic = "median"             # or mean, or a percentile: of times what so many per cent
                                   # are within, of rates what so many reach (p99, p95); of a
                                   # latency up to 4K, whose samples are each the shortest of
                                   # eight messages, of those; of a rank's work, whose samples
                                   # are the means of its turns, of those
  size = "4M"
  limit = 48.5
  unit = "GB/s"                    # TB/s, MB/s, Gbit/s, Mbit/s; TFLOP/s, GFLOP/s; s, ms,
                                   # us; times, ppm
  source = "port x 97 %"           # may be left out: shown beside the limit
  mpiexec -n 8 shardstone validate interconnect
  srun -N 4 --ntasks-per-node 8 shardstone validate interconnect --accept pod.toml --json i.json
  srun -N 4 --ntasks-per-node 8 --gpus-per-node 8 shardstone validate interconnect --device cuda \
    --rails 8 --sizes 8,1M,256M --part pairs,congestion,ranks
With --device cuda each rank needs a GPU of its own, and a message's time includes its launch;
acknowledgements go the same way. --rails then tells blocks of a node's GPUs: which NIC they use is
NCCL's choice.
A rank tests the GPU of its number on the node, of those it may use. Ranks of a node make transfers
at once where each has cores of its own; one whose cores are far from its GPU has slow ones: bind
ranks to the socket of their GPUs.
Clocks of nodes stay those of the hosts, and --cluster, whose links are theirs, is refused.
With --for the tests of pairs are then repeated, and times are named in which a link or rank was
slow, silent or sent wrong data, against the passes before; limits are judged by those passes, not by
the soak. A row for each pair and window (of a second to a minute; longer where a pass takes longer,
or all rows would be too many), each message of over 1.2 times the usual, and each wait of a second
are kept: less than 165 MiB of rows. Killed, it goes on with --resume from its journal:
  srun -N 4 --ntasks-per-node 8 shardstone validate interconnect --for 8h --hdf5 soak.h5
Exit codes: 0 pass; 1 fail, or a GPU that multiplies wrong, without a record; 7 inconclusive; 2 refused input; 4 a rank was lost or stood still, which
is named on stdout, and by `report` of the record, with no verdict; 130 stopped by SIGINT or SIGTERM,
with an incomplete record and no verdict.
)";

}  // namespace shardstone::command
