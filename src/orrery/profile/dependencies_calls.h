// SPDX-License-Identifier: Apache-2.0
//
// What a call waits for, by a record of it or by its name.
#pragma once

#include <string_view>

#include "orrery/profile/dependencies_internal.h"

namespace orrery::profile::draft {

enum class CallName : std::uint8_t {
  unread,
  other,
  device_wait,   ///< …DeviceSynchronize, …CtxSynchronize
  stream_wait,   ///< …StreamSynchronize: of a stream, by the host
  event_wait,    ///< …EventSynchronize
  event_record,  ///< …EventRecord…
  event_queue    ///< …StreamWaitEvent: of an event, by a stream
};
[[nodiscard]] CallName call_name(std::string_view name);

/// The call waits for the last of the `launched` first works of the stream, or, where that was
/// recorded to end after the call, for the latest of those shortly before it that did not (counted,
/// guessed). `event`: the call may be a query, which need not wait.
void wait_for_last(Draft& draft, EventId call, const Stream& stream, std::uint32_t launched,
                   bool event);

/// The call waits for everything launched on a device; where there are many streams, not again for
/// what its thread has waited for in this way.
void wait_for_device(Draft& draft, EventId call, std::int64_t device);

/// Adds what calls without a record waited for, by their names and the works around them; and,
/// where the trace has no records at all, waits across streams (stream_wait_guessed).
void guess_waits(Draft& draft);

}  // namespace orrery::profile::draft
