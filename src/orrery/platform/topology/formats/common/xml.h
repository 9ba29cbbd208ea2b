// SPDX-License-Identifier: Apache-2.0
//
// XML text as a tree of limited depth and size.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::platform {

/// Parses XML without reading other files; expands only XML's own entities. Errc:
/// input_corrupt (with the line), limit_exceeded (deeper than limits::kConfigDepth, more than
/// limits::kConfigNodes elements).
[[nodiscard]] Result<void> parse_xml(std::string_view text, const std::string& where,
                                     pugi::xml_document& out);

/// Places of elements: "file:12". O(text) to create, O(log lines) per query.
class XmlPlaces {
 public:
  XmlPlaces(std::string_view text, std::string where);
  [[nodiscard]] std::string of(const pugi::xml_node& node) const;

 private:
  std::string where_;
  std::vector<std::size_t> ends_;  ///< of lines
};

/// The value of an attribute; empty: there is none.
[[nodiscard]] std::string_view attribute(const pugi::xml_node& node, const char* name);

}  // namespace orrery::platform
