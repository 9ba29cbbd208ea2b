// SPDX-License-Identifier: Apache-2.0
//
// Recorded dependencies between the nodes of CUDA graphs.
#pragma once

#include <span>
#include <vector>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {

/// The works that are ordered by the edges of their graph, not by their stream.
class GraphOrder {
 public:
  explicit GraphOrder(const Profile& profile);

  /// True if an edge begins or ends at this node.
  [[nodiscard]] bool orders(EventId work) const;
  /// The dependencies of a node; empty for roots, which wait for the work on the stream before the
  /// graph.
  [[nodiscard]] std::span<const EventId> before(EventId work) const;

 private:
  const Profile& profile_;
  std::vector<EventId> to_, from_;  ///< the edges, ascending by target
};

/// Adds the edges of all graphs.
void connect_graphs(DependencyDraft& draft);

}  // namespace orrery::profile::draft
