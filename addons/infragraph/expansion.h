// SPDX-License-Identifier: Apache-2.0
//
// From an InfraGraph file to its graph: every copy of every component, every edge between them.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "addons/infragraph/infragraph_file.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform::infragraph {

/// A graph that annotations may still change.
struct ExpandedGraph {
  TopologyBuilder builder;
  /// Into the file. What link each of the builder's links is, by its number; two of them are one
  /// edge.
  std::vector<const LinkType*> link_type_of;
  std::map<const LinkType*, std::string> link_name_of;
};

/// Nodes are "instance.index.component.index", a nested device adds one level; their order is the
/// file's. As in the format's own service an edge is undirected, one between the same two nodes
/// replaces an earlier one (fabric_link_dropped), and one2one pairs as many as the shorter list has
/// (fabric_pairs_cut). How much there will be is worked out first: nothing is made beyond what a
/// file of `bytes` may stand for. Errc: input_corrupt, input_range, input_cycle (devices in each
/// other), input_missing_attr, limit_exceeded.
[[nodiscard]] Result<ExpandedGraph> expand(Infrastructure& file, std::size_t bytes,
                                           const std::string& where, Findings& findings);

}  // namespace orrery::platform::infragraph
