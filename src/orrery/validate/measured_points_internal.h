// SPDX-License-Identifier: Apache-2.0
//
// The two forms of files with measured points.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/validate/cluster_sketch.h"
#include "orrery/validate/measured_points.h"

namespace orrery::validate {

/// JSON and YAML.
[[nodiscard]] Result<std::vector<MeasuredPoint>> parse_points_tree(std::string_view text,
                                                                   const std::string& where,
                                                                   Findings& findings);
/// CSV: columns of a point's own (id, source, note, gpu, n, dom, nvl, ib, cluster, measured_s,
/// prec, assumed, why_not), the options of `orrery run` (tp, global_batch …), and any key of the
/// specification (parallel.sp); empty cells say nothing. Without `source` it is the file's name.
[[nodiscard]] Result<std::vector<MeasuredPoint>> parse_points_csv(std::string_view text,
                                                                  const std::string& where,
                                                                  Findings& findings);

/// What both forms say of a point beside its job.
struct PointCluster {
  ClusterSketch sketch;
  std::string cluster;           ///< a file, or a name of the catalogue
  std::string prec;              ///< of products: "bf16", "fp8", "fp4"
  bool states_products = false;  ///< the specification has `precision.products`
};

/// Gives the point its cluster and its precision; one that cannot have them gets a `skip_reason`.
void complete_point(MeasuredPoint& point, const PointCluster& facts);

}  // namespace orrery::validate
