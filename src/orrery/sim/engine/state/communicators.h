// SPDX-License-Identifier: Apache-2.0
//
// Who communicates with whom under which name.
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
/// axes. A group's name means the same to all ranks; an axis' name means to each the group that it
/// stands in.
///
/// Orrery rules: where chunks of several groups tie, the group of less precedence goes first: the
/// smaller one; of equally large ones the one whose members stand closer together; of those the one
/// that begins at the lower rank; then the one that was named first. So ranks agree, and where a
/// job repeats itself along the ranks the order does, too.
class Communicators {
 public:
  static constexpr std::uint32_t kUnknown = ~0u;      ///< nobody has such a name
  static constexpr std::uint32_t kOutside = ~0u - 1;  ///< the rank has no group on that axis

  /// What a name means: one communicator to all ranks, or one to each.
  struct Meaning {
    std::uint32_t number = kUnknown;                      ///< of the communicator
    const std::vector<std::uint32_t>* by_rank = nullptr;  ///< an axis: the number for each rank

    [[nodiscard]] std::uint32_t of(std::uint32_t rank) const {
      return by_rank != nullptr ? (*by_rank)[rank] : number;
    }
  };

  /// Makes them. O(ranks) per axis, O(members × log groups) in all. Errc: input_group (a member
  /// beyond the last rank; an axis whose groups overlap).
  [[nodiscard]] Result<void> make(const graph::Workload& workload, platform::Rules rules);

  /// Which one `name` means to `rank`; kUnknown, kOutside. The rank need not be a member of a group
  /// that is found by its own name.
  [[nodiscard]] std::uint32_t find(std::string_view name, std::uint32_t rank) const {
    return meaning(name).of(rank);
  }
  /// The same for any rank; valid while this lives.
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
