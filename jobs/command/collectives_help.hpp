// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::command {

/// The text of `shardstone collectives --help` below its options.
inline constexpr const char* collectives_help = R"(Examples
  mpiexec -n 8 shardstone collectives --op all_reduce --algorithm all -b 4 -e 4M -f 8 -d fp32
  mpiexec -n 8 shardstone collectives --op all_gather,reduce_scatter --in-place both -d bf16
  mpiexec -n 8 shardstone collectives --algorithm ring,mpi -b 1M -e 64M -f 2 -n 50 --json ring.json
  mpiexec -n 8 shardstone collectives --algorithm hierarchical:ring/rabenseifner --ranks-per-node 4
  mpiexec -n 2 shardstone collectives --algorithm ring,mpi --noise-floor --rotate auto -e 64M
  mpiexec -n 8 shardstone collectives --accuracy --op all --types fp32,bf16
  mpiexec -n 8 shardstone collectives --device cuda --in-place both -b 1K -e 1G -f 4
  shardstone collectives --list

Measurement
  device     cpu: vectors are in memory of the host, and all means what passes messages over MPI or
             shared memory. cuda: they are in memory of GPUs, and all means NCCL's own collective
             beside our schedules over grouped sends and receives of NCCL (over_nccl), over MPI
             through pinned memory of the host (over_pinned; ranks may share a GPU), over an MPI
             that takes memory of GPUs (over_cuda_mpi), and within a node by copies from GPU to GPU,
             through CUDA IPC (over_ipc). What these ranks cannot run is left out, and the reason
             told
  size       of the whole vector, as in nccl-tests: the vector that each rank holds before an
             all-reduce or an all-to-all, and after an all-gather. Where there are shares, the size
             is rounded to the nearest one that divides into them; the table shows the size that
             was run
  in place   input and output are one buffer, as in training. auto: in place, except for all-to-all
             and the point-to-point patterns, where that costs copies. both: as nccl-tests reports
  rotation   off: every iteration uses the same buffers, as in nccl-tests and OSU, so that small
             vectors come from cache. auto: iterations cycle through enough buffers that those of
             the ranks of a node are twice its last-level caches

Columns of the table
  time       median over iterations of the time from the start of the last rank to the end of the
             last rank, where one kernel runs all ranks (they share a clock); otherwise of the
             longest time since a rank's own start. The record has every sample by both rules. In an
             operation in which no rank waits for the last one (a broadcast to it), much may have
             been done before that start: see skew
  mean       mean of the same times, which IMB and OSU print. Slow iterations weigh more in it, so
             at small sizes it lies above the median, far above if a few are very slow
  p95, p99   percentiles of that time; - where fewer than 10 samples lie beyond them (set -n)
  skew       median time between the first rank's start and the last one's, largest with more ranks
             than cores. It is not part of time; - where ranks have no common clock
  algbw      size / time: the rate that the application sees
  busbw      algbw times a factor of the operation, 2 (P-1) / P for an all-reduce: the least that
             the busiest link must have carried. It does not shrink with the number of ranks, so
             compare it with the rate of the slowest link; an algorithm that sends more than the
             minimum (see --list) can never reach that rate
  ping_pong and other messages   time is that of the whole pattern, for ping_pong the round trip, of
             which osu_latency prints half. busbw is 2 size / time for ping_pong, the rate in one
             direction; for ring_shift, multi_pair and bidirectional it is size / time, the rate at
             which a rank sends, as in nccl-tests' sendrecv, while osu_bibw adds up both directions
             and osu_mbw_mr all pairs
  predicted  time from the cost model, which simulates the algorithm's schedule with the measured
             costs of messages and reductions of each size. These come from the cluster description
             (--cluster), or are measured first: ring shifts inside nodes and between, with the same
             executor and as many ranks per core, and a local reduction. Between GPUs nothing is
             predicted without --cluster, nor what does not go over the way that was measured
             (shardstone calibrate --device cuda --over). The line below auto names the algorithm
             chosen, and why: either by its schedule, whose predicted time is shown, or by an
             earlier measurement, which is no prediction (- here; measured_before_s in the record)
  sent/rank  bytes of messages per run, of the rank that sent the most
  in node, between   with several nodes: bytes that the schedule has a rank send within its node and
             to other nodes, each the maximum over ranks, and that over time
  checked    exact: every element of the result of the last timed iteration was right on every rank,
             in the buffer that was timed, and an out-of-place input was left unchanged. Before each
             iteration, outside the timed part, inputs that it consumes are restored and outputs
             filled with values that cannot be a result. -c N adds N - 1 such runs, each on other
             values, so that leftovers of an earlier run cannot pass; -c 0 omits all checks
  ! ...      other programs, or the hypervisor, took over 5 % of the cores while this was measured, in
             each of up to three tries, of which this is the quietest. Comparisons of times are then
             "undecided"
  ! stalled  a rank stalled (was stopped, or held up by the system) for 40 ms or more while the
             point was measured, or a sample is far beyond all others. If that was within a sample,
             the point is measured once more. The line below the tables names the rank, the place
             and the length; table outliers of the record has all of them, those of discarded tries
             included, and rank_times compares each rank's median time with the other ranks'. With
             over eight ranks per core only longer stalls are detected; waiting for a core is none
  noise floor (--noise-floor)   the fastest of our algorithms at each size is measured against
             itself, as two alternating contenders: a ratio within that range means nothing
The reference, mpi, is timed as users call it: the library's own blocking call.

Columns of the table of --accuracy
  depth      number n of additions on the longest path into the result, along the schedule's
             messages; P - 1 for an algorithm without a schedule. Narrow types are added in FP32 and
             rounded once
  max, rms   errors in units in the last place of the type, relative to exactly known sums of
             numbers uniform in [0, 1)
  bound      ((1 + u)^n - 1) |sum|, u the unit roundoff of the type (Higham 2002, section 4.2), in
             those units, at its largest; of it: the largest error over its own bound, at most 1
  runs       whether the bits are the same in all runs, with another rank late in each
  ranks      whether the bits are the same on all ranks, where all get the same elements
  schedule   whether the bits are those of the schedule executed without messages: the same order of
             additions
  bits       algorithms with the same letter in a type have the same bits

Exit code 1: wrong results (also in the record); with --fail-on-outlier a stalled sample or rank;
with --accuracy a sum beyond its bound or not bitwise equal where it must be. 130: stopped by a
signal (SIGINT or SIGTERM; the record then holds what was measured, and its verification fails;
before the first point, as during the calibration, there is none). All codes: shardstone --help)";

}  // namespace shardstone::command
