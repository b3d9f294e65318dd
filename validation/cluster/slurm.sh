# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# What the tests of Slurm on the virtual cluster share, sourced by them: $cluster is the path of
# `cluster`, $name the cluster's name. Every wait has an end.

TMPDIR=$(mktemp -d)  # where the cluster keeps its state, and the jobs their output
export TMPDIR
state=$TMPDIR/shardstone-clusters/$name

# With all that Slurm has to say.
fail() {
    echo "$(basename "$0"): $1" >&2
    timeout 5 "$cluster" exec --name "$name" head squeue --states all >&2 || true
    tail -n 5 "$TMPDIR"/*.out "$state"/slurm/*.log >&2 || true
    exit 1
}
expect() {  # WHAT EXPECTED FOUND
    [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}
on() { "$cluster" "$1" --name "$name" "${@:2}"; }
client() { timeout 20 "$cluster" exec --name "$name" head "$@"; }

# submit OPTIONS... COMMAND: a job that runs a line of shell; prints its number. Its output is in
# $TMPDIR/NUMBER.out.
submit() {
    client sbatch --parsable --chdir "$TMPDIR" --output "$TMPDIR/%j.out" --open-mode append \
        "${@:1:$#-1}" --wrap "${*: -1}"
}
# One word of what Slurm says of a job, such as JobState or Restarts.
word_of() {  # JOB WORD
    client scontrol show job "$1" | tr -s ' ' '\n' | sed -n "s/^$2=//p" | sort -u | paste -sd' '
}
await() {  # SECONDS WHAT COMMAND...
    local until_s=$((SECONDS + $1))
    until "${@:3}"; do
        [ $SECONDS -lt $until_s ] || fail "not within $1 s: $2"
        sleep 0.2
    done
}
has_state() { [ "$(word_of "$1" JobState)" = "$2" ]; }
await_state() { await "$1" "job $2 is $3" has_state "$2" "$3"; }  # SECONDS JOB STATE
holds() { grep -q "$2" "$1" 2>/dev/null; }                        # FILE PATTERN
says() { [ "$("${@:2}")" = "$1" ]; }                              # WORDS COMMAND...

processes_on() { on exec "$1" pgrep -c -x "$2" || true; }  # NODE PROGRAM
# Namespaces and files of the cluster, processes that name it or see a mount of it, which all on its
# nodes do.
leftovers() {
    ip netns list | grep "^shs-$name-" || true
    pgrep -af "$state" || true
    grep -lF "$TMPDIR" /proc/[0-9]*/mountinfo 2>/dev/null || true
    ls "$TMPDIR/shardstone-clusters"
}
finish() {
    on down
    rm -rf "$TMPDIR"
}
