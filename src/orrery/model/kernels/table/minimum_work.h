// SPDX-License-Identifier: Apache-2.0
//
// The minimum work of kernels (FLOPs, bytes) from their sizes, and their place in a table.
#pragma once

#include <array>
#include <span>

#include "orrery/graph/kernel.h"

namespace orrery::model {

/// Operations, and bytes of device memory read and written once.
struct MinimumWork {
  double flops = 0;
  double bytes = 0;
};

/// The work of one launch of a kernel in the form of canonical(), but with these sizes. Numbers of
/// unknown format have 16 bits. If a required size is 0, there is no work.
[[nodiscard]] MinimumWork minimum_work(const graph::Kernel& kernel,
                                       const std::array<double, graph::kKernelSizes>& sizes);
[[nodiscard]] MinimumWork minimum_work(const graph::Kernel& kernel);

/// Sets FLOPs and bytes of all launches to their minimum where they are 0. False, and no change, if
/// they exceed 64 bits.
bool set_minimum_work(graph::Kernel& kernel);

/// The kernel with default values made explicit: formats of b and of the output are those of a; an
/// attention has equally many heads of keys and of queries, and equal dimensions. Several launches
/// become one with a share of the first size (rounded up); `flops` and `bytes` become 0.
[[nodiscard]] graph::Kernel canonical(const graph::Kernel& kernel);

/// The place of a kernel in a table of its class: each size, or 1 if it is 0. For attention, heads
/// are per head of keys, so that kernels with equal numbers of both are neighbors.
using TablePlace = std::array<double, graph::kKernelSizes>;
[[nodiscard]] TablePlace place_of(const graph::Kernel& canonical);

/// One measured point. `seconds` are those of one launch.
struct TablePoint {
  TablePlace place{};
  double seconds = 0;
};

/// An approximate time for each place of a class, from the highest measured rates and the shortest
/// measured time. Only ratios of these times are used.
class TableScale {
 public:
  TableScale() = default;
  /// `like` has the operation, pass, formats and traits of the class, and its sizes that are 0.
  TableScale(const graph::Kernel& like, std::span<const TablePoint> points);
  [[nodiscard]] double operator()(const TablePlace& place) const;

 private:
  [[nodiscard]] MinimumWork work(const TablePlace& place) const;

  graph::Kernel like_{};
  double seconds_per_flop_ = 0;
  double seconds_per_byte_ = 0;
  double minimum_ = 0;
};

}  // namespace orrery::model
