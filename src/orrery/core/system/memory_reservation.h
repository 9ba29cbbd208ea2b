// SPDX-License-Identifier: Apache-2.0
//
// Memory that concurrent computations of this process are about to use.
#pragma once

#include <cstdint>
#include <optional>

namespace orrery {

/// A share of the available memory, until it is destroyed. Several threads may make reservations.
class MemoryReservation {
 public:
  /// Of nothing.
  MemoryReservation() = default;
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;
  MemoryReservation(MemoryReservation&& other) noexcept;
  MemoryReservation& operator=(MemoryReservation&& other) noexcept;
  ~MemoryReservation();

  /// Reserves `bytes`. Waits while reservations of other threads leave too little, so that whether
  /// a computation fits does not depend on what runs at the same time. A thread that has a
  /// reservation does not wait for others. Empty: there is too little memory without other
  /// reservations, or, for a thread that does not wait, with them.
  [[nodiscard]] static std::optional<MemoryReservation> reserve(std::uint64_t bytes);

 private:
  explicit MemoryReservation(std::uint64_t number) : number_(number) {}

  std::uint64_t number_ = 0;  // 0: of nothing
};

}  // namespace orrery
