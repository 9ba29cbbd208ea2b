// SPDX-License-Identifier: Apache-2.0
//
// The source of a time: a recording or a model. Also the files that these models need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

/// The source of a time. core/models/time_source_table.h has a row for each.
enum class TimeSource : std::uint8_t {
  none,        ///< no duration of its own
  recorded,    ///< measured, in the trace
  roofline,    ///< max(operations / peak, bytes / bandwidth)
  analytical,  ///< network: latency and bytes, links without contention
  message,     ///< network: messages share links
  memory,      ///< local or remote memory: latency and bytes
  heuristic,   ///< kernels: tiles and waves, achieved bandwidth
  table,       ///< kernels: interpolated between measured points
  learned,     ///< kernels: trees fitted to public tables, built in
  systolic,    ///< kernels: SCALE-Sim's closed form
  fitted,      ///< kernels: trees or neural networks fitted to the user's measurements
  flow,        ///< network: messages share links with max-min fairness
  packet,      ///< network: packets queue in switches
  noc,         ///< network: flits pass routers, cycle by cycle
  callable,    ///< a function of the calling program
  ns3,         ///< network: packets of ns-3
  automatic    ///< a choice, not a source: recorded times, else the best available model of each
               ///< kernel
};
/// The number of sources that a time can have. Run files store them by number.
inline constexpr std::size_t kTimeSources = 16;
/// "recorded", "roofline" …; "auto" for `automatic`.
[[nodiscard]] std::string_view name(TimeSource source);

/// The files that sources of kernel times read, one member each. core/models/time_source_table.h
/// has a row for each.
template <class Path>
struct KernelFilesOf {
  Path kernel_table{};  ///< measured kernels
  Path kernel_model{};  ///< written by `orrery kernels fit`
  Path systolic{};      ///< a systolic array: a SCALE-Sim configuration

  friend bool operator==(const KernelFilesOf&, const KernelFilesOf&) = default;
};
/// Paths as the user wrote them; empty: not given.
using KernelFiles = KernelFilesOf<std::string>;

}  // namespace orrery
