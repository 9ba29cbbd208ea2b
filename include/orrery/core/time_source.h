// SPDX-License-Identifier: Apache-2.0
//
// Where a time comes from: a recording, or one of the models that predict it; and
// the files that these models need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

/// What made a time. core/models/time_source_table.h has a row for each.
enum class TimeSource : std::uint8_t {
  none,        ///< it lasts no time of its own
  recorded,    ///< measured, in the trace
  roofline,    ///< max(operations / peak, bytes / bandwidth)
  analytical,  ///< network: latency and bytes, links without contention
  message,     ///< network: messages share links
  memory,      ///< local or remote memory: latency and bytes
  heuristic,   ///< kernels: tiles and waves, achieved bandwidth
  table,       ///< kernels: interpolated between measured points
  learned,     ///< kernels: trees fitted to public tables, built in
  systolic,    ///< kernels: SCALE-Sim's closed form
  fitted,      ///< kernels: trees or nets fitted to the user's own measurements
  flow,        ///< network: messages share links fairly, as fluids do
  automatic    ///< not a source but a choice: recorded, else the best that is known per kernel
};
/// Sources that a time can have; run files store them by number.
inline constexpr std::size_t kTimeSources = 12;
/// "recorded", "roofline" …; "auto" for the choice.
[[nodiscard]] std::string_view name(TimeSource source);

/// Files that sources of kernel times answer from, one member each; core/models/time_source_table.h
/// has a row for each.
template <class Path>
struct KernelFilesOf {
  Path kernel_table{};  ///< measured kernels
  Path kernel_model{};  ///< that `orrery kernels fit` wrote
  Path systolic{};      ///< a systolic array, as SCALE-Sim's configuration

  friend bool operator==(const KernelFilesOf&, const KernelFilesOf&) = default;
};
/// Paths as the user wrote them; empty: none.
using KernelFiles = KernelFilesOf<std::string>;

}  // namespace orrery
