// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::command {

/// The text of `shardstone submit --help` below its options.
inline constexpr const char* submit_help =
    R"(A study is a TOML file: which command is run, on how many ranks, with which options fixed and which
varied, how often, and for how long at most. A site is a TOML file: scheduler, launcher, partition,
modules, nodes, binding, environment. Both are given by the name of one that comes with Shardstone
(--list) or as a file.

Everything goes to one folder (--out): copies of both files, and for each point its record, output and
exit code. A point is done once its record is there, complete, and passed its checks. The same command
again submits what is missing or failed, and only that, after whatever happened: a time limit,
preemption, scancel, a crashed node, a kill of this command. A verdict of FAIL or INCONCLUSIVE is a
result, and done: to test again, after a repair for example, remove the folder of the point, as --status
says, and submit again. A study may grow in its folder: with more ranks, repetitions or minutes in its
file, the same command runs what is new beside what is done. With Slurm there is an array job for each
number of ranks, whose tasks may be requeued at any time, and a job that makes the report once all have
ended. With scheduler = "none" the points run here, one after the other: Ctrl-C stops after the point in
progress, a second one at once.

squeue is given 5 minutes to answer, which is longer than Slurm's own limits let it wait; after that the
queue counts as one that cannot be asked: nothing is submitted, and --status tells the records alone.

Account: sbatch takes it from $SBATCH_ACCOUNT. All other SBATCH_* and SQUEUE_* variables are withheld from
Slurm's tools, which would submit and show something else with them: use sbatch_options of the site.

Keys of a study, of which [fixed], [vary], [[case]] and those with a default may be left out
  about           what it answers, in a line
  command         any subcommand that runs on ranks and writes a record, without options: "train"
  ranks           numbers of ranks, ascending: [8, 16, 32]
  ranks_per_node  as many ranks on each node: "{ranks/4}" (default: as many as the site has)
  placement       of ranks over nodes: "block" or "cyclic" (default: "block")
  [stop]          when it ends:
  repetitions     runs of each point
  minutes         after which one run is ended
  [fixed]         options of the command, without their dashes: global-batch = "{4*ranks}"; none that
                  name a file to write, since every run would write it
  [vary]          the same, each with a list, of which all combinations are run
  [[case]]        options that go together, with the name that their points get: name = "pp"
Values may hold expressions of ranks, nodes and ranks_per_node in braces, with * and /.

Keys of a site, of which [environment], [options] and those with a default may be left out
  about             what it is, in a line
  scheduler         "slurm", or "none": one run after the other, on this machine
  launcher          "srun" or "mpiexec"
  launcher_options  words for it: ["--mpi=pmi2"] (default: none)
  binding           of ranks to cores: "core", "numa" or "none"
  partition         of Slurm (default: the cluster's)
  sbatch_options    anything else that sbatch needs: ["--qos=bench"] (default: nothing)
  nodes             most that a run may have (default: any number)
  ranks_per_node    of a full node; with Slurm it must be there (default: all ranks on one node)
  cores_per_node    shared evenly by its ranks (default: one core for each rank)
  gpus_per_node     asked for if the command uses GPUs: topology, and what has --device cuda
                    (default: 0)
  exclusive         true: nodes are shared with nobody (default: false)
  at_once           runs at a time in all, and then one number of ranks after the other (default: as
                    many as Slurm starts)
  nics              UCX_NET_DEVICES of a node's ranks, in turn: ["mlx5_0:1"] (default: not set)
  modules           loaded before each job: ["gcc/12"] (default: none)
  client_prefix     words before sbatch and squeue, where they are not on this host (default: none)
  client_host       the host on which they are not needed (default: none)
  [environment]     variables of every run
  [options.train]   options of every run of that command, unless the study sets them itself, or leaves
                    one out: explain = false, or of one with a value as well, cluster = false; of a
                    command with two words: [options."validate interconnect"]. If they set pace, as
                    site virtual does, a study of precision compares memory and messages there, and not
                    the times of passes: the pace sets those, and a line says so

Examples
  shardstone submit --list
  shardstone submit scaling-weak --site virtual --dry-run     prints what would be submitted
  shardstone submit scaling-weak --site virtual               submits it; again: what is missing
  shardstone submit scaling-weak --site virtual --status
  while shardstone submit scaling-weak --site virtual --status >status.txt; [ $? = 7 ]; do sleep 60; done
  shardstone submit my-study.toml --site local --out out/my-study
  shardstone submit scaling-weak --site slurm-gpu --sbatch    prints one script to edit

Exit codes: 0 submitted, or all points are done; 1 points are missing or failed (of --status: and none
is under way), or are done and their runs ended otherwise than well, as a validation that says FAIL;
2 bad input, or Slurm refuses; 7 of --status: points wait or run, or may do so, as the queue cannot be
asked. All: shardstone --help)";

}  // namespace shardstone::command
