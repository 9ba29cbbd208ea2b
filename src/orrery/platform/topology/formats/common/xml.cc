// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/common/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform {

Result<void> parse_xml(std::string_view text, const std::string& where, pugi::xml_document& out) {
  const pugi::xml_parse_result parsed =
      out.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed)
    return fail(Errc::input_corrupt,
                at_line(where, line_of(text, static_cast<std::size_t>(parsed.offset))),
                fmt::format("not XML: {}", lower_case(parsed.description())));
  // Goes through it without recursion: what is too deep for that is refused here.
  std::uint64_t elements = 0;
  int depth = 0;
  pugi::xml_node node = out.first_child();
  while (node) {
    if (++elements > limits::kConfigNodes)
      return fail(Errc::limit_exceeded, where,
                  fmt::format("more than {} elements", limits::kConfigNodes));
    if (const pugi::xml_node below = node.first_child()) {
      if (++depth > limits::kConfigDepth)
        return fail(Errc::limit_exceeded, XmlPlaces(text, where).of(node),
                    fmt::format("nested deeper than {} levels", limits::kConfigDepth));
      node = below;
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    if (node) node = node.next_sibling();
  }
  return {};
}

XmlPlaces::XmlPlaces(std::string_view text, std::string where) : where_(std::move(where)) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ends_.push_back(i);
  }
}

std::string XmlPlaces::of(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  if (offset < 0) return where_;
  const auto line = std::lower_bound(ends_.begin(), ends_.end(), static_cast<std::size_t>(offset));
  return at_line(where_, static_cast<std::size_t>(line - ends_.begin()) + 1);
}

std::string_view attribute(const pugi::xml_node& node, const char* name) {
  return node.attribute(name).value();
}

}  // namespace orrery::platform
