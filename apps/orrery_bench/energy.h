// SPDX-License-Identifier: Apache-2.0
//
// What the machine's processors have consumed, where the kernel tells it (Linux's powercap, of
// Intel's and AMD's processors: RAPL).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace orrery::replay {

/// The whole packages' counters, of all that runs on them.
class Energy {
 public:
  explicit Energy(const std::filesystem::path& folder = "/sys/class/powercap");

  /// Counting begins anew.
  void start();
  /// Microjoules since start(); -1 where no counter can be read. A counter that began anew once is
  /// understood, more than once is not.
  [[nodiscard]] std::int64_t since_start() const;

 private:
  struct Package {
    std::filesystem::path counter;
    std::int64_t range = 0;  ///< behind which it begins anew; 0: not known
    std::int64_t at_start = 0;
  };
  std::vector<Package> packages_;
};

}  // namespace orrery::replay
