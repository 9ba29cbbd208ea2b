// SPDX-License-Identifier: Apache-2.0
//
// The interface of computation models: the duration of a node on the device, and its source.
#pragma once

#include <memory>

#include "orrery/core/error.h"
#include "orrery/graph/graph.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/time_estimate.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Predicts compute nodes one by one, independent of earlier calls. Thread-safe.
class ComputeModel {
 public:
  virtual ~ComputeModel() = default;
  /// The source of the time of a node.
  [[nodiscard]] virtual TimeSource source(const graph::Graph& graph, graph::NodeId node) const = 0;
  /// The time of a node. Errc: input_missing_attr, config_range; the caller sets `where`.
  [[nodiscard]] virtual Result<TimeEstimate> time(const graph::Graph& graph,
                                                  graph::NodeId node) const = 0;
};

/// The model that the platform specifies: recorded times, a model, or a model for nodes without
/// recorded times. The platform must outlive the result.
[[nodiscard]] std::unique_ptr<ComputeModel> make_compute_model(const platform::Platform& platform,
                                                               SuppliedModels given = {});

}  // namespace orrery::model
