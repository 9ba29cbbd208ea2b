// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/infragraph.h"

#include "addons/infragraph/annotations.h"
#include "addons/infragraph/expansion.h"
#include "addons/infragraph/infragraph_file.h"
#include "addons/infragraph/legacy_schema.h"
#include "addons/infragraph/node_link.h"
#include "addons/infragraph/orrery_annotations.h"
#include "orrery/platform/topology/formats/common/infragraph_keys.h"
#include "orrery/platform/topology/formats/common/switch_tiers.h"

namespace orrery::platform {

using config::Json;

Result<Topology> read_infragraph(const Json& file, std::size_t bytes, const std::string& where,
                                 Findings& findings) {
  if (is_node_link(file)) return read_node_link(file, where, findings);
  const bool wrapped = file.contains("infrastructure");
  if (!wrapped && is_only_annotations(file))
    return fail(Errc::input_missing_attr, where,
                "the file contains annotations, but not their infrastructure",
                "add it to the file under `infrastructure`");
  const Json& infrastructure = wrapped ? file["infrastructure"] : file;
  const std::string base = where + (wrapped ? ":/infrastructure" : ":");
  if (!infrastructure.is_object())
    return fail(Errc::input_corrupt, base, "must be a mapping with devices and instances");
  Result<infragraph::Infrastructure> parsed =
      infragraph::is_legacy(infrastructure)
          ? infragraph::parse_legacy(infrastructure, base, findings)
          : infragraph::parse(infrastructure, base);
  if (!parsed) return tl::unexpected(parsed.error());
  Result<infragraph::ExpandedGraph> graph = infragraph::expand(*parsed, bytes, where, findings);
  if (!graph) return tl::unexpected(graph.error());
  if (infragraph::is_orrery_file(file)) return infragraph::restore_topology(file, *graph, where);
  if (graph->builder.link_count() == 0)
    return fail(Errc::input_missing_attr, base + "/edges",
                "contains no edges, so its links are unknown", "add edges to the device");
  if (const auto notes = file.find("annotations"); notes != file.end() && notes->is_object()) {
    const std::string at = where + ":/annotations";
    if (auto done = infragraph::annotate(*notes, bytes, at, *graph, findings); !done)
      return tl::unexpected(done.error());
  }
  if (auto done = infragraph::check_gigatransfers(*graph); !done)
    return tl::unexpected(done.error());
  assign_tiers(graph->builder);
  return graph->builder.finish(where);
}

Result<Topology> read_infragraph(std::string_view text, const std::string& where,
                                 Findings& findings) {
  Result<Json> file = config::parse_yaml(text, where);
  if (!file) return tl::unexpected(file.error());
  if (!is_infragraph(*file))
    return fail(Errc::input_unsupported, where,
                "not an InfraGraph: contains no devices and no instances");
  return read_infragraph(*file, text.size(), where, findings);
}

}  // namespace orrery::platform
