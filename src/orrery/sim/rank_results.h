// SPDX-License-Identifier: Apache-2.0
//
// The results of a simulation by rank, stored once for equivalent ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery::sim {

/// One rank's step. Under Orrery rules compute + exposed_comm + exposed_memory + idle = finish; all
/// are measured from true intervals. Under ASTRA rules exposed_comm is finish - GPU compute
/// (ASTRA-sim's definition); the true intervals are stored in addition.
struct RankResult {
  std::optional<Time> finish;  ///< empty: never finished
  Time exposed_comm{};         ///< as the rules define it
  Time compute{};              ///< union of compute intervals (GPU and CPU)
  Time overlapped{};   ///< computation that overlaps communication or remote memory accesses
  Time comm{};         ///< union of communication intervals
  Time memory{};       ///< union of remote-memory intervals
  Time comm_only{};    ///< communication while nothing computes
  Time memory_only{};  ///< memory while nothing computes or communicates
  Time idle{};         ///< no activity
  std::uint64_t sent_bytes = 0;  ///< bytes that this rank sent
  std::optional<Bytes>
      peak_memory;  ///< maximum of tensor bytes held at one time, if the trace names tensors

  friend bool operator==(const RankResult&, const RankResult&) = default;
  static auto fields(auto& self) {
    auto& [finish, exposed_comm, compute, overlapped, comm, memory, comm_only, memory_only, idle,
           sent_bytes, peak_memory] = self;
    return std::tie(finish, exposed_comm, compute, overlapped, comm, memory, comm_only, memory_only,
                    idle, sent_bytes, peak_memory);
  }
};

/// The index of the result that ends last, the first of several. Requires at least one.
[[nodiscard]] inline std::size_t slowest(const std::vector<RankResult>& results) {
  const auto earlier = [](const RankResult& a, const RankResult& b) {
    return a.finish < b.finish;  // a rank without an end is before all others
  };
  return static_cast<std::size_t>(std::max_element(results.begin(), results.end(), earlier) -
                                  results.begin());
}

/// The results by rank, like a vector. Ranks that one rank was simulated for share its result.
class RankResults {
 public:
  RankResults() = default;
  /// Rank r has `simulated[class_of[r]]`; with an empty `class_of` rank r has `simulated[r]`.
  explicit RankResults(std::vector<RankResult> simulated, std::vector<std::uint32_t> class_of = {})
      : simulated_(std::move(simulated)), class_of_(std::move(class_of)) {}

  [[nodiscard]] std::size_t size() const {
    return class_of_.empty() ? simulated_.size() : class_of_.size();
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const RankResult& operator[](std::size_t rank) const {
    return simulated_[class_of(rank)];
  }
  [[nodiscard]] std::size_t class_of(std::size_t rank) const {
    return class_of_.empty() ? rank : class_of_[rank];
  }
  /// Class by rank; empty: every rank is its own class.
  [[nodiscard]] std::span<const std::uint32_t> classes() const { return class_of_; }
  /// One per class.
  [[nodiscard]] std::span<const RankResult> simulated() const { return simulated_; }
  /// The result of the rank that ends last, the first of several. Requires at least one rank.
  [[nodiscard]] const RankResult& last() const { return simulated_[slowest(simulated_)]; }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = RankResult;
    using difference_type = std::ptrdiff_t;
    using pointer = const RankResult*;
    using reference = const RankResult&;
    Iterator(const RankResults* of, std::size_t rank) : of_(of), rank_(rank) {}
    const RankResult& operator*() const { return (*of_)[rank_]; }
    const RankResult* operator->() const { return &(*of_)[rank_]; }
    Iterator& operator++() {
      ++rank_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const RankResults* of_;
    std::size_t rank_;
  };
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }

 private:
  std::vector<RankResult> simulated_;
  std::vector<std::uint32_t> class_of_;
};

}  // namespace orrery::sim
