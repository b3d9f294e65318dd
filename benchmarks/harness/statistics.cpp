// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/harness/statistics.hpp"
