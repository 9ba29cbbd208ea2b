// SPDX-License-Identifier: Apache-2.0
//
// What nodes of CUDA graphs were recorded to wait for.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {

/// The works that edges of their graph order, and not the stream they happened to run on.
class GraphOrder {
 public:
  explicit GraphOrder(const Profile& profile);

  /// True for a node at an end of an edge.
  [[nodiscard]] bool orders(EventId work) const;
  /// What it waits for; empty for roots, which wait for what was on the stream before the graph.
  [[nodiscard]] std::span<const EventId> before(EventId work) const;

 private:
  const Profile& profile_;
  std::vector<EventId> to_, from_;  ///< the edges, by their second ends
};

/// Adds the edges.
void connect_graphs(DependencyDraft& draft);

}  // namespace orrery::profile::draft
