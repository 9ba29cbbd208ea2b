// SPDX-License-Identifier: Apache-2.0
//
// Which of a recording's operators are replayed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// Operators call others. `top` takes the outermost, which every release and back-end has;
/// `kernel` those that do the work, as they were chosen where the recording was made.
enum class Level : std::uint8_t { top, kernel };

struct SelectOptions {
  Level level = Level::top;
  /// Only what is inside the first range or operator whose name contains this; empty = everything,
  /// or the first whole step where steps are marked.
  std::string scope;
  bool all_steps = false;  ///< everything even where steps are marked
};

struct Selection {
  std::vector<profile::EventId> operators;  ///< ascending by node id, which is the order of starts
  std::vector<profile::EventId> communications;  ///< collectives, messages, waits; in that order
  std::uint64_t other_nodes = 0;                 ///< with neither schema nor backend
};

/// True for an operator that only calls others, by its schema's text.
using Composite = std::function<bool(std::string_view schema)>;

/// Errc: usage where nothing is called `scope`; input_missing_attr where nodes have no schemas (or
/// there are none).
[[nodiscard]] Result<Selection> select(const profile::Profile& profile,
                                       const SelectOptions& options, const Composite& composite);

}  // namespace orrery::bench
