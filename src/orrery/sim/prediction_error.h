// SPDX-License-Identifier: Apache-2.0
//
// Who told how long things take, and how far off they may be: plain data, which needs no model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/core/time_provenance.h"

namespace orrery::sim {

/// Between what 80 % of measured times lie, as shares of what was told: -0.1 is a tenth less.
struct ErrorInterval {
  double lower = 0;
  double upper = 0;

  friend bool operator==(const ErrorInterval&, const ErrorInterval&) = default;
};

/// What a library takes for collectives of one kind.
struct PredictedCollective {
  std::string type;  ///< "all_reduce" …
  Bytes bytes{};     ///< the whole buffer
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  Time time{};            ///< from when the last has come
  std::string source;     ///< "measured", "scaled", "cost model"
  std::string algorithm;  ///< what the library chooses: "ring, ll128"; empty: it has no choice
  std::optional<ErrorInterval> off;  ///< empty: not known
  TimeProvenance provenance = TimeProvenance::formula;

  friend bool operator==(const PredictedCollective&, const PredictedCollective&) = default;
  [[nodiscard]] auto key() const {
    return std::tie(type, ranks, nodes, bytes, time, source, algorithm);
  }
};

/// How far a class's time may be from the true one.
struct ErrorBand {
  Time lower{};  ///< 10 % of true times are less than told and this …
  Time upper{};  ///< … and 10 % more than told and this

  friend bool operator==(const ErrorBand&, const ErrorBand&) = default;
};

/// What one model tells of one class of nodes on the critical path: its errors move together.
struct ErrorClass {
  std::string name;  ///< "learned gemm bf16", "nccl all_reduce, 8 ranks (measured)", "recorded"
  Time time{};
  std::optional<ErrorBand> band;  ///< empty: nobody knows how far off it is

  friend bool operator==(const ErrorClass&, const ErrorClass&) = default;
};

/// Sorts by key() and drops what is there twice.
void sort_predicted_collectives(std::vector<PredictedCollective>& all);

}  // namespace orrery::sim
