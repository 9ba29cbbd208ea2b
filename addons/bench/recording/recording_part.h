// SPDX-License-Identifier: Apache-2.0
//
// Parts of a recording that are replayed alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Selects operators of a step or of the complete recording.
struct RecordingPart {
  enum class Kind : std::uint8_t {
    all,
    scope,         ///< inside the first range or operator whose name contains `scope`
    layers,        ///< layers first to last, forward and backward
    fewer,         ///< a reduced number of layers: `last` layers stay (with_fewer_layers)
    microbatches,  ///< the first `last` microbatches
    time,  ///< begin in [from, to), relative to the begin of the step or of the first operator
  };
  Kind kind = Kind::all;
  std::string scope;
  std::uint32_t first = 0, last = 0;
  Time from{}, to{};
};

/// "scope=backward", "layer=3", "layers=0-3", "fewer=4", "microbatches=2", "10ms-20ms"; empty:
/// everything. Errc: usage.
[[nodiscard]] Result<RecordingPart> parse_part(std::string_view text);

/// For each of `operators` (in order of start), whether it is in a part by layers, microbatches or
/// time; time is relative to `begin`. Errc: usage if the part is empty (the error lists what
/// exists); input_missing_attr if the recording has no times or no repeating layers, or as
/// microbatches_of. As layers_of.
[[nodiscard]] Result<std::vector<bool>> operators_in_part(
    const RecordingPart& part, const profile::Profile& profile,
    const std::vector<profile::EventId>& operators, Time begin);

}  // namespace orrery::bench
