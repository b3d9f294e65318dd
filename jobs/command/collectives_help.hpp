// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::command {

/// What `shardstone collectives --help` says below its options.
inline constexpr const char* collectives_help = R"(Examples
  mpiexec -n 8 shardstone collectives --op all_reduce --algorithm all -b 4 -e 4M -f 8 -d fp32
  mpiexec -n 8 shardstone collectives --op all_gather,reduce_scatter --in-place both -d bf16
  mpiexec -n 8 shardstone collectives --algorithm ring,mpi -b 1M -e 64M -f 2 -n 50 --json ring.json
  mpiexec -n 8 shardstone collectives --algorithm hierarchical:ring/rabenseifner --ranks-per-node 4
  mpiexec -n 2 shardstone collectives --algorithm ring,mpi --noise-floor --rotate auto -e 64M
  mpiexec -n 8 shardstone collectives --accuracy --op all --types fp32,bf16
  shardstone collectives --list

What is measured
  size       of the whole vector, as in nccl-tests: what each rank has before an all-reduce or an
             all-to-all, and after an all-gather. Rounded, where there are shares, to the nearest
             one that divides into them; the table shows the size that was run
  in place   input and output are one buffer, as training has them. auto: so, but for all-to-all
             and the point-to-point patterns, where that costs copies. nccl-tests' pair is both
  rotation   off: every iteration has the same buffers, as with nccl-tests and OSU, so that small
             vectors come from cache. auto: iterations work through so many buffers that those of
             the ranks of a node are twice its last-level caches

Reading the table
  time       median over the iterations of the time from when the last rank has started until the
             last rank has finished, where one kernel runs all ranks (they have one clock);
             otherwise of the longest time since a rank's own start. Every sample is in the record,
             by both rules. An operation in which nobody waits for the last rank (a broadcast to it)
             may have done much before: look at skew
  mean       of the same times: what IMB and OSU print. Slow iterations weigh in it, so at small
             sizes it lies above the median, by much where a few are very slow
  p95, p99   percentiles of that time; - where fewer than 10 samples lie beyond them (give -n)
  skew       median of the time from the first rank's start to the last one's: how far apart they
             come off the start line, most of all with more ranks than cores. No part of time;
             - where ranks have no common clock
  algbw      size / time: what the application sees
  busbw      algbw times a factor of the operation, 2 (P-1) / P for an all-reduce: what the busiest
             link must have carried at the least. It does not shrink with the number of ranks, so
             hold it against the rate of the slowest link; an algorithm that sends more than the
             least (see --list) can never reach that rate
  ping_pong and other messages   time is that of the whole pattern, so of a ping_pong there and back:
             osu_latency prints half of it. busbw is 2 size / time of a ping_pong, the rate one way;
             of ring_shift, multi_pair and bidirectional size / time, what a rank sends, as of
             nccl-tests' sendrecv, where osu_bibw adds up both directions and osu_mbw_mr all pairs
  predicted  the cost model plays the algorithm's schedule through, with what messages and
             reductions of each size take. That is in the cluster description (--cluster), or is
             measured first: ring shifts over all ranks at once, with the same executor and as many
             ranks per core, and a local reduction. The line below auto says what it took, and why:
             by a schedule, which is its prediction, or as measured before, which is none (- here;
             measured_before_s in the record)
  sent/rank  bytes handed to MPI by the rank that sent the most, per run
  in node, between   with several nodes: bytes that the schedule has a rank send to its own node and
             to others, the most of any rank each, and that over time
  checked    exact: every element of the result of the last timed iteration was right on every rank,
             in the buffer it was timed in, and an input out of place was left alone. Before each
             iteration, outside the time, inputs that it consumes are put back and outputs filled
             with what cannot be a result. -c N repeats that in N - 1 more runs, each on other values,
             for which what an earlier one left behind cannot pass; -c 0 leaves all of it out
  ! ...      other programs, or the hypervisor, took over 5 % of the cores while this was measured,
             and did so in up to three tries of which this is the quietest. What compares times
             then says "undecided"
  ! stalled  a rank stood still (stopped, held up by the machine below) for 40 ms or more while the
             point was measured, or a sample is far beyond all others. Where that was in a sample
             the point is taken again once. The line below the tables says who, where and for how
             long; table outliers of the record has all, of the tries left out too, and rank_times
             each rank's median time beside the other ranks'. With over eight ranks per core only
             longer standstills are seen; ranks that wait for a core are none
  noise floor (--noise-floor)   the fastest of ours at each size is measured against itself, as two
             contenders that take turns: a ratio within that range says nothing
The rival, mpi, is timed as users call it: the library's own blocking call.

Reading the table of --accuracy
  depth      additions on the longest path into the result, n, by following the schedule's messages;
             P - 1 where an algorithm shows none. Narrow types are added in FP32 and rounded once
  max, rms   errors in units in the last place of the type, against sums known exactly, of numbers
             uniform in [0, 1)
  bound      ((1 + u)^n - 1) |sum|, u the unit roundoff of the type (Higham 2002, section 4.2), in
             those units, where it is most; of it: the largest error over its own bound, at most 1
  runs       bits are the same in all runs, with another rank late in each
  ranks      bits are the same on all ranks, where all get the same elements
  schedule   bits are those of the schedule played without messages: no other order of additions
  bits       algorithms with the same letter in a type have the same bits

Exit code 1: wrong results (also in the record), with --fail-on-outlier a stalled sample or rank, or with --accuracy a sum beyond its bound or of other
bits than it must have. 130: stopped by a signal (SIGINT or SIGTERM; the record then holds what was
measured, and its verification fails; there is none before the first point, as in the calibration). All
codes: shardstone --help)";

}  // namespace shardstone::command
