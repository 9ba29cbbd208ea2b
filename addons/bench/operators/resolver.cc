// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/operators/resolver.h"

#include <algorithm>

namespace orrery::bench {
namespace {

using Kind = RecordedValue::Kind;

bool single_fits(const RecordedValue& value, BaseType base) {
  switch (value.kind) {
    case Kind::none:
      return base == BaseType::nothing || base == BaseType::tensor;  // an undefined tensor
    case Kind::tensor:
      return base == BaseType::tensor;
    case Kind::integer:
      return base == BaseType::integer || base == BaseType::real || base == BaseType::scalar;
    case Kind::real:
      return base == BaseType::real || base == BaseType::scalar;
    case Kind::truth:
      return base == BaseType::truth || base == BaseType::scalar || base == BaseType::integer;
    case Kind::text:
      return base == BaseType::text || base == BaseType::device;
    case Kind::device:
      return base == BaseType::device;
    case Kind::list:
    case Kind::other:
      return base == BaseType::nothing;
  }
  return false;
}

/// Whether an argument that the operator lacks may be dropped without changing the result.
bool is_omittable(const RecordedValue& value) {
  return value.kind == Kind::none || (value.kind == Kind::truth && value.integer == 0) ||
         (value.kind == Kind::list && value.items.empty());
}

/// Matches recorded arguments to parameters: by name, or by position if the operator has no
/// parameter with the argument's name.
std::optional<std::vector<std::uint32_t>> match_parameters(const Call& call,
                                                           const OperatorSchema& schema) {
  const auto& parameters = schema.parameters;
  std::vector<std::uint32_t> of(parameters.size(), kFallback);
  std::vector<bool> used(call.arguments.size(), false);
  const auto named = [&](std::string_view wanted) {
    const auto found = std::find(call.names.begin(), call.names.end(), wanted);
    return static_cast<std::size_t>(found - call.names.begin());
  };
  const auto has_parameter = [&](const std::string& wanted) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == wanted; });
  };
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    std::size_t from = named(parameters[p].name);
    if (from >= call.names.size()) {
      const bool taken = p < call.names.size() && has_parameter(call.names[p]);
      from = taken ? call.arguments.size() : p;
    }
    if (from >= call.arguments.size() || used[from]) continue;
    used[from] = true;
    of[p] = static_cast<std::uint32_t>(from);
  }
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Parameter& parameter = parameters[p];
    if (of[p] == kFallback) {
      if (!parameter.fallback && !parameter.type.optional &&
          parameter.type.base != BaseType::nothing)
        return std::nullopt;
    } else if (!fits(call.arguments[of[p]], parameter.type)) {
      return std::nullopt;
    }
  }
  for (std::size_t a = 0; a < call.arguments.size(); ++a) {
    if (!used[a] && !is_omittable(call.arguments[a])) return std::nullopt;
  }
  return of;
}

/// Whether the recorded results match the first returns of the operator, lists with lists.
bool results_fit(const Call& call, const OperatorSchema& schema) {
  // A recording may omit results of in-place operators.
  if (call.results.size() > schema.returns.size()) return false;
  for (std::size_t i = 0; i < call.results.size(); ++i) {
    const RecordedValue& result = call.results[i];
    if (result.kind == Kind::tensor && schema.returns[i].list) return false;
    if (result.kind == Kind::list && !schema.returns[i].list) return false;
  }
  return true;
}

}  // namespace

const RecordedValue* Call::argument(std::string_view called) const {
  const auto found = std::find(names.begin(), names.end(), called);
  const auto place = static_cast<std::size_t>(found - names.begin());
  return place < arguments.size() ? &arguments[place] : nullptr;
}

bool fits(const RecordedValue& value, const ParameterType& type) {
  if (type.base == BaseType::other) return type.optional && value.kind == Kind::none;
  if (value.kind == Kind::none && (type.optional || type.base == BaseType::nothing)) return true;
  if (!type.list) return single_fits(value, type.base);
  // A number is accepted as a list of one item: int[1].
  if (value.kind == Kind::integer) return type.base == BaseType::integer;
  if (value.kind != Kind::list) return false;
  return std::all_of(value.items.begin(), value.items.end(), [&](const RecordedValue& item) {
    if (item.kind == Kind::none) return type.optional_items;
    return item.kind != Kind::list && single_fits(item, type.base);
  });
}

const std::vector<Resolver::Known>& Resolver::known(const std::string& name) {
  const auto found = known_.find(name);
  if (found != known_.end()) return found->second;
  std::vector<Known> all;
  for (const Overload& overload : operators_.overloads(name)) {
    auto schema = parse_schema(overload.schema);
    if (schema) all.push_back({*std::move(schema), overload.runs, overload.is_composite});
  }
  return known_.emplace(name, std::move(all)).first->second;
}

std::optional<Match> Resolver::match(const Call& call) {
  std::optional<Match> best;
  // The criteria are lexicographic: an implementation first, then the exact overload.
  const auto rank = [](const Match& match) { return (match.runs ? 2 : 0) + (match.exact ? 1 : 0); };
  for (const Known& overload : known(call.name)) {
    const bool exact = overload.schema.overload == call.overload;
    if (!results_fit(call, overload.schema)) continue;
    auto parameters = match_parameters(call, overload.schema);
    if (!parameters) continue;
    Match match{&overload.schema, exact || call.any, overload.runs, *std::move(parameters)};
    if (!best || rank(match) > rank(*best)) best = std::move(match);
  }
  return best;
}

bool Resolver::is_composite(std::string_view schema) {
  const auto found = composite_.find(schema);
  if (found != composite_.end()) return found->second;
  bool is = false;
  if (const auto parsed = parse_schema(schema)) {
    for (const Known& overload : known(parsed->name))
      is = is || (overload.schema.overload == parsed->overload && overload.is_composite);
  }
  return composite_.emplace(std::string(schema), is).first->second;
}

}  // namespace orrery::bench
