// SPDX-License-Identifier: Apache-2.0
//
// Where the nodes of a fabric are drawn. Private to this room.
#pragma once

#include <string>
#include <vector>

#include "orrery/study/clusters/topology_report.h"

namespace orrery::present {

// In pixels.
inline constexpr double kWidest = 58, kNarrowest = 17, kNodeHeight = 20, kNodeGap = 6;
inline constexpr double kRowHeight = 64, kMaxBow = 70, kSide = 24;

/// Something that is drawn: a node, or several as one.
struct Box {
  std::string label, about;
  double x = 0, y = 0;  // its middle
  double width = kWidest;
};

struct Frame {
  std::string label;
  double x = 0, y = 0, width = 0, height = 0;
};

/// Switches by tier, hosts below them; devices that only each other join in rows.
struct Layout {
  static constexpr std::size_t kNoBox = ~std::size_t{0};

  std::vector<Box> boxes;
  std::vector<Frame> frames;
  std::vector<std::size_t> box_of;  ///< by node; kNoBox: it is not drawn
  double right = 0, bottom = 0;     ///< where the last ones end
};
[[nodiscard]] Layout layout_of(const study::TopologyAnswer& answer);

}  // namespace orrery::present
