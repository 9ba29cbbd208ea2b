// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace orrery::trace::chakra {

/// Protobuf's wire types.
enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// Wire types of AttributeProto's fields 0 … 32: name and text, then pairs of a scalar and its
/// list.
inline constexpr std::array<Wire, 33> kAttributeWires = [] {
  std::array<Wire, 33> wires{};
  for (Wire& wire : wires)
    wire = Wire::bytes;  // lists are messages; strings and bytes also have a length
  wires[3] = wires[21] = wires[25] = Wire::fixed64;
  wires[5] = wires[19] = wires[23] = Wire::fixed32;
  for (const std::size_t member : {7, 9, 11, 13, 15, 17, 27}) wires[member] = Wire::varint;
  return wires;
}();

/// The wire type of field `member` (1 … 32) of AttributeProto.
[[nodiscard]] constexpr Wire wire_type_of(std::uint32_t member) { return kAttributeWires[member]; }

}  // namespace orrery::trace::chakra
