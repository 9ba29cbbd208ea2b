// SPDX-License-Identifier: Apache-2.0
//
// How much more memory this process can use.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace orrery {

/// What limits the memory of a process, in bytes. kUnlimited: no limit, or not known.
struct MemoryLimits {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t physical = kUnlimited;       ///< free memory of the machine, caches included
  std::uint64_t control_group = kUnlimited;  ///< remaining memory of the process's control group
  std::uint64_t address_space = kUnlimited;  ///< remaining memory under RLIMIT_AS, RLIMIT_DATA

  /// The smallest of them.
  [[nodiscard]] std::uint64_t available() const;
};

/// The limits of this process now. Linux: /proc/meminfo (MemAvailable), control groups of versions
/// 1 and 2 with their parents, and getrlimit(). Limits that cannot be read are kUnlimited.
/// `root`: prefix of the paths /proc and /sys, for tests. A few file reads, below 1 ms.
[[nodiscard]] MemoryLimits memory_limits(const std::string& root = {});

/// memory_limits().available(), or the value that a test set with MemoryForTests.
[[nodiscard]] std::uint64_t available_memory();

/// Replaces available_memory() while it exists. Not for concurrent use.
class MemoryForTests {
 public:
  explicit MemoryForTests(std::uint64_t bytes);
  MemoryForTests(const MemoryForTests&) = delete;
  MemoryForTests& operator=(const MemoryForTests&) = delete;
  ~MemoryForTests();
};

}  // namespace orrery
