// SPDX-License-Identifier: Apache-2.0
//
// The two file formats of measured points.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/validate/cluster_sketch.h"
#include "orrery/validate/measured_points.h"

namespace orrery::validate {

/// Parses JSON and YAML.
[[nodiscard]] Result<std::vector<MeasuredPoint>> parse_points_tree(std::string_view text,
                                                                   const std::string& where,
                                                                   Findings& findings);
/// Parses CSV. Columns are those of points (id, source, note, gpu, n, dom, nvl, ib, cluster,
/// measured_s, prec, assumed, why_not), options of `orrery run` (tp, global_batch …), and keys of
/// the specification (parallel.sp). Empty cells are ignored. Without `source`, the source is the
/// name of the file.
[[nodiscard]] Result<std::vector<MeasuredPoint>> parse_points_csv(std::string_view text,
                                                                  const std::string& where,
                                                                  Findings& findings);

/// Facts of a point besides its job, common to both formats.
struct PointCluster {
  ClusterSketch sketch;
  std::string cluster;        ///< a file, or a name of the catalog
  std::string prec;           ///< of matrix products: "bf16", "fp8", "fp4"
  bool has_products = false;  ///< the specification has `precision.products`
};

/// Sets the cluster and the precision of `point`, or its `skip_reason` if they are invalid.
void complete_point(MeasuredPoint& point, const PointCluster& facts);

}  // namespace orrery::validate
