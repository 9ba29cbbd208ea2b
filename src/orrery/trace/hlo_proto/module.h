// SPDX-License-Identifier: Apache-2.0
//
// Reads XLA's HLO protos: the instructions of a compiled program with their shapes and replica
// groups.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orrery::trace::hlo_proto {

/// The element type "bf16", "f32" … of XLA's number; empty for unknown numbers and for types
/// without elements (tuples, tokens).
[[nodiscard]] std::string_view element_type_name(std::uint64_t number);
/// Bytes per element; 0 for unknown types and for types of less than a byte.
[[nodiscard]] std::int32_t element_type_bytes(std::string_view name);

/// An array. Tuples are lists of arrays.
struct Array {
  std::string_view type;  ///< of static lifetime
  std::vector<std::int64_t> dims;

  /// Number of elements; -1 if it does not fit or a size is negative.
  [[nodiscard]] std::int64_t elements() const;
};

struct Instruction {
  std::string opcode;
  std::string custom_call_target;
  std::vector<Array> operands;
  std::vector<Array> outputs;
  std::vector<std::vector<std::int64_t>> replica_groups;
};

/// A compiled program.
struct Module {
  std::string name;
  /// By name, which is unique in a module.
  std::unordered_map<std::string, Instruction> instructions;
};

/// Reads an HloProto, or the prefix that is valid: `damaged` is set if the bytes are not one.
/// O(bytes).
[[nodiscard]] Module read_module(std::string_view bytes, bool& damaged);

}  // namespace orrery::trace::hlo_proto
