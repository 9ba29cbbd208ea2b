// SPDX-License-Identifier: Apache-2.0
//
// Sources of predicted times and their errors: plain data that needs no model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/core/time_provenance.h"

namespace orrery::sim {

/// The interval that contains 80 % of measured times, relative to the prediction: -0.1 is 10 %
/// less.
struct ErrorInterval {
  double lower = 0;
  double upper = 0;

  friend bool operator==(const ErrorInterval&, const ErrorInterval&) = default;
};

/// The library's predicted time for collectives of one kind.
struct PredictedCollective {
  std::string type;  ///< "all_reduce" …
  Bytes bytes{};     ///< the full buffer
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  Time time{};                         ///< from the arrival of the last member
  std::string source;                  ///< "measured", "scaled", "cost model"
  std::string algorithm;               ///< the library's choice: "ring, ll128"; empty: it has none
  std::optional<ErrorInterval> error;  ///< empty: unknown
  TimeProvenance provenance = TimeProvenance::formula;

  friend bool operator==(const PredictedCollective&, const PredictedCollective&) = default;
  [[nodiscard]] auto key() const {
    return std::tie(type, ranks, nodes, bytes, time, source, algorithm);
  }
};

/// The 80 % error interval of the time of a class.
struct ErrorBand {
  Time lower{};  ///< 10 % of true times are below prediction + lower …
  Time upper{};  ///< … and 10 % above prediction + upper

  friend bool operator==(const ErrorBand&, const ErrorBand&) = default;
};

/// The nodes of one class on the critical path. One model predicts them, so that their errors are
/// fully correlated.
struct ErrorClass {
  std::string name;  ///< "learned gemm bf16", "nccl all_reduce, 8 ranks (measured)", "recorded"
  Time time{};
  std::optional<ErrorBand> band;  ///< empty: the class has no known error

  friend bool operator==(const ErrorClass&, const ErrorClass&) = default;
};

/// Sorts by key() and removes duplicates.
void sort_predicted_collectives(std::vector<PredictedCollective>& all);

}  // namespace orrery::sim
