// SPDX-License-Identifier: Apache-2.0
//
// Names of clusters in a comparison: what differs between them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// The properties of a cluster that a name can state.
struct ClusterTraits {
  std::string name;    ///< "h100-sxm:64", or the name in its file
  std::string device;  ///< "NVIDIA H100 SXM5 80 GB"
  std::vector<result::Dimension> dims;
  std::string network_model, collective_model;
  std::string config;  ///< its cluster file with every key, as text
};

/// The traits of the cluster of a run.
[[nodiscard]] ClusterTraits cluster_traits(const result::Run& run);

/// A name for each cluster that states only what differs: "50 GB/s" and "25 GB/s"; "50 GB/s, 1.35
/// us"; "ring"; "network flow". Several dimensions that differ are numbered: "dimension 0 …".
/// Clusters with other devices or sizes have their own names, if these differ. If neither device,
/// dimensions nor models differ, the first lines of the configuration that do. All are empty if
/// nothing differs.
[[nodiscard]] std::vector<std::string> difference_names(std::span<const ClusterTraits> clusters);

/// The same for the clusters of runs.
[[nodiscard]] std::vector<std::string> difference_names(
    const std::vector<const result::Run*>& runs);

}  // namespace orrery::analysis
