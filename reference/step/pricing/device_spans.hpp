// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "reference/step/step_program.hpp"
#include "reference/step/timeline.hpp"

namespace shardstone::reference {

/// The spans of a rank's actions, `noted` by the rank, as its device had them. A rank may note late
/// that a message has come, and a device that goes by a clock of its own (PacedDevice) has by then
/// begun what needs it: to the device it had come. That the rank was late took none of the step's
/// time. Where ranks compute by themselves, nothing that is needed ends later than it is noted.
std::vector<ActionSpan> as_device_had_it(const SharedList<Action>& actions,
                                         const SharedList<ActionSpan>& noted);

}  // namespace shardstone::reference
