// SPDX-License-Identifier: Apache-2.0
//
// Which of Chakra's historical layouts a file is in. Nothing in a file says so; its records do. And
// whether it is text instead.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "orrery/trace/io/window.h"

namespace orrery::trace::chakra {

/// Layouts of the Node message.
enum class Schema : std::uint8_t {
  v001,     ///< 2023-01: flat fields, no attributes
  v002,     ///< 2023-06: attributes with type codes, node types without METADATA
  v003,     ///< 2023-07 to 2023-10: the same with BOOL (later UINT) values, node types as today
  current,  ///< 2023-10 on: 0.0.4, re-labelled 1.0.0 in 2026
};

[[nodiscard]] std::string_view name(Schema schema);

/// What the first records show.
struct DetectedSchema {
  Schema schema = Schema::current;
  bool metadata = false;  ///< the first record is a GlobalMetadata, not a Node
};

/// Looks at the records that lie in the window (asking for one block) without consuming any.
[[nodiscard]] Result<DetectedSchema> detect_schema(Window& window);

/// Whether a record has the shape of a GlobalMetadata in any layout that has one.
[[nodiscard]] bool looks_like_metadata(std::span<const std::byte> record);

/// Whether the content begins like a JSON object (a binary trace can begin with '{' too, but not go
/// on like one).
[[nodiscard]] bool looks_like_json(std::string_view head);

/// Whether the content is the beginning of a list as text, which no Chakra trace is. (A binary one
/// can begin with '[' too, but has bytes that no text has.) `head`: 64 bytes or all there is.
[[nodiscard]] bool looks_like_list(std::string_view head);

}  // namespace orrery::trace::chakra
