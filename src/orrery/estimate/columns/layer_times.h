// SPDX-License-Identifier: Apache-2.0
//
// Durations of passes through layers, without concurrent data-parallel communication.
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

/// Kinds of groups whose collectives block a layer.
enum class LayerGroup : std::uint8_t { tensor, experts, context };
inline constexpr std::array kLayerGroups{workload::Axis::tp, workload::Axis::ep,
                                         workload::Axis::cp};

/// Durations of one microbatch in a part, in picoseconds.
struct PartTimes {
  PassTimes duration;
  PassTimes products, others;  ///< kernels of matrix products, and other kernels
  /// By LayerGroup: time from the start of the part to the latest start of its first collective
  /// that does not delay it.
  std::array<PassTimes, kLayerGroups.size()> lead;
};

/// Durations of identical layers under one partitioning.
struct LayerTimes {
  bool estimated = false;                ///< false: kernel launches on the host limit the speed
  std::array<PartTimes, kPlaces> parts;  ///< by Place
  PassTimes pass_overhead;               ///< duration of a pass in addition to its parts
  workload::Op product;                  ///< the matrix product that moves the most bytes …
  workload::Op other;                    ///< … and the other kernel that does
  /// The largest collective of a layer, by LayerGroup; size 0: none.
  std::array<workload::Op, kLayerGroups.size()> exchange;
};

/// Schedules passes of `spec`, whose layers are identical, on one stage (schedule_ops). The
/// duration of a layer is a quarter of the time that four more layers add to four. `split`: `input`
/// and `weight` are the halves of backward passes; else `weight` is the complete pass and `input`
/// is 0. Errc: those of assembly and of simulations.
[[nodiscard]] Result<LayerTimes> layer_times(const workload::Spec& spec, bool split,
                                             OpCosts& costs);

}  // namespace orrery::estimate
