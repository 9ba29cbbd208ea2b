// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/flight_recorder/values.h"

#include <fmt/format.h>

namespace orrery::trace::flight_recorder {

std::string_view name(ValueKind kind) {
  switch (kind) {
    case ValueKind::none:
      return "None";
    case ValueKind::boolean:
      return "a truth value";
    case ValueKind::integer:
      return "an integer";
    case ValueKind::real:
      return "a real number";
    case ValueKind::text:
      return "a text";
    case ValueKind::list:
      return "a list";
    case ValueKind::dictionary:
      return "a dictionary";
  }
  return "";
}

Result<ValueId> Values::add(Value value, const std::string& where) {
  if (values_.size() >= kValues)
    return fail(Errc::limit_exceeded, where, fmt::format("contains more than {} values", kValues));
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size() - 1);
}

Result<void> Values::append(ValueId to, const ValueId* first, std::size_t count,
                            const std::string& where) {
  items_ += count;
  if (items_ > kItems)
    return fail(Errc::limit_exceeded, where,
                fmt::format("its lists contain more than {} elements", kItems));
  auto& items = values_[to].items;
  items.insert(items.end(), first, first + count);
  return {};
}

const Value* Values::member(const Value& dictionary, std::string_view key) const {
  if (dictionary.kind != ValueKind::dictionary) return nullptr;
  for (std::size_t i = dictionary.items.size(); i >= 2; i -= 2) {
    const Value& one = values_[dictionary.items[i - 2]];
    if (one.kind == ValueKind::text && one.text == key) return &values_[dictionary.items[i - 1]];
  }
  return nullptr;
}

}  // namespace orrery::trace::flight_recorder
