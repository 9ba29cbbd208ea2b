// SPDX-License-Identifier: Apache-2.0
//
// The attributes of instructions in HLO text.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

/// Attributes as they are written. Views are of the text.
class HloAttributes {
 public:
  void add(std::string_view key, std::string_view value) { all_.emplace_back(key, value); }
  /// The value of `key`, or "".
  [[nodiscard]] std::string_view find(std::string_view key) const;
  /// Names of the computations that the instruction calls: of a loop, its condition and its body.
  [[nodiscard]] std::vector<std::string_view> called() const;

 private:
  std::vector<std::pair<std::string_view, std::string_view>> all_;
};

/// What the ids in groups of a collective denote: it states ids of devices (`global`), or has a
/// channel, and so crosses partitions.
[[nodiscard]] GroupIds group_ids_of(const Opcode& opcode, bool global, bool has_channel);

/// Sets what the attributes say of an instruction with its shape and opcode.
void take_hlo_attributes(const HloAttributes& attributes, Instruction& op);

/// The groups of "{{0,1},{2,3}}" or "[2,4]<=[4,2]T(1,0)" (a list of devices, reshaped, transposed
/// and cut into groups). Empty for "{}" and for lists of more than 2^24 devices.
[[nodiscard]] std::vector<std::vector<std::int64_t>> hlo_groups(std::string_view text);

}  // namespace orrery::hlo
