// SPDX-License-Identifier: Apache-2.0
//
// The contract for models of computation: how long a node takes on the device, and who says so.
#pragma once

#include <memory>

#include "orrery/core/error.h"
#include "orrery/graph/graph.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/time_estimate.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Answers for compute nodes, one by one; what was asked before does not matter. Thread-safe.
class ComputeModel {
 public:
  virtual ~ComputeModel() = default;
  /// Which model will answer.
  [[nodiscard]] virtual TimeSource source(const graph::Graph& graph, graph::NodeId node) const = 0;
  /// Errc: input_missing_attr, config_range; `where` is for the caller to fill in.
  [[nodiscard]] virtual Result<TimeEstimate> time(const graph::Graph& graph,
                                                  graph::NodeId node) const = 0;
};

/// What the platform asks for: recorded times, a model, or a model where nothing was recorded. The
/// platform outlives it.
[[nodiscard]] std::unique_ptr<ComputeModel> make_compute_model(const platform::Platform& platform,
                                                               SuppliedModels given = {});

}  // namespace orrery::model
