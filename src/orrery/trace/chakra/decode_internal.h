// SPDX-License-Identifier: Apache-2.0
//
// What the decoders of the current and of the older layouts share.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace orrery::trace::chakra {

inline constexpr auto kVarint = protozero::pbf_wire_type::varint;
inline constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;

/// The bytes of a field, where they lie.
[[nodiscard]] inline std::string_view text_of(protozero::pbf_reader& field) {
  const auto view = field.get_view();
  return {view.data(), view.size()};
}

/// Field `field` of `message` has a wire type that no layout gives it. Throws BadRecord.
[[noreturn]] void wrong_wire_type(std::string_view message, std::uint32_t field,
                                  protozero::pbf_wire_type wire);

}  // namespace orrery::trace::chakra
