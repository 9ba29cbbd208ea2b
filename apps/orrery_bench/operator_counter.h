// SPDX-License-Identifier: Apache-2.0
//
// Counts the operators that run, including those inside others, as a profiler would record them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace orrery::bench {

/// While it exists, counts the operators that start on this thread, by name without overload. Only
/// one may exist at a time.
class OperatorCounter {
 public:
  OperatorCounter();
  ~OperatorCounter();
  OperatorCounter(const OperatorCounter&) = delete;
  OperatorCounter& operator=(const OperatorCounter&) = delete;

  /// Counts only while `on`; initially off.
  void count(bool on);
  [[nodiscard]] const std::map<std::string, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t handle_ = 0;
};

}  // namespace orrery::bench
