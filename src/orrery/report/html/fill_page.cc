// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/text.h"
#include "orrery/report/html/run_page_internal.h"

namespace orrery::report::html {

std::uint32_t UsedNames::number(std::uint32_t in_run) {
  if (in_run == 0 || in_run >= numbers_.size()) return 0;
  if (numbers_[in_run] == 0) {
    numbers_[in_run] = static_cast<std::uint32_t>(used_.size());
    used_.push_back(in_run);
  }
  return numbers_[in_run];
}

void UsedNames::write(JsonWriter& json) const {
  column(json, "names", used_.size(),
         [&](std::size_t i) { json.value(page_name(names_[used_[i]])); });
}

std::string page_name(std::string_view name) {
  constexpr std::size_t kMostBytes = 256;
  return orrery::truncate(name, kMostBytes);
}

std::string compact_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool inside = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!inside) {
      if (c == ' ' || c == '\n') continue;
      inside = c == '"';
      out += c;
    } else if (c == '\\') {
      out += c;
      out += json[++i];
    } else if (c == '<') {
      out += "\\u003c";
    } else if (json.compare(i, 2, "\xE2\x80") == 0 &&
               (json[i + 2] == '\xA8' || json[i + 2] == '\xA9')) {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      inside = c != '"';
      out += c;
    }
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  append_xml_text(out, printable(text), "\"'");
  return out;
}

}  // namespace orrery::report::html
