// SPDX-License-Identifier: Apache-2.0
//
// Waits of calls and streams that the trace contains as sync records.
#pragma once

#include <cstdint>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {

/// Fills `syncs` and `stream_waits` from records; marks the calls that wait.
void find_waits(DependencyDraft& draft);

/// Makes the call wait for the last of the first `launched` works of the stream. If that work was
/// recorded to end after the call, the call waits for the latest of the works shortly before it
/// that ended in time (counted, guessed). `event`: the call may be a query, which need not wait.
void wait_for_last(DependencyDraft& draft, EventId call, const Stream& stream,
                   std::uint32_t launched, bool event);

/// Makes the call wait for all work launched on a device. If there are more than 32 streams, omits
/// works for which its thread has already waited in this way.
void wait_for_device(DependencyDraft& draft, EventId call, std::int64_t device);

}  // namespace orrery::profile::draft
