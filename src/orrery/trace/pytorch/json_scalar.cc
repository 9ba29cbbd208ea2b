// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/json_scalar.h"

#include <nlohmann/json.hpp>

#include "orrery/trace/json/decimal.h"
#include "orrery/trace/json/scan.h"

namespace orrery::trace::pytorch {

std::optional<std::int64_t> integer(std::string_view text) {
  text = json::trim(text);
  const auto value = json::parse_number<std::int64_t>(text);
  return value ? value : json::fixed_point(text, 0);
}

std::string string_value(std::string_view text) {
  text = json::trim(text);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return {};
  if (text.find('\\') == std::string_view::npos)
    return std::string(text.substr(1, text.size() - 2));
  const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  return parsed.is_string() ? parsed.get<std::string>() : std::string{};
}

}  // namespace orrery::trace::pytorch
