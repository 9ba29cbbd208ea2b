// SPDX-License-Identifier: Apache-2.0
//
// Reads the keys of a JSON object with ASTRA-sim's implicit type conversions.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/core/findings.h"
#include "orrery/core/text/suggest.h"

namespace orrery::config {

/// A name in a file and what it means.
template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

/// Reads an object key by key. The first error is kept in `error()`, and every later read returns
/// its fallback, so callers check once at the end.
class KeyReader {
 public:
  /// `object` must be an object and outlive this; `where` is the file's name.
  KeyReader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  [[nodiscard]] bool has(std::string_view key);
  /// An integer as ASTRA-sim's JSON library converts it: reals are truncated, booleans are 0 and 1.
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t low,
                                     std::int64_t high);
  /// Finite and not negative.
  [[nodiscard]] double number(std::string_view key, double fallback);
  /// Any number but 0.
  [[nodiscard]] bool flag(std::string_view key);
  [[nodiscard]] std::string text(std::string_view key, std::string fallback);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  /// Numbers, or strings that hold a number (some YAML writers quote them).
  [[nodiscard]] std::vector<double> numbers(std::string_view key);
  template <class Value>
  [[nodiscard]] Value choice(std::string_view key, Value fallback,
                             std::span<const Named<Value>> names) {
    if (!has(key)) return fallback;
    const std::string word = text(key, {});
    std::vector<std::string_view> allowed;
    for (const Named<Value>& known : names) {
      if (known.name == word) return known.value;
      allowed.push_back(known.name);
    }
    unknown_name(key, word, allowed);
    return fallback;
  }

  /// Counts a key_ignored finding for every key that was never read.
  void report_unread(Findings& findings) const;
  /// Records an error at `key` unless there already is one.
  void fail(Errc code, std::string place, std::string what, std::string hint = {});
  void unknown_name(std::string_view key, std::string_view word,
                    std::span<const std::string_view> allowed);

  [[nodiscard]] std::string place(std::string_view key) const {
    return where_ + ":" + pointer("", key);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  const Json* find(std::string_view key);
  void wrong_kind(const std::string& place, const Json& value, std::string_view wanted);

  const Json& object_;
  std::string where_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

}  // namespace orrery::config
