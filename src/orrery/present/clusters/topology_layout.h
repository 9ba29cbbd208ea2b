// SPDX-License-Identifier: Apache-2.0
//
// Coordinates of the nodes of a fabric in its plot, in pixels. Private to this room.
#pragma once

#include <string>
#include <vector>

#include "orrery/study/clusters/topology_report.h"

namespace orrery::present {

// In pixels.
inline constexpr double kWidest = 58, kNarrowest = 17, kNodeHeight = 20, kNodeGap = 6;
inline constexpr double kRowHeight = 64, kMaxBow = 70, kSide = 24;

/// A plotted box: one node, or several collapsed into one.
struct Box {
  std::string label, about;
  double x = 0, y = 0;  // its center
  double width = kWidest;
};

struct Frame {
  std::string label;
  double x = 0, y = 0, width = 0, height = 0;
};

/// Switches by tier, hosts below them; a grid of rows for devices linked only to each other.
struct Layout {
  static constexpr std::size_t kNoBox = ~std::size_t{0};

  std::vector<Box> boxes;
  std::vector<Frame> frames;
  std::vector<std::size_t> box_of;  ///< by node; kNoBox: it is not plotted
  double right = 0, bottom = 0;     ///< extent of all boxes
};
[[nodiscard]] Layout layout_of(const study::TopologyAnswer& answer);

}  // namespace orrery::present
