// SPDX-License-Identifier: Apache-2.0
//
// What calls and streams waited for, where the trace has records of it.
#pragma once

#include <cstdint>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {

/// Fills syncs and stream_waits from records; marks the calls that wait.
void find_waits(DependencyDraft& draft);

/// The call waits for the last of the `launched` first works of the stream, or, where that was
/// recorded to end after the call, for the latest of those shortly before it that did not (counted,
/// guessed). `event`: the call may be a query, which need not wait.
void wait_for_last(DependencyDraft& draft, EventId call, const Stream& stream,
                   std::uint32_t launched, bool event);

/// The call waits for everything launched on a device; where there are many streams, not again for
/// what its thread has waited for in this way.
void wait_for_device(DependencyDraft& draft, EventId call, std::int64_t device);

}  // namespace orrery::profile::draft
