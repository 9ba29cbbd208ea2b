// SPDX-License-Identifier: Apache-2.0
//
// Expands an InfraGraph file to its graph: each copy of each component, and each edge between them.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "addons/infragraph/infragraph_file.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform::infragraph {

/// A graph that annotations may still modify.
struct ExpandedGraph {
  TopologyBuilder builder;
  /// Pointers into the file: the link type of each of the builder's links, by number. Two links
  /// form one edge.
  std::vector<const LinkType*> link_type_of;
  std::map<const LinkType*, std::string> link_name_of;
};

/// Node names are "instance.index.component.index"; a nested device adds one level. Nodes are in
/// the order of the file. As in InfraGraph's service, an edge is undirected, a second edge between
/// two nodes replaces the first (fabric_link_dropped), and one2one joins as many pairs as the
/// shorter list has nodes (fabric_pairs_cut). It computes sizes first, so that it never creates
/// more than a file of `bytes` may declare. Errc: input_corrupt, input_range, input_cycle (devices
/// that contain each other), input_missing_attr, limit_exceeded.
[[nodiscard]] Result<ExpandedGraph> expand(Infrastructure& file, std::size_t bytes,
                                           const std::string& where, Findings& findings);

}  // namespace orrery::platform::infragraph
