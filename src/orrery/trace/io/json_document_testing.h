// SPDX-License-Identifier: Apache-2.0
//
// For tests: sources that return small pieces, and the elements of a document.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/trace/io/json_document.h"

namespace orrery::trace::json::testing {

/// Returns a text in pieces of at most `piece` bytes, then an error if one is given.
class PieceSource final : public ByteSource {
 public:
  PieceSource(std::string_view text, std::size_t piece, std::optional<Error> error = {})
      : rest_(text), total_(text.size()), piece_(piece), error_(std::move(error)) {}
  [[nodiscard]] std::uint64_t size_hint() const override { return total_; }
  Result<std::size_t> read(std::span<std::byte> into) override {
    const std::size_t count = std::min({piece_, into.size(), rest_.size()});
    if (count == 0 && error_ && !into.empty()) return tl::unexpected(*error_);
    std::memcpy(into.data(), rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
  std::size_t total_;
  std::size_t piece_;
  std::optional<Error> error_;
};

/// The elements read from a document: the "id" of each (-1: it has none).
struct Elements {
  std::vector<std::int64_t> ids;
  std::vector<std::string> keys;  ///< the document's members
  std::uint64_t met = 0;
  Findings findings;
  std::optional<Error> error;

  [[nodiscard]] bool has(std::int64_t id) const {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }
};

/// Reads all arrays of a document, and of each element all members.
inline Elements read_elements(std::string_view text, std::size_t piece = 1u << 20,
                              std::optional<Error> failure = {}) {
  Elements out;
  PieceSource source(text, piece, std::move(failure));
  Document document(source, "t.json", out.findings);
  const auto handle = [&](simdjson::ondemand::object& object, std::uint64_t) {
    std::int64_t id = -1;
    for (auto each : object) {
      simdjson::ondemand::field field;
      if (std::move(each).get(field)) return false;
      std::string_view key;
      if (field.unescaped_key().get(key)) return false;
      if (key == "id") {
        if (field.value().get_int64().get(id)) return false;
        continue;
      }
      simdjson::ondemand::json_type type{};
      std::string_view string;
      if (field.value().type().get(type)) return false;
      if (type == simdjson::ondemand::json_type::string && field.value().get_string().get(string))
        return false;
    }
    out.ids.push_back(id);
    return true;
  };
  for (;;) {
    const auto more = document.next();
    if (!more) out.error = more.error();
    if (!more || !*more) return out;
    out.keys.emplace_back(document.key());
    if (!document.is_array()) continue;
    const auto read = document.for_each_element(handle);
    out.met += document.elements();
    if (!read) out.error = read.error();
    if (!read) return out;
  }
}

}  // namespace orrery::trace::json::testing
