// SPDX-License-Identifier: Apache-2.0
//
// The energy consumption of the processors, if the kernel provides it (Linux powercap, for Intel
// and AMD processors: RAPL).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace orrery::bench {

/// Counters of processor packages. They include all work on the packages.
class Energy {
 public:
  explicit Energy(const std::filesystem::path& folder = "/sys/class/powercap");

  /// Restarts counting.
  void start();
  /// Microjoules since start(); -1 if no counter is readable. It corrects one overflow of a
  /// counter, but not several.
  [[nodiscard]] std::int64_t since_start() const;

 private:
  struct Package {
    std::filesystem::path counter;
    std::int64_t range = 0;  ///< maximum before the counter overflows; 0: unknown
    std::int64_t at_start = 0;
  };
  std::vector<Package> packages_;
};

}  // namespace orrery::bench
