// SPDX-License-Identifier: Apache-2.0
//
// What calls without a record waited for, by their names.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {

enum class CallName : std::uint8_t {
  not_parsed,
  other,
  device_wait,   ///< …DeviceSynchronize, …CtxSynchronize
  stream_wait,   ///< …StreamSynchronize: of a stream, by the host
  event_wait,    ///< …EventSynchronize
  event_record,  ///< …EventRecord…
  event_queue    ///< …StreamWaitEvent: of an event, by a stream
};
[[nodiscard]] CallName call_name(std::string_view name);

/// Adds what calls without a record waited for, by their names and the works around them; and,
/// where the trace has no records at all, waits across streams (stream_wait_guessed).
void guess_waits(DependencyDraft& draft);

}  // namespace orrery::profile::draft
