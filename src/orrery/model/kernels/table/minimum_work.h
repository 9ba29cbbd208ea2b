// SPDX-License-Identifier: Apache-2.0
//
// What kernels have to do at the least, from their sizes, and where in a table they stand.
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

/// Of one launch of a kernel as `canonical` gives it, but with these sizes. Numbers of unsaid
/// formats have 16 bits. Sizes that are 0 where they have to be something give no work.
[[nodiscard]] MinimumWork minimum_work(const graph::Kernel& kernel,
                                       const std::array<double, graph::kKernelSizes>& sizes);
[[nodiscard]] MinimumWork minimum_work(const graph::Kernel& kernel);

/// The same kernel with what goes without saying said: formats of b and of the output are those of
/// a, an attention has as many heads for keys as for queries and equal dims. `launches`, `flops`
/// and `bytes` are left out: several launches become one of a share of the first size (rounded up).
[[nodiscard]] graph::Kernel canonical(const graph::Kernel& kernel);

/// A kernel's place in a table of its class, one number for each size: the size, 1 where it is 0;
/// of attention, heads are those per head of keys, so that kernels in which the two are equal lie
/// side by side.
using TablePlace = std::array<double, graph::kKernelSizes>;
[[nodiscard]] TablePlace place_of(const graph::Kernel& canonical);

/// One measured point. `seconds` are those of one launch.
struct TablePoint {
  TablePlace place{};
  double seconds = 0;
};

/// A rough time for any place of a class: what the measured points show of rates and of what every
/// launch takes. Only ratios of it are ever used.
class TableScale {
 public:
  TableScale() = default;
  /// `like` has the class's operation, pass, formats and traits, and its sizes that are 0.
  TableScale(const graph::Kernel& like, std::span<const TablePoint> points);
  [[nodiscard]] double operator()(const TablePlace& place) const;

 private:
  [[nodiscard]] MinimumWork work(const TablePlace& place) const;

  graph::Kernel like_{};
  double seconds_per_flop_ = 0;
  double seconds_per_byte_ = 0;
  double least_ = 0;
};

}  // namespace orrery::model
