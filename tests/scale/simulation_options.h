// SPDX-License-Identifier: Apache-2.0
//
// One simulation worked out in several ways.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/sim/simulate.h"

namespace orrery::scale {

/// How the work is saved.
struct Way {
  bool fold = false;
  bool closed_forms = false;
  bool skip_repeats = false;
  std::uint32_t threads = 1;
  std::uint64_t max_repeated_nodes = sim::Options{}.max_repeated_nodes;
};
[[nodiscard]] std::string describe(const Way& way);

/// What the ways came to, over many cases.
struct Tally {
  std::uint64_t cases = 0;
  std::uint64_t refused = 0;     ///< by all ways, for one reason
  std::uint64_t stalled = 0;     ///< in all ways
  std::uint64_t folded = 0;      ///< cases in which fewer ranks were simulated
  std::uint64_t worked_out = 0;  ///< cases with phases by closed form …
  std::uint64_t phases = 0;      ///< … and how many
  std::uint64_t skipping = 0;    ///< cases in which iterations were skipped …
  std::uint64_t iterations = 0;  ///< … and how many
  std::uint64_t parted = 0;      ///< cases that several threads could work on
};
void print(std::string_view what, const Tally& tally);

/// Simulates with nothing saved and in each of `ways`. Empty: all the same, to the picosecond, for
/// every rank; otherwise the first difference of each way that differs.
[[nodiscard]] std::string compare(const graph::Workload& workload,
                                  const platform::Platform& platform, const std::vector<Way>& ways,
                                  Tally& tally, const sim::NetworkFactory& network = {});

/// Each saving by itself and all together.
[[nodiscard]] const std::vector<Way>& all_ways();

}  // namespace orrery::scale
