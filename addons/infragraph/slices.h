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

/// One name and which of its copies; nothing stated: all.
struct Slice {
  std::string name;
  std::optional<std::uint64_t> first, last;  ///< `last` is one after
  std::uint64_t step = 1;
  bool indexed = false;  ///< one index: "port[3]"
};

/// Dots between names may be missing after a bracket. "host.0.xpu.3" is read, too: numbers after a
/// dot are indices. Errc: input_corrupt.
[[nodiscard]] Result<std::vector<Slice>> parse_slices(std::string_view text,
                                                      const std::string& place);

/// A slice of something of which there are `count`: from `first`, `size` of them, every `step`-th.
struct IndexRange {
  std::uint64_t first = 0, size = 0, step = 1;
};
/// Errc: input_range (beyond the last).
[[nodiscard]] Result<IndexRange> range_of(const Slice& slice, std::uint64_t count,
                                          const std::string& place);

}  // namespace orrery::platform::infragraph
