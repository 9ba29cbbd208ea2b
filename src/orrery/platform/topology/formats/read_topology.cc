// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/read_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <pugixml.hpp>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/gzip.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/common/xml.h"
#include "orrery/platform/topology/formats/format_detection.h"
#include "orrery/platform/topology/formats/machines/lstopo.h"
#include "orrery/platform/topology/formats/machines/nccl_topology.h"
#include "orrery/platform/topology/formats/machines/nvidia_smi.h"
#include "orrery/platform/topology/formats/machines/nvidia_smi_matrix.h"
#include "orrery/platform/topology/formats/networks/air.h"
#include "orrery/platform/topology/formats/networks/anynet.h"
#include "orrery/platform/topology/formats/networks/htsim.h"
#include "orrery/platform/topology/formats/networks/ns3.h"
#include "orrery/platform/topology/formats/networks/simai.h"
#include "orrery/platform/topology/formats/networks/taccl.h"
#include "orrery/platform/topology/formats/registered_formats.h"

namespace orrery::platform {
namespace {

using config::Json;

constexpr std::array kFormats{
    TopologyFormatInfo{TopologyFormat::infragraph, "InfraGraph",
                       "infrastructure, device or graph, YAML or JSON"},
    TopologyFormatInfo{TopologyFormat::air, "NVIDIA Air", "topology JSON"},
    TopologyFormatInfo{TopologyFormat::ns3, "ns-3 text",
                       "network file of HPCC and ASTRA-sim: counts, switches, one link per line"},
    TopologyFormatInfo{TopologyFormat::ns3_logical, "ASTRA-sim logical dimensions",
                       "contains only the numbering of ranks, without nodes or links", false},
    TopologyFormatInfo{TopologyFormat::simai, "SimAI text",
                       "like ns-3 text, with GPUs per server and NVSwitches"},
    TopologyFormatInfo{TopologyFormat::htsim, "htsim .topo", "a fat tree, described by its tiers"},
    TopologyFormatInfo{TopologyFormat::anynet, "BookSim anynet", "routers, nodes and channels"},
    TopologyFormatInfo{
        TopologyFormat::booksim, "BookSim configuration",
        "contains simulation settings; the network is in the file given by network_file", false},
    TopologyFormatInfo{TopologyFormat::nccl_topology, "NCCL topology",
                       "NCCL_TOPO_DUMP_FILE of NCCL or RCCL, XML"},
    TopologyFormatInfo{TopologyFormat::nccl_graph, "NCCL graph",
                       "contains the result of NCCL's search, not the topology", false},
    TopologyFormatInfo{TopologyFormat::nvidia_smi, "nvidia-smi matrix",
                       "output of `nvidia-smi topo -m`"},
    TopologyFormatInfo{TopologyFormat::rocm_smi, "rocm-smi tables",
                       "contains weights and types of paths between GPUs, not the number of links",
                       false},
    TopologyFormatInfo{TopologyFormat::lstopo, "lstopo XML",
                       "machine topology of hwloc, versions 1 to 3"},
    TopologyFormatInfo{TopologyFormat::taccl, "TACCL topology", "a matrix of links, JSON"},
    TopologyFormatInfo{TopologyFormat::msccl, "MSCCL plan",
                       "contains the steps of a collective, not a fabric", false},
    TopologyFormatInfo{TopologyFormat::mscclpp, "MSCCL++ plan",
                       "contains the operations of a collective, not a fabric", false},
    TopologyFormatInfo{TopologyFormat::astra_network, "ASTRA-sim network",
                       "contains dimensions of the analytical network, not a graph", false},
    TopologyFormatInfo{TopologyFormat::cluster, "Orrery cluster",
                       "is a cluster file, not a fabric file", false},
};

std::string_view hint_for(TopologyFormat format) {
  switch (format) {
    case TopologyFormat::ns3_logical:
      return "read the file of the physical network instead";
    case TopologyFormat::booksim:
      return "read that file";
    case TopologyFormat::nccl_graph:
      return "set NCCL_TOPO_DUMP_FILE to write the topology; NCCL_GRAPH_DUMP_FILE writes this file";
    case TopologyFormat::rocm_smi:
      return "set NCCL_TOPO_DUMP_FILE to make RCCL write the topology";
    case TopologyFormat::msccl:
    case TopologyFormat::mscclpp:
      return "read it with 'orrery collective check'; for the fabric, give NCCL_TOPO_DUMP_FILE or `nvidia-smi "
             "topo -m` of its machines";
    case TopologyFormat::astra_network:
    case TopologyFormat::cluster:
      return "give it to `orrery run` as the cluster";
    default:
      return {};
  }
}

tl::unexpected<Error> unsupported_format(TopologyFormat format, const std::string& where) {
  const TopologyFormatInfo& info = describe(format);
  return fail(Errc::input_unsupported, where, fmt::format("{}: {}", info.name, info.what),
              std::string(hint_for(format)));
}

tl::unexpected<Error> unknown_format(const std::string& where) {
  std::string names;
  for (const TopologyFormatInfo& info : kFormats) {
    if (info.is_fabric) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
  }
  return fail(Errc::input_unsupported, where, "is not a fabric in a supported format",
              "supported formats: " + names);
}

Result<Topology> read_xml(std::string_view text, const std::string& where, Findings& findings) {
  pugi::xml_document document;
  if (auto parsed = parse_xml(text, where, document); !parsed)
    return tl::unexpected(parsed.error());
  const std::string_view root = document.document_element().name();
  switch (const TopologyFormat format = detect_xml_format(root)) {
    case TopologyFormat::nccl_topology:
      return read_nccl_topology(document, text, where, findings);
    case TopologyFormat::lstopo:
      return read_lstopo(document, text, where, findings);
    case TopologyFormat::unknown:
      return fail(Errc::input_unsupported, where,
                  fmt::format("XML that begins with <{}> is not a supported fabric",
                              printable(root, kShownBytes)),
                  "supported are NCCL's <system> and lstopo's <topology>");
    default:
      return unsupported_format(format, where);
  }
}

Result<Topology> read_tree(std::string_view text, bool json, const std::string& where,
                           Findings& findings) {
  Result<Json> file = json ? config::parse_json(text, where) : config::parse_yaml(text, where);
  if (!file) return tl::unexpected(file.error());
  switch (const TopologyFormat format = detect_tree_format(*file)) {
    case TopologyFormat::infragraph:
      return read_registered(TopologyFormat::infragraph, *file, text.size(), where, findings);
    case TopologyFormat::air:
      return read_air(*file, where, findings);
    case TopologyFormat::taccl:
      return read_taccl(*file, where, findings);
    case TopologyFormat::unknown:
      return unknown_format(where);
    default:
      return unsupported_format(format, where);
  }
}

bool looks_like_json(std::string_view text) {
  // "[4m" is what is left of a terminal's underlining.
  return text.starts_with('{') || (text.starts_with('[') && !text.starts_with("[4m"));
}

Result<Topology> read_detected(std::string_view text, const std::string& where,
                               Findings& findings) {
  const std::string_view begin = trimmed_front(text);
  if (begin.empty()) return fail(Errc::input_empty, where, "is empty");
  if (begin.starts_with('<')) return read_xml(text, where, findings);
  if (looks_like_json(begin)) return read_tree(begin, true, where, findings);
  switch (const TopologyFormat format =
              detect_text_format(strip_escapes(text.substr(0, 1 << 16)))) {
    case TopologyFormat::ns3:
      return read_ns3(text, where, findings);
    case TopologyFormat::simai:
      return read_simai(text, where, findings);
    case TopologyFormat::htsim:
      return read_htsim(text, where, findings);
    case TopologyFormat::anynet:
      return read_anynet(text, where, findings);
    case TopologyFormat::nvidia_smi:
      return read_nvidia_smi(text, where, findings);
    case TopologyFormat::unknown:
      break;
    default:
      return unsupported_format(format, where);
  }
  if (std::find(text.begin(), text.end(), '\0') != text.end())
    return fail(Errc::input_unsupported, where, "not text: it contains zero bytes",
                "give the fabric description, uncompressed or gzipped");
  return read_tree(text, false, where, findings);
}

}  // namespace

std::span<const TopologyFormatInfo> topology_formats() { return kFormats; }

const TopologyFormatInfo& describe(TopologyFormat format) {
  static constexpr TopologyFormatInfo kUnknown{TopologyFormat::unknown, "unknown",
                                               "no known format", false};
  const auto i = static_cast<std::size_t>(format);
  return i < kFormats.size() ? kFormats[i] : kUnknown;
}

TopologyFormat topology_format(std::string_view text) {
  const std::string_view begin = trimmed_front(text);
  if (begin.starts_with('<')) {
    pugi::xml_document document;
    if (!parse_xml(begin, "", document)) return TopologyFormat::unknown;
    return detect_xml_format(document.document_element().name());
  }
  if (!looks_like_json(begin)) {
    const TopologyFormat lines = detect_text_format(strip_escapes(text.substr(0, 1 << 16)));
    if (lines != TopologyFormat::unknown) return lines;
  }
  const Result<Json> file =
      looks_like_json(begin) ? config::parse_json(begin, "") : config::parse_yaml(begin, "");
  return file ? detect_tree_format(*file) : TopologyFormat::unknown;
}

Result<Topology> read_topology(std::string_view text, const std::string& where,
                               Findings& findings) {
  Result<Topology> read = read_detected(text, where, findings);
  if (read && read->devices().empty()) findings.add(FindingCode::fabric_without_devices, where);
  return read;
}

Result<std::string> read_fabric_text(const std::string& path) {
  Result<std::string> bytes = config::read_text(path, limits::kFabricBytes);
  return bytes && is_gzip(*bytes) ? gunzip(*bytes, path) : bytes;
}

Result<Topology> read_topology_file(const std::string& path, Findings& findings) {
  const Result<std::string> text = read_fabric_text(path);
  if (!text) return tl::unexpected(text.error());
  return read_topology(*text, path, findings);
}

}  // namespace orrery::platform
