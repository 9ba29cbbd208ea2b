// SPDX-License-Identifier: Apache-2.0
//
// Detects the historical Chakra layout of a file from its records (files contain no version), and
// whether it is text.
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
  v003,     ///< 2023-07 to 2023-10: like v002, with BOOL (later UINT) values and the current node
            ///< types
  current,  ///< 2023-10 on: 0.0.4, re-labeled 1.0.0 in 2026
};

[[nodiscard]] std::string_view name(Schema schema);

/// What the first records of a file show.
struct DetectedSchema {
  Schema schema = Schema::current;
  bool has_metadata = false;  ///< the first record is a GlobalMetadata, not a Node
};

/// Inspects the records in the window without consuming them; reads at most one block.
[[nodiscard]] Result<DetectedSchema> detect_schema(Window& window);

/// True if a record has the shape of a GlobalMetadata in any layout that has one.
[[nodiscard]] bool looks_like_metadata(std::span<const std::byte> record);

/// True if the content begins like a JSON object. A binary trace can also begin with '{', but
/// continues differently.
[[nodiscard]] bool looks_like_json(std::string_view head);

/// True if the content is the beginning of a list as text, which no Chakra trace is. A binary trace
/// can begin with '[', too, but contains bytes that text cannot contain. `head`: 64 bytes, or fewer
/// if the file is shorter.
[[nodiscard]] bool looks_like_list(std::string_view head);

}  // namespace orrery::trace::chakra
