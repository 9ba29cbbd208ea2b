// SPDX-License-Identifier: Apache-2.0
//
// The communicators of a run, by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

/// All communicators of a run: number 0 is all ranks, then the workload's groups, then those on its
/// axes. A group's name denotes the same communicator at all ranks; an axis' name denotes the group
/// that contains the rank.
///
/// Orrery rules: if chunks of several groups tie, the group with less precedence comes first. That
/// is the smaller group; of equally large ones the one with closer members; then the one that
/// begins at the lower rank; then the one that was named first. So ranks agree, and if a job
/// repeats itself along the ranks, the order does, too.
class Communicators {
 public:
  static constexpr std::uint32_t kUnknown = ~0u;      ///< no communicator has this name
  static constexpr std::uint32_t kOutside = ~0u - 1;  ///< the rank has no group on that axis

  /// The meaning of a name: one communicator for all ranks, or one for each.
  struct Meaning {
    std::uint32_t number = kUnknown;                      ///< of the communicator
    const std::vector<std::uint32_t>* by_rank = nullptr;  ///< an axis: the number by rank

    [[nodiscard]] std::uint32_t of(std::uint32_t rank) const {
      return by_rank != nullptr ? (*by_rank)[rank] : number;
    }
  };

  /// Creates all communicators. O(ranks) per axis, O(members × log groups) in all. Errc:
  /// input_group (a member beyond the last rank; an axis with overlapping groups).
  [[nodiscard]] Result<void> make(const graph::Workload& workload, platform::Rules rules);

  /// The communicator that `name` denotes at `rank`, or kUnknown, kOutside. For a group with its
  /// own name, the rank need not be a member.
  [[nodiscard]] std::uint32_t find(std::string_view name, std::uint32_t rank) const {
    return meaning(name).of(rank);
  }
  /// The same for any rank; valid during the lifetime of this object.
  [[nodiscard]] Meaning meaning(std::string_view name) const;

  [[nodiscard]] Communicator& operator[](std::uint32_t number) { return all_[number]; }
  [[nodiscard]] const Communicator& operator[](std::uint32_t number) const { return all_[number]; }
  [[nodiscard]] const std::vector<Communicator>& all() const { return all_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  [[nodiscard]] Result<void> make_axis(const graph::Workload& workload, const std::string& name,
                                       platform::Rules rules);
  void add(std::string name, std::vector<std::uint32_t> members, std::uint32_t ranks,
           platform::Rules rules);
  void find_precedence();

  std::vector<Communicator> all_;
  std::unordered_map<std::string, Meaning, Hash, std::equal_to<>> by_name_;
  std::vector<std::shared_ptr<const std::vector<std::uint32_t>>> by_rank_;  ///< by axis
};

}  // namespace orrery::sim
