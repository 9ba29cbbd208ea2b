// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orrery/core/packet_record.h"
#include "orrery/report/answer/answer.h"

namespace orrery::report {

/// The packets of a run: in text what is not 0, in JSON all numbers (`packets`). Empty: the network
/// simulates no packets; no text, and null.
void state_packets(Answer& answer, const std::optional<PacketTotals>& packets);

}  // namespace orrery::report
