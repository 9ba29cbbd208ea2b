// SPDX-License-Identifier: Apache-2.0
//
// The HLO operations that device work executes, from the programs in the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "orrery/hlo/program/program.h"
#include "orrery/profile/profile.h"

namespace orrery::trace::xplane {

/// What a work gets from its HLO operation: indices in Profile::captured and Profile::comms, or
/// profile::kNone.
struct OperationUse {
  std::uint32_t captured = profile::kNone;
  std::uint32_t comm = profile::kNone;
};

/// Finds operations by program and name, and adds each of them once to a profile:
/// - the captured operator has the shapes and types of the operands, and its kernel (with FLOPs and
///   bytes) as graph::to_text;
/// - collectives become communications with bytes and group. Ids of devices in a group are global
///   ranks, as with JAX's default device assignment.
class HloOperations {
 public:
  /// `device`: number of the device that the profile is of, in the programs' device assignment.
  HloOperations(const std::map<std::uint64_t, hlo::Program>& programs, std::uint32_t device,
                profile::Profile& profile);

  /// The operation `name`, an interned name. Without its program the captured operator has only
  /// the name. O(1) after the first use of a program.
  OperationUse find(std::uint64_t program, StringId name);

 private:
  struct Place {
    const hlo::Computation* computation = nullptr;
    const hlo::Instruction* operation = nullptr;
  };
  using Places = std::unordered_map<std::string_view, Place>;

  OperationUse add(std::uint64_t program, StringId name);
  std::uint32_t add_captured(const hlo::Program& program, const Place& place, StringId name);
  std::uint32_t add_comm(const hlo::Program& program, const Place& place, StringId name);
  std::uint32_t add_group(const hlo::Program& program, const hlo::Instruction& operation,
                          std::int32_t& size);

  const std::map<std::uint64_t, hlo::Program>& programs_;
  std::uint32_t device_;
  profile::Profile& profile_;
  std::map<std::uint64_t, Places> places_;  // by program
  using Key = std::pair<std::uint64_t, StringId>;
  std::map<Key, OperationUse> known_;
  std::optional<std::pair<Key, OperationUse>> last_;
  std::map<std::string, std::uint32_t> groups_;  // by name
};

}  // namespace orrery::trace::xplane
