// SPDX-License-Identifier: Apache-2.0
//
// The number formats that switches can reduce.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/model/collective/chunk_plan.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Applies InNetwork::adds to collectives. In a dimension, the switches of the dimension count. On
/// a fabric, and for rings through several dimensions, a format counts only if all reducing
/// switches can add it.
class SwitchArithmetic {
 public:
  explicit SwitchArithmetic(const platform::Platform& platform);

  /// Whether some switches cannot add some formats.
  [[nodiscard]] bool is_limited() const { return common_formats_ != kAllFormats; }
  /// Whether the switches along `dim` can add numbers of this format. Format::unsaid: yes.
  [[nodiscard]] bool can_add(const LogicalDim& dim, graph::Format numbers) const;

 private:
  static constexpr std::uint16_t kAllFormats = 0xffff;

  [[nodiscard]] static std::uint16_t supported_formats(const platform::InNetwork& figures) {
    return figures.adds == 0 ? kAllFormats : figures.adds;
  }

  std::vector<std::uint16_t> by_dim_;  // bits as InNetwork::adds; all set: every format
  std::uint16_t common_formats_ = kAllFormats;
};

/// Whether a phase of this type reduces: all-reduces, reduce-scatters, and all-to-alls that combine
/// tokens.
[[nodiscard]] bool is_reduction(graph::CollectiveType type, const graph::ExpertExchange& exchange);

}  // namespace orrery::model
