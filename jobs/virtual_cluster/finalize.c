// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into programs on the virtual cluster: without it MPICH 4.0 over UCX and TCP hangs in
// most MPI_Finalize.
//
// MPI_Finalize closes every endpoint with a flush, which needs the peer's answer; a peer that is
// through already waits in the launcher's barrier, where nobody moves UCX along, and never gives
// it. Here the close does nothing (a null pointer means: done), and the sockets end with the
// process. Nothing is in flight by then: a Shardstone job ends with a barrier.
void* ucp_disconnect_nb(void* endpoint) {
    (void)endpoint;
    return 0;
}
