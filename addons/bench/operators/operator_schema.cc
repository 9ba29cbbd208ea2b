// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/operators/operator_schema.h"

#include <algorithm>
#include <array>
#include <utility>

namespace orrery::bench {
namespace {

constexpr std::size_t kMaxParameters = 256;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Splits `text` at commas outside of brackets and quotes.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(trimmed(text.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  const std::string_view last = trimmed(text.substr(begin));
  if (!last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

BaseType base_of(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, BaseType>, 16> kBases = {{
      {"Tensor", BaseType::tensor},
      {"int", BaseType::integer},
      {"SymInt", BaseType::integer},
      {"ScalarType", BaseType::integer},
      {"Layout", BaseType::integer},
      {"MemoryFormat", BaseType::integer},
      {"QScheme", BaseType::integer},
      {"float", BaseType::real},
      {"SymFloat", BaseType::real},
      {"bool", BaseType::truth},
      {"SymBool", BaseType::truth},
      {"Scalar", BaseType::scalar},
      {"number", BaseType::scalar},
      {"str", BaseType::text},
      {"Device", BaseType::device},
      {"Generator", BaseType::nothing},
  }};
  const auto* found = std::find_if(kBases.begin(), kBases.end(),
                                   [&](const auto& entry) { return entry.first == word; });
  return found == kBases.end() ? BaseType::other : found->second;
}

/// "Tensor(a!)?[]", "int[2]?", "SymInt[]".
ParameterType type_of(std::string_view text) {
  ParameterType type;
  const std::size_t word = std::min(text.find_first_of("([?"), text.size());
  type.base = base_of(text.substr(0, word));
  for (std::size_t at = word; at < text.size(); ++at) {
    if (text[at] == '(') {
      const std::size_t end = std::min(text.find(')', at), text.size() - 1);
      type.aliases = true;
      type.written = text.substr(at, end - at).find('!') != std::string_view::npos;
      at = end;
    } else if (text[at] == '[') {
      if (type.list) type.base = BaseType::other;  // a list of lists
      type.optional_items = std::exchange(type.optional, false);
      type.list = true;
      at = std::min(text.find(']', at), text.size() - 1);
    } else if (text[at] == '?') {
      type.optional = true;
    }
  }
  return type;
}

/// "Tensor(a!) self", "*", "Scalar alpha=1".
std::optional<Parameter> parameter_of(std::string_view text) {
  Parameter parameter;
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    parameter.fallback = std::string(trimmed(text.substr(equals + 1)));
    text = trimmed(text.substr(0, equals));
  }
  const std::size_t space = text.rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  parameter.name = std::string(text.substr(space + 1));
  parameter.type = type_of(trimmed(text.substr(0, space)));
  return parameter;
}

/// The position of the bracket that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

bool add_returns(std::string_view text, OperatorSchema& schema) {
  text = trimmed(text);
  if (!text.starts_with("->")) return false;
  text = trimmed(text.substr(2));
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  for (const std::string_view part : parts_of(text)) {
    if (part.empty() || schema.returns.size() == kMaxParameters) return false;
    // removes the name of the return value, if any
    schema.returns.push_back(type_of(part.substr(0, part.rfind(' '))));
  }
  return true;
}

}  // namespace

std::string OperatorSchema::full_name() const {
  return overload.empty() ? name : name + "." + overload;
}

std::optional<OperatorSchema> parse_schema(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('(');
  if (open == 0 || open == std::string_view::npos) return std::nullopt;
  const std::size_t close = closing(text, open);
  if (close == std::string_view::npos) return std::nullopt;
  OperatorSchema schema;
  const std::string_view whole = trimmed(text.substr(0, open));
  const std::size_t colons = whole.find("::");
  if (colons == 0 || colons == std::string_view::npos) return std::nullopt;
  const std::size_t dot = whole.find('.', colons);
  schema.name = std::string(whole.substr(0, dot));
  if (dot != std::string_view::npos) schema.overload = std::string(whole.substr(dot + 1));
  for (const std::string_view part : parts_of(text.substr(open + 1, close - open - 1))) {
    if (part == "*") continue;
    auto parameter = parameter_of(part);
    if (!parameter || schema.parameters.size() == kMaxParameters) return std::nullopt;
    schema.parameters.push_back(*std::move(parameter));
  }
  if (!add_returns(text.substr(close + 1), schema)) return std::nullopt;
  return schema;
}

}  // namespace orrery::bench
