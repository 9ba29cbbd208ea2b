// SPDX-License-Identifier: Apache-2.0
//
// The front door for fabrics that others describe: what a file is, is told by what is in it.
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
/// All that are known, in the order of the enumeration.
[[nodiscard]] std::span<const TopologyFormatInfo> topology_formats();
[[nodiscard]] const TopologyFormatInfo& describe(TopologyFormat format);

/// What the text is; nothing is checked but what tells formats apart.
[[nodiscard]] TopologyFormat topology_format(std::string_view text);

/// Reads whichever it is. Figures that are not stated stay open: bandwidth 0, no latency. Oddities
/// that a reader gets over are findings. Errc: input_unsupported (not a fabric, or unknown),
/// input_empty, and those of the formats' readers.
[[nodiscard]] Result<Topology> read_topology(std::string_view text, const std::string& where,
                                             Findings& findings);

/// A fabric's file as text, unpacked where it is gzipped. Errc: config_not_found, limit_exceeded
/// (limits::kFabricBytes), and those of `gunzip`.
[[nodiscard]] Result<std::string> read_fabric_text(const std::string& path);

/// Both together.
[[nodiscard]] Result<Topology> read_topology_file(const std::string& path, Findings& findings);

}  // namespace orrery::platform
