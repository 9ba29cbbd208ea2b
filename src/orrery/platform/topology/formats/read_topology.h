// SPDX-License-Identifier: Apache-2.0
//
// Reads fabrics from files of other tools. The content of a file determines its format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

enum class TopologyFormat : std::uint8_t {
  infragraph,
  air,
  ns3,
  ns3_logical,
  simai,
  htsim,
  anynet,
  booksim,
  nccl_topology,
  nccl_graph,
  nvidia_smi,
  rocm_smi,
  lstopo,
  taccl,
  msccl,
  mscclpp,
  astra_network,
  cluster,
  unknown,
};

struct TopologyFormatInfo {
  TopologyFormat format;
  std::string_view name;
  std::string_view what;
  bool is_fabric = true;  ///< false: known, and refused with a reason
};
/// All formats, in the order of the enumeration.
[[nodiscard]] std::span<const TopologyFormatInfo> topology_formats();
[[nodiscard]] const TopologyFormatInfo& describe(TopologyFormat format);

/// Detects the format of a text, without further checks.
[[nodiscard]] TopologyFormat topology_format(std::string_view text);

/// Reads any supported format. Values that are not stated remain unknown: bandwidth 0, no latency.
/// Tolerated errors are findings. Errc: input_unsupported (not a fabric, or unknown), input_empty,
/// and those of the formats' readers.
[[nodiscard]] Result<Topology> read_topology(std::string_view text, const std::string& where,
                                             Findings& findings);

/// The text of a fabric file, decompressed if it is gzipped. Errc: config_not_found, limit_exceeded
/// (limits::kFabricBytes), and those of `gunzip`.
[[nodiscard]] Result<std::string> read_fabric_text(const std::string& path);

/// The same for the file `path`.
[[nodiscard]] Result<Topology> read_topology_file(const std::string& path, Findings& findings);

}  // namespace orrery::platform
