// SPDX-License-Identifier: Apache-2.0
//
// What passes through layers take where nothing of data parallelism is beside them.
#pragma once

#include <array>
#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/layer_shape.h"
#include "orrery/estimate/columns/pipeline_closed_form.h"
#include "orrery/estimate/program/op_costs.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// Groups whose collectives a layer waits for.
enum class LayerGroup : std::uint8_t { tensor, experts, context };
inline constexpr std::array kLayerGroups{workload::Axis::tp, workload::Axis::ep,
                                         workload::Axis::cp};

/// What one microbatch takes of a part, in picoseconds.
struct PartTimes {
  PassTimes duration;
  PassTimes products, others;  ///< kernels of these, by themselves
  /// By Within: how late the first collective may begin.
  std::array<PassTimes, kLayerGroups.size()> lead;
};

/// What layers that are alike take, cut one way.
struct LayerTimes {
  bool estimated = false;                ///< false: hosts are in the way
  std::array<PartTimes, kPlaces> parts;  ///< by Place
  PassTimes concurrent;                  ///< what a pass takes beside its parts
  workload::Op product;                  ///< the kernel that moves the most bytes, of products …
  workload::Op other;                    ///< … and of all others
  /// A layer's largest collective, by Within; size 0: none.
  std::array<workload::Op, kLayerGroups.size()> exchange;
};

/// Passes of `spec`, whose layers are alike, on one stage, played alone (`play`): what a layer
/// takes is what each of the second four adds. `split`: the halves of backward passes, else these
/// are `weight` and `input` is nothing. Errc: those of laying it out and of simulations.
[[nodiscard]] Result<LayerTimes> layer_times(const workload::Spec& spec, bool split,
                                             OpCosts& costs);

}  // namespace orrery::estimate
