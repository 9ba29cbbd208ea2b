// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/encoding/json_objects.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/json/scan.h"

namespace orrery::trace::chakra {

std::string JsonObjects::place() const {
  return fmt::format("{}:byte {}", where_, window_.offset());
}

Result<void> JsonObjects::open() {
  // Searches the key only in the first block: only short settings come before the graph.
  if (auto some = window_.need(Window::kBlock); !some && window_.size() == 0)
    return tl::unexpected(some.error());
  const std::string_view text = window_.text();
  trace::json::KeyIterator keys(text);
  while (keys.next() && !keys.is_outside()) {
    if (keys.depth() != 1) continue;
    if (first_key_.empty()) first_key_ = keys.key();
    if (keys.key() != key_) continue;
    const std::size_t value = keys.value();
    if (value == text.size() || text[value] != '[') {
      return fail(Errc::input_corrupt, fmt::format("{}:byte {}", where_, window_.offset() + value),
                  fmt::format("\"{}\" must be a list", key_));
    }
    window_.consume(value + 1);
    in_array_ = true;
    break;
  }
  return {};
}

Result<bool> JsonObjects::skip_space() {
  while (true) {
    const std::string_view text = window_.text();
    std::size_t i = 0;
    while (i < text.size() && (trace::json::is_space(text[i]) || (in_array_ && text[i] == ',')))
      ++i;
    window_.consume(i);
    if (i < text.size()) return true;
    auto more = window_.need(1);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return false;
  }
}

Result<std::size_t> JsonObjects::object_length() {
  trace::json::ValueScanner end;
  for (std::size_t seen = 0;;) {
    const auto rest = end.feed(window_.text().substr(seen));
    if (end.max_depth() > limits::kConfigDepth) {
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("nested deeper than {} levels", limits::kConfigDepth));
    }
    if (rest) return seen + *rest;
    seen = window_.size();
    if (seen >= limits::kRecordBytes) {
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("one record is longer than {} bytes", seen));
    }
    auto more = window_.need(seen + 1);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return fail(Errc::input_truncated, place(), "the text ends inside a record");
  }
}

Result<std::optional<JsonObjectText>> JsonObjects::next() {
  window_.consume(taken_);
  taken_ = 0;
  if (ended_) return std::nullopt;
  auto more = skip_space();
  if (!more) return tl::unexpected(more.error());
  if (!*more) {
    ended_ = true;
    if (in_array_)
      return fail(Errc::input_truncated, place(), fmt::format("the text ends inside \"{}\"", key_));
    return std::nullopt;
  }
  const char c = window_.text()[0];
  if (in_array_ && c == ']') {
    ended_ = true;
    return std::nullopt;
  }
  if (c != '{') {
    ended_ = true;
    return fail(
        Errc::input_corrupt, place(),
        fmt::format("expected an object, found \"{}\"", printable(beginning(window_.text(), 20))));
  }
  auto length = object_length();
  if (!length) {
    ended_ = true;
    return tl::unexpected(length.error());
  }
  taken_ = *length;
  return JsonObjectText{window_.text().substr(0, *length), window_.offset()};
}

}  // namespace orrery::trace::chakra
