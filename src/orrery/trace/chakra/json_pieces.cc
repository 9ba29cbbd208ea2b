// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/json_pieces.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"
#include "orrery/core/text.h"
#include "orrery/trace/io/json_space.h"

namespace orrery::trace::chakra {
namespace {

using trace::json::is_space;

/// The end of the string whose opening quote is at `at`, one past its closing quote; npos if it
/// does not close.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string JsonPieces::place() const {
  return fmt::format("{}:byte {}", where_, window_.offset());
}

Result<void> JsonPieces::open() {
  // The key is looked for in the first block; only short settings come before the graph.
  if (auto some = window_.need(Window::kBlock); !some && window_.size() == 0)
    return tl::unexpected(some.error());
  const std::string_view text = window_.text();
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth <= 0) return {};  // the first object is over and had no such key
    } else if (c == '"') {
      const std::size_t end = string_end(text, i);
      if (end == std::string_view::npos) return {};
      std::size_t after = end;
      while (after < text.size() && is_space(text[after])) ++after;
      if (depth == 1 && after < text.size() && text[after] == ':') {
        const std::string_view found = text.substr(i + 1, end - i - 2);
        if (first_key_.empty()) first_key_ = found;
        if (found == key_) {
          ++after;
          while (after < text.size() && is_space(text[after])) ++after;
          if (after == text.size() || text[after] != '[') {
            return fail(Errc::input_corrupt,
                        fmt::format("{}:byte {}", where_, window_.offset() + after),
                        fmt::format("\"{}\" must be a list", key_));
          }
          window_.consume(after + 1);
          in_array_ = true;
          return {};
        }
      }
      i = end - 1;
    }
  }
  return {};
}

Result<bool> JsonPieces::skip_space() {
  while (true) {
    const std::string_view text = window_.text();
    std::size_t i = 0;
    while (i < text.size() && (is_space(text[i]) || (in_array_ && text[i] == ','))) ++i;
    window_.consume(i);
    if (i < text.size()) return true;
    auto more = window_.need(1);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return false;
  }
}

Result<std::size_t> JsonPieces::object_length() {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0;; ++i) {
    if (i == window_.size()) {
      if (i >= limits::kRecordBytes) {
        return fail(Errc::limit_exceeded, place(),
                    fmt::format("one record is longer than {} bytes", i));
      }
      auto more = window_.need(i + 1);
      if (!more) return tl::unexpected(more.error());
      if (!*more) return fail(Errc::input_truncated, place(), "the text ends inside a record");
    }
    const char c = window_.text()[i];
    if (quoted) {
      if (c == '\\') {
        ++i;
        if (i == window_.size()) {
          auto more = window_.need(i + 1);
          if (!more) return tl::unexpected(more.error());
          if (!*more) return fail(Errc::input_truncated, place(), "the text ends inside a record");
        }
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > limits::kConfigDepth) {
        return fail(Errc::limit_exceeded, place(),
                    fmt::format("nested deeper than {} levels", limits::kConfigDepth));
      }
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return i + 1;
    }
  }
}

Result<std::optional<JsonPiece>> JsonPieces::next() {
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
  return JsonPiece{window_.text().substr(0, *length), window_.offset()};
}

}  // namespace orrery::trace::chakra
