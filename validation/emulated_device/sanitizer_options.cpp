// SPDX-License-Identifier: BSD-3-Clause
// What the thread sanitizer does unless TSAN_OPTIONS says otherwise: it ends at the first race, and
// lets the handler of wrong accesses, which runs where one was made, call ordinary functions.
#if defined(SHARDSTONE_EMULATED_TSAN)

extern "C" const char* __tsan_default_options();

const char* __tsan_default_options() {
    return "halt_on_error=1:report_signal_unsafe=0";
}

#endif
