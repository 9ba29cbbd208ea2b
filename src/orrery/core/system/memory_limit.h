// SPDX-License-Identifier: Apache-2.0
//
// How much more memory this process can use.
#pragma once

#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "orrery/core/error.h"

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

/// Memory that is found to be too little where only an exception can say so. Front ends report its
/// error, see memory_error().
class MemoryShortage : public std::bad_alloc {
 public:
  explicit MemoryShortage(Error error) : error_(std::move(error)) {}
  [[nodiscard]] const Error& error() const { return error_; }
  [[nodiscard]] const char* what() const noexcept override { return error_.what.c_str(); }

 private:
  Error error_;
};

/// The error of a MemoryShortage; of any other failed allocation, that memory is used up. Errc:
/// limit_exceeded.
[[nodiscard]] Error memory_error(const std::bad_alloc& failure);

/// Replaces available_memory() while it exists. Not for concurrent use.
class MemoryForTests {
 public:
  explicit MemoryForTests(std::uint64_t bytes);
  MemoryForTests(const MemoryForTests&) = delete;
  MemoryForTests& operator=(const MemoryForTests&) = delete;
  ~MemoryForTests();
};

}  // namespace orrery
