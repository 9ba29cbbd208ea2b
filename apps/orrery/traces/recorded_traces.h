// SPDX-License-Identifier: Apache-2.0
//
// Commands on recorded traces (Kineto, PyTorch execution traces, Nsight Systems).
#pragma once

#include "options/input_options.h"

namespace orrery::app {

/// orrery check, for recorded traces.
int check_recorded(const RecordedTraces& options, Session& session);
/// orrery inspect, for recorded traces.
int inspect_recorded(const RecordedTraces& options, Session& session);

}  // namespace orrery::app
