// SPDX-License-Identifier: Apache-2.0
//
// Shared by the decoders of the current and of older layouts.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace orrery::trace::chakra {

inline constexpr auto kVarint = protozero::pbf_wire_type::varint;
inline constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;

/// A view of the bytes of a field.
[[nodiscard]] inline std::string_view text_of(protozero::pbf_reader& field) {
  const auto view = field.get_view();
  return {view.data(), view.size()};
}

/// Throws RecordError: field `field` of `message` has a wire type that no layout uses for it.
[[noreturn]] void wrong_wire_type(std::string_view message, std::uint32_t field,
                                  protozero::pbf_wire_type wire);

}  // namespace orrery::trace::chakra
