// SPDX-License-Identifier: Apache-2.0
//
// Names with Python slices, as InfraGraph writes them: "dgx[0:2].cx5[0]", "host[0:4]nic[1]",
// "port[::2]".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::platform::infragraph {

/// A name and the selected copies; no index: all.
struct Slice {
  std::string name;
  std::optional<std::uint64_t> first, last;  ///< `last` is exclusive
  std::uint64_t step = 1;
  bool indexed = false;  ///< a single index: "port[3]"
};

/// Dots after a bracket are optional. Also parses "host.0.xpu.3": numbers after a dot are indices.
/// Errc: input_corrupt.
[[nodiscard]] Result<std::vector<Slice>> parse_slices(std::string_view text,
                                                      const std::string& place);

/// A slice of `count` items: `size` of them from `first`, every `step`-th.
struct IndexRange {
  std::uint64_t first = 0, size = 0, step = 1;
};
/// Errc: input_range (beyond the last item).
[[nodiscard]] Result<IndexRange> range_of(const Slice& slice, std::uint64_t count,
                                          const std::string& place);

}  // namespace orrery::platform::infragraph
