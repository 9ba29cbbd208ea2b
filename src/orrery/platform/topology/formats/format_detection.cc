// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/format_detection.h"

#include <string>
#include <vector>

#include "orrery/config/json.h"
#include "orrery/platform/topology/formats/common/infragraph_keys.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/machines/nvidia_smi_matrix.h"

namespace orrery::platform {
namespace {

using config::Json;

constexpr int kLinesLookedAt = 64;

/// A first line of counts: of ns-3's text, or of SimAI's with its five counts and a word.
TopologyFormat format_of_counts(const std::vector<std::string_view>& words) {
  const bool word = !whole_number(words.back());
  const std::size_t counts = words.size() - (word ? 1 : 0);
  for (std::size_t i = 0; i < counts; ++i) {
    if (!whole_number(words[i])) return TopologyFormat::unknown;
  }
  if (word) return counts == 5 ? TopologyFormat::simai : TopologyFormat::unknown;
  return counts >= 3 ? TopologyFormat::ns3 : TopologyFormat::unknown;
}

TopologyFormat format_of_first(const LineReader& lines) {
  const auto& words = lines.words();
  const std::string key = lower_case(words[0]);
  const bool number = words.size() > 1 && whole_number(words[1]);
  const bool pair = words.size() == 2 || (words.size() > 2 && words[2].starts_with('#'));
  if (pair && (key == "nodes" || key == "tiers" || key == "podsize" || key == "tier"))
    return TopologyFormat::htsim;
  if (number && (words[0] == "router" || words[0] == "node")) return TopologyFormat::anynet;
  return format_of_counts(words);
}

}  // namespace

TopologyFormat detect_xml_format(std::string_view root) {
  if (root == "system") return TopologyFormat::nccl_topology;
  if (root == "graphs" || root == "graph") return TopologyFormat::nccl_graph;
  if (root == "topology" || root == "root") return TopologyFormat::lstopo;
  if (root == "algo") return TopologyFormat::msccl;
  return TopologyFormat::unknown;
}

TopologyFormat detect_tree_format(const Json& file) {
  if (!file.is_object()) return TopologyFormat::unknown;
  const auto has = [&](const char* key) { return file.contains(key); };
  if (has("logical-dims")) return TopologyFormat::ns3_logical;
  if (has("gpus") &&
      (has("collective") || has("colective") || has("protocol") || has("num_threads_per_block")))
    return TopologyFormat::mscclpp;
  if (has("intranode_sketch") || has("internode_sketch") || has("gpus_per_node") ||
      has("node_betas_list") ||
      (has("links") && has("name") && !has("devices") && !has("nodes") && !has("instances") &&
       !has("components")))
    return TopologyFormat::taccl;
  if (has("content") && file["content"].is_object() && file["content"].contains("nodes"))
    return TopologyFormat::air;
  if (has("nodes") && file["nodes"].is_object() && has("links")) return TopologyFormat::air;
  if (is_infragraph(file)) return TopologyFormat::infragraph;
  if (has("topology") && has("npus_count")) return TopologyFormat::astra_network;
  if (has("network") || has("device")) return TopologyFormat::cluster;
  return TopologyFormat::unknown;
}

TopologyFormat detect_text_format(std::string_view text) {
  LineReader lines(text);
  bool first = true;
  for (int i = 0; i < kLinesLookedAt && lines.next_content_line(); ++i) {
    if (first) {
      if (const TopologyFormat is = format_of_first(lines); is != TopologyFormat::unknown)
        return is;
    }
    first = false;
    const std::string_view line = lines.text();
    if (mentions(line, "rocm system management interface")) return TopologyFormat::rocm_smi;
    if (is_smi_header(lines.words()) && lines.words().size() > 1) return TopologyFormat::nvidia_smi;
    if (line.find('=') != std::string_view::npos && line.find(';') != std::string_view::npos &&
        mentions_any(line, {"topology", "routing_function", "network_file"}))
      return TopologyFormat::booksim;
  }
  return TopologyFormat::unknown;
}

}  // namespace orrery::platform
