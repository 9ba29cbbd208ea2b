// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/read_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <pugixml.hpp>

#include "orrery/config/document.h"
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
                       "HPCC's and ASTRA-sim's network: counts, switches, a link a line"},
    TopologyFormatInfo{TopologyFormat::ns3_logical, "ASTRA-sim logical dimensions",
                       "how ranks are numbered, without nodes or links", false},
    TopologyFormatInfo{TopologyFormat::simai, "SimAI text",
                       "as ns-3's, with GPUs a server and NVSwitches"},
    TopologyFormatInfo{TopologyFormat::htsim, "htsim .topo", "a fat tree by its tiers"},
    TopologyFormatInfo{TopologyFormat::anynet, "BookSim anynet", "routers, nodes and channels"},
    TopologyFormatInfo{
        TopologyFormat::booksim, "BookSim configuration",
        "settings of a simulation; the network is in the file that network_file names", false},
    TopologyFormatInfo{TopologyFormat::nccl_topology, "NCCL topology",
                       "NCCL_TOPO_DUMP_FILE of NCCL or RCCL, XML"},
    TopologyFormatInfo{TopologyFormat::nccl_graph, "NCCL graph",
                       "what NCCL's search chose, not what it searched in", false},
    TopologyFormatInfo{TopologyFormat::nvidia_smi, "nvidia-smi matrix",
                       "what `nvidia-smi topo -m` prints"},
    TopologyFormatInfo{TopologyFormat::rocm_smi, "rocm-smi tables",
                       "weights and kinds of ways between GPUs, not how many links there are",
                       false},
    TopologyFormatInfo{TopologyFormat::lstopo, "lstopo XML", "hwloc's machine, versions 1 to 3"},
    TopologyFormatInfo{TopologyFormat::taccl, "TACCL topology", "a matrix of links, JSON"},
    TopologyFormatInfo{TopologyFormat::msccl, "MSCCL plan", "a collective's steps, not a fabric",
                       false},
    TopologyFormatInfo{TopologyFormat::mscclpp, "MSCCL++ plan",
                       "a collective's operations, not a fabric", false},
    TopologyFormatInfo{TopologyFormat::astra_network, "ASTRA-sim network",
                       "dimensions of the analytical network, not a graph", false},
    TopologyFormatInfo{TopologyFormat::cluster, "Orrery cluster", "a cluster file, not a fabric's",
                       false},
};

std::string_view hint_for(TopologyFormat format) {
  switch (format) {
    case TopologyFormat::ns3_logical:
      return "read the physical network's text instead";
    case TopologyFormat::booksim:
      return "read that file";
    case TopologyFormat::nccl_graph:
      return "NCCL_TOPO_DUMP_FILE writes the fabric, NCCL_GRAPH_DUMP_FILE this";
    case TopologyFormat::rocm_smi:
      return "RCCL writes the machine where NCCL_TOPO_DUMP_FILE says";
    case TopologyFormat::msccl:
    case TopologyFormat::mscclpp:
      return "'orrery plan' reads it; of the machines that it runs on give NCCL_TOPO_DUMP_FILE or "
             "`nvidia-smi topo -m`";
    case TopologyFormat::astra_network:
    case TopologyFormat::cluster:
      return "give it to `orrery run` as the cluster";
    default:
      return {};
  }
}

tl::unexpected<Error> refused_as(TopologyFormat format, const std::string& where) {
  const TopologyFormatInfo& info = describe(format);
  return fail(Errc::input_unsupported, where, fmt::format("{}: {}", info.name, info.what),
              std::string(hint_for(format)));
}

tl::unexpected<Error> unknown_fabric(const std::string& where) {
  std::string names;
  for (const TopologyFormatInfo& info : kFormats) {
    if (info.is_fabric) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
  }
  return fail(Errc::input_unsupported, where, "no fabric in a format that is known here",
              "known are: " + names);
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
                  fmt::format("XML that begins with <{}>: no fabric that is known here",
                              printable(root, kShownBytes)),
                  "known are NCCL's <system> and lstopo's <topology>");
    default:
      return refused_as(format, where);
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
      return unknown_fabric(where);
    default:
      return refused_as(format, where);
  }
}

bool looks_like_json(std::string_view text) {
  // "[4m" is what is left of a terminal's underlining.
  return text.starts_with('{') || (text.starts_with('[') && !text.starts_with("[4m"));
}

Result<Topology> read_any(std::string_view text, const std::string& where, Findings& findings) {
  const std::string_view begin = trimmed_front(text);
  if (begin.empty()) return fail(Errc::input_empty, where, "there is nothing in it");
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
      return refused_as(format, where);
  }
  if (std::find(text.begin(), text.end(), '\0') != text.end())
    return fail(Errc::input_unsupported, where, "not text: it has zero bytes in it",
                "give the fabric's description, unpacked or gzipped");
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
  Result<Topology> read = read_any(text, where, findings);
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
