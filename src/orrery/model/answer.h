// SPDX-License-Identifier: Apache-2.0
//
// What models of computation and of memory answer.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/core/quantity.h"

namespace orrery::model {

/// Which model a time comes from.
enum class Source : std::uint8_t {
  recorded,
  roofline,
  local_memory,
  remote_memory,
  heuristic,  ///< tiles and waves, achieved bandwidth
  table,      ///< between measured points
  learned,    ///< trees fitted to public tables, built in
  systolic,   ///< SCALE-Sim's closed form
  fitted,     ///< trees or nets fitted to somebody's own measured kernels
};

/// How far measured times were from the answer, as shares of it: -0.1 is a tenth less.
struct ErrorBand {
  double least = 0;
  double most = 0;

  friend bool operator==(const ErrorBand&, const ErrorBand&) = default;
};

struct Answer {
  Time time{};
  Source source = Source::recorded;
  std::optional<ErrorBand> band{};  ///< empty: not known
  bool beyond = false;              ///< outside of what the model was measured or trained on

  friend bool operator==(const Answer&, const Answer&) = default;
};

}  // namespace orrery::model
