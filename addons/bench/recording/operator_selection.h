// SPDX-License-Identifier: Apache-2.0
//
// Selects the operators of a recording to replay.
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

/// Operators call other operators. `top` selects the outermost, which all releases and back-ends
/// have. `kernel` selects those that do the work, as dispatched in the recording.
enum class OperatorLevel : std::uint8_t { top, kernel };

struct SelectOptions {
  OperatorLevel level = OperatorLevel::top;
  RecordingPart part;  ///< a part of the first complete step if steps are annotated; a scope: of
                       ///< the complete recording
  bool all_steps = false;  ///< use all steps even if steps are annotated
};

struct Selection {
  /// Ascending by node id, which is the order of their starts.
  std::vector<profile::EventId> operators;
  /// Operators of other parts, on which the selected ones may depend; ascending by node id.
  std::vector<profile::EventId> others;
  /// For operators on lists: the items that stay (FewerLayers::items).
  std::map<profile::EventId, std::vector<bool>> items;
  /// Collectives, messages, waits; in order of node id.
  std::vector<profile::EventId> communications;
  std::uint64_t other_nodes = 0;  ///< nodes with neither schema nor back-end
};

/// Whether an operator only calls others, by the text of its schema.
using Composite = std::function<bool(std::string_view schema)>;

/// Errc: usage if no range or operator matches the scope; input_missing_attr if nodes have no
/// schemas (or there are none); as operators_in_part.
[[nodiscard]] Result<Selection> select(const profile::Profile& profile,
                                       const SelectOptions& options, const Composite& is_composite);

}  // namespace orrery::bench
