// SPDX-License-Identifier: Apache-2.0
//
// Which of a recording's operators are replayed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "addons/bench/recording/recording_part.h"
#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Operators call others. `top` takes the outermost, which every release and back-end has;
/// `kernel` those that do the work, as they were chosen where the recording was made.
enum class OperatorLevel : std::uint8_t { top, kernel };

struct SelectOptions {
  OperatorLevel level = OperatorLevel::top;
  RecordingPart part;  ///< of the first whole step where steps are marked; a scope of everything
  bool all_steps = false;  ///< everything even where steps are marked
};

struct Selection {
  std::vector<profile::EventId> operators;  ///< ascending by node id, which is the order of starts
  /// Of other parts, which the operators may need something of; ascending as they are.
  std::vector<profile::EventId> others;
  /// Of operators that work through lists: which items they keep (FewerLayers::items).
  std::map<profile::EventId, std::vector<bool>> items;
  std::vector<profile::EventId> communications;  ///< collectives, messages, waits; in that order
  std::uint64_t other_nodes = 0;                 ///< with neither schema nor backend
};

/// True for an operator that only calls others, by its schema's text.
using Composite = std::function<bool(std::string_view schema)>;

/// Errc: usage where nothing is called as the scope; input_missing_attr where nodes have no schemas
/// (or there are none); as operators_in_part.
[[nodiscard]] Result<Selection> select(const profile::Profile& profile,
                                       const SelectOptions& options, const Composite& is_composite);

}  // namespace orrery::bench
