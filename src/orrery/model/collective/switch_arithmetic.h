// SPDX-License-Identifier: Apache-2.0
//
// Which numbers switches can add.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// What InNetwork::adds says, for collectives. Of a dimension its switches count; of a fabric, and
/// of rings through several dimensions, only what all switches that sum can add.
class SwitchArithmetic {
 public:
  explicit SwitchArithmetic(const platform::Platform& platform);

  /// Whether there are numbers that some switches cannot add.
  [[nodiscard]] bool is_limited() const { return everywhere_ != kEvery; }
  /// Whether those that would sum along `dim` can add these numbers; unsaid: yes.
  [[nodiscard]] bool add(const LogicalDim& dim, graph::Format numbers) const;

 private:
  static constexpr std::uint16_t kEvery = 0xffff;

  [[nodiscard]] static std::uint16_t said(const platform::InNetwork& figures) {
    return figures.adds == 0 ? kEvery : figures.adds;
  }

  std::vector<std::uint16_t> by_dim_;  // bits as InNetwork::adds, all set where all can be added
  std::uint16_t everywhere_ = kEvery;
};

/// Whether a phase of that type adds numbers up: all-reduces, reduce-scatters, and what combines
/// tokens.
[[nodiscard]] bool is_reduction(graph::CollectiveType type, const graph::ExpertExchange& exchange);

}  // namespace orrery::model
