// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/template.h"

#include <algorithm>

#include "orrery/core/text/text.h"

namespace orrery::explore {

Result<void> Template::add(std::string_view text, Place& place, const std::string& where) {
  auto read = Expression::parse(text, where);
  if (!read) return tl::unexpected(read.error());
  for (const std::string& name : read->names())
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  place.pieces.push_back({"", {*std::move(read)}});
  return {};
}

Result<void> Template::compile_text(const std::string& text, const Json::json_pointer& at,
                                    const std::string& where) {
  const std::string here = where + at.to_string();
  Place place{at, {}, text.starts_with('=')};
  if (place.whole) {
    if (auto added = add(std::string_view(text).substr(1), place, here); !added) return added;
    places_.push_back(std::move(place));
    return {};
  }
  if (text.find_first_of("{}") == std::string::npos) return {};
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if (text[i] == '{' && !doubled) {
      const std::size_t end = text.find('}', i);
      if (end == std::string::npos)
        return fail(Errc::config_syntax, here, "a } is missing in " + in_quotes(text),
                    "write a literal brace twice: {{");
      if (!plain.empty()) place.pieces.push_back({std::move(plain), {}});
      plain.clear();
      auto added = add(std::string_view(text).substr(i + 1, end - i - 1), place, here);
      if (!added) return added;
      i = end;
      continue;
    }
    if (text[i] == '}' && !doubled)
      return fail(Errc::config_syntax, here, "there is a } without a { in " + in_quotes(text),
                  "write a literal brace twice: }}");
    plain += text[i];
    if (doubled && (text[i] == '{' || text[i] == '}')) ++i;
  }
  if (!plain.empty()) place.pieces.push_back({std::move(plain), {}});
  places_.push_back(std::move(place));
  return {};
}

Result<void> Template::walk(const Json& value, const Json::json_pointer& at,
                            const std::string& where) {
  if (value.is_string()) return compile_text(value.get<std::string>(), at, where);
  if (value.is_object())
    for (const auto& [key, part] : value.items())
      if (auto done = walk(part, at / key, where); !done) return done;
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      if (auto done = walk(value[i], at / i, where); !done) return done;
  return {};
}

Result<Template> Template::compile(const Json& document, const std::string& where) {
  Template made;
  made.document_ = document;
  if (auto done = made.walk(document, Json::json_pointer{}, where); !done)
    return tl::unexpected(done.error());
  return made;
}

Result<Json> Template::value(const Expression::Lookup& lookup) const {
  Json document = document_;
  for (const Place& place : places_) {
    std::string text;
    for (const Piece& piece : place.pieces) {
      if (piece.expression.empty()) {
        text += piece.text;
        continue;
      }
      auto value = piece.expression.front().value(lookup);
      if (!value) return tl::unexpected(value.error());
      if (place.whole) {
        document[place.at] = *std::move(value);
      } else {
        text += plain_text(*value);
      }
    }
    if (!place.whole) document[place.at] = std::move(text);
  }
  return document;
}

}  // namespace orrery::explore
