// SPDX-License-Identifier: Apache-2.0
//
// XML text as a tree that is safe to walk: not too deep, not too large.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::platform {

/// Parses it. Nothing outside the text is ever read; entities are not expanded but XML's own. Errc:
/// input_corrupt (with the line), limit_exceeded (deeper than limits::kConfigDepth, more than
/// limits::kConfigNodes elements).
[[nodiscard]] Result<void> parse_xml(std::string_view text, const std::string& where,
                                     pugi::xml_document& out);

/// Where elements stand: "file:12". Making it takes O(text), asking O(log lines).
class XmlPlaces {
 public:
  XmlPlaces(std::string_view text, std::string where);
  [[nodiscard]] std::string of(const pugi::xml_node& node) const;

 private:
  std::string where_;
  std::vector<std::size_t> ends_;  ///< of lines
};

/// What is between an attribute's quotes; empty: there is none.
[[nodiscard]] std::string_view attribute(const pugi::xml_node& node, const char* name);

}  // namespace orrery::platform
