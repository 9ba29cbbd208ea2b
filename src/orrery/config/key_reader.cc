// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/key_reader.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/config/json.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::config {

const Json* KeyReader::find(std::string_view key) {
  asked_.emplace(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

bool KeyReader::has(std::string_view key) { return find(key) != nullptr; }

void KeyReader::fail(Errc code, std::string place, std::string what, std::string hint) {
  if (!error_) error_ = Error{code, std::move(place), std::move(what), std::move(hint)};
}

void KeyReader::wrong_kind(const std::string& place, const Json& value, std::string_view wanted) {
  fail(Errc::config_type, place, fmt::format("is {}, but must be {}", json_kind(value), wanted));
}

void KeyReader::unknown_name(std::string_view key, std::string_view word,
                             std::span<const std::string_view> allowed) {
  const std::string near = did_you_mean(word, allowed);
  fail(Errc::config_range, place(key),
       fmt::format("{} is not one of {}", in_quotes(word), join(allowed)), near);
}

std::int64_t KeyReader::integer(std::string_view key, std::int64_t fallback, std::int64_t low,
                                std::int64_t high) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  double real = 0;
  if (value->is_boolean()) {
    real = value->get<bool>() ? 1 : 0;
  } else if (value->is_number()) {
    real = std::trunc(value->get<double>());
  } else {
    wrong_kind(place(key), *value, "a number");
    return fallback;
  }
  if (!(real >= static_cast<double>(low) && real <= static_cast<double>(high))) {
    fail(Errc::config_range, place(key), fmt::format("is {}, outside {} to {}", real, low, high));
    return fallback;
  }
  return static_cast<std::int64_t>(real);
}

double KeyReader::number(std::string_view key, double fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_number() && !value->is_boolean()) {
    wrong_kind(place(key), *value, "a number");
    return fallback;
  }
  const double real =
      value->is_boolean() ? static_cast<double>(value->get<bool>()) : value->get<double>();
  if (!std::isfinite(real) || real < 0) {
    fail(Errc::config_range, place(key),
         fmt::format("is {}, but must be a number that is not negative", real));
    return fallback;
  }
  return real;
}

bool KeyReader::flag(std::string_view key) {
  constexpr std::int64_t kAny = 1'000'000'000;
  return integer(key, 0, -kAny, kAny) != 0;
}

std::string KeyReader::text(std::string_view key, std::string fallback) {
  const Json* value = find(key);
  if (value == nullptr) return fallback;
  if (value->is_string()) return value->get<std::string>();
  wrong_kind(place(key), *value, "text");
  return fallback;
}

std::vector<std::string> KeyReader::texts(std::string_view key) {
  std::vector<std::string> result;
  const Json* list = find(key);
  if (list == nullptr) return result;
  if (!list->is_array()) {
    wrong_kind(place(key), *list, "a list of names");
    return result;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& value = (*list)[i];
    if (!value.is_string()) {
      wrong_kind(pointer(place(key), i), value, "text");
      return {};
    }
    result.push_back(value.get<std::string>());
  }
  return result;
}

std::vector<double> KeyReader::numbers(std::string_view key) {
  std::vector<double> result;
  const Json* list = find(key);
  if (list == nullptr) return result;
  if (!list->is_array()) {
    wrong_kind(place(key), *list, "a list of numbers, one per dimension");
    return result;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& value = (*list)[i];
    double real = 0;
    if (value.is_number()) {
      real = value.get<double>();
    } else if (const Result<double> parsed = value.is_string()
                                                 ? parse_number(value.get_ref<const std::string&>())
                                                 : Result<double>(tl::unexpected(Error{}));
               parsed) {
      real = *parsed;
    } else {
      wrong_kind(pointer(place(key), i), value, "a number");
      return {};
    }
    if (!std::isfinite(real)) {
      fail(Errc::config_range, pointer(place(key), i), "is not a finite number");
      return {};
    }
    result.push_back(real);
  }
  return result;
}

void KeyReader::report_unread(Findings& findings) const {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  std::size_t searched = 0;
  for (const auto& [key, value] : object_.items()) {
    if (asked_.count(key) != 0) continue;
    // The nearest name is searched for the few places that a finding keeps, not for a million junk
    // keys.
    const std::string near =
        searched++ < Findings::kPlaces ? did_you_mean(key, known) : std::string();
    findings.add(FindingCode::key_ignored,
                 near.empty() ? place(key) : fmt::format("{} ({})", place(key), near));
  }
}

}  // namespace orrery::config
