// SPDX-License-Identifier: Apache-2.0
//
// Reads XLA's HLO protos, which profiles contain for each compiled program.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/hlo/program/program.h"

namespace orrery::trace::hlo_proto {

/// A program from a file, and whether all of it was valid.
struct ReadProgram {
  hlo::Program program;  ///< may have no computation; references are valid
  bool damaged = false;  ///< a part was not valid and is left out
};

/// Reads an HloProto, or its valid part. Instructions have shapes, operands, called computations
/// and the attributes from which costs and groups follow. Trip counts of loops and literals are not
/// read. O(bytes).
[[nodiscard]] ReadProgram read_program(std::string_view bytes);

/// The name of a number of xla_data.proto's PrimitiveType: "bf16", "f32" …; empty for unknown
/// numbers and for types without elements.
[[nodiscard]] std::string_view primitive_type_name(std::uint64_t number);

}  // namespace orrery::trace::hlo_proto
