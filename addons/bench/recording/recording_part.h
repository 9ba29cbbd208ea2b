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

/// Which operators, of those of a step or of everything.
struct RecordingPart {
  enum class Kind : std::uint8_t {
    all,
    scope,         ///< inside the first range or operator whose name contains `scope`
    layers,        ///< of layers first to last, forward and backward
    fewer,         ///< all but those of some layers: `last` layers stay (with_fewer_layers)
    microbatches,  ///< all but those of the last microbatches: the first `last` stay
    time,          ///< begun in [from, to) since the step's begin, or the first operator's
  };
  Kind kind = Kind::all;
  std::string scope;
  std::uint32_t first = 0, last = 0;
  Time from{}, to{};
};

/// "scope=backward", "layer=3", "layers=0-3", "fewer=4", "microbatches=2", "10ms-20ms"; empty: all.
/// Errc: usage.
[[nodiscard]] Result<RecordingPart> parse_part(std::string_view text);

/// Of `operators` (in order of their starts) those of a part by layers, microbatches or time; time
/// counts from `begin`. Errc: usage where there are none, saying what there is; input_missing_attr
/// where the recording has no times, nothing repeats in it as layers do, or as microbatches_of. As
/// layers_of.
[[nodiscard]] Result<std::vector<bool>> operators_in_part(
    const RecordingPart& part, const profile::Profile& profile,
    const std::vector<profile::EventId>& operators, Time begin);

}  // namespace orrery::bench
