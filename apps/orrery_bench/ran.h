// SPDX-License-Identifier: Apache-2.0
//
// Which operators run, those inside of others too: what profilers would see of calls.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace orrery::replay {

/// Counts the operators that begin on this thread while it is there, by name without overload. One
/// at a time.
class Ran {
 public:
  Ran();
  ~Ran();
  Ran(const Ran&) = delete;
  Ran& operator=(const Ran&) = delete;

  /// Only while `on`; off to begin with.
  void count(bool on);
  [[nodiscard]] const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t handle_ = 0;
};

}  // namespace orrery::replay
