// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/planner/argument_conversion.h"

#include <utility>

namespace orrery::bench {

Result<Value> Arguments::convert_list(const RecordedValue& value, const ParameterType& type,
                                      std::vector<Slot>& inputs) {
  using Items = Value::Items;
  Value list;
  list.kind = Value::Kind::list;
  switch (type.base) {
    case BaseType::tensor:
      list.of = type.optional_items ? Items::optional_tensors : Items::tensors;
      break;
    case BaseType::real:
      list.of = Items::reals;
      break;
    case BaseType::truth:
      list.of = Items::truths;
      break;
    case BaseType::scalar:
      list.of = Items::scalars;
      break;
    case BaseType::text:
      list.of = Items::texts;
      break;
    default:
      list.of = Items::integers;
  }
  ParameterType item_type = type;
  item_type.list = false;
  item_type.optional = type.optional_items;
  if (value.kind != RecordedValue::Kind::list) {
    auto item = convert(value, item_type, inputs);
    if (!item) return item;
    list.items.push_back(*std::move(item));
    return list;
  }
  list.items.reserve(value.items.size());
  for (const RecordedValue& recorded : value.items) {
    auto item = convert(recorded, item_type, inputs);
    if (!item) return item;
    list.items.push_back(*std::move(item));
  }
  return list;
}

/// Requires fits(value, type).
Result<Value> Arguments::convert(const RecordedValue& value, const ParameterType& type,
                                 std::vector<Slot>& inputs) {
  using ValueKind = Value::Kind;
  Value out;
  const bool nothing = value.kind == RecordedValue::Kind::none || type.base == BaseType::nothing;
  const bool empty = value.kind == RecordedValue::Kind::tensor && !value.tensor.defined;
  if (nothing || (empty && type.optional)) {
    const bool needed = type.base == BaseType::tensor && !type.optional && !type.list;
    out.kind = needed ? ValueKind::undefined : ValueKind::none;
    return out;
  }
  if (type.list) return convert_list(value, type, inputs);
  switch (type.base) {
    case BaseType::tensor: {
      if (empty) {
        out.kind = ValueKind::undefined;
        return out;
      }
      auto slot = slots_.input(value.tensor);
      if (!slot) return tl::unexpected(std::move(slot.error()));
      if (type.written) {
        slots_.write(*slot);
        written_.push_back(*slot);
      }
      out.written = type.written;
      inputs.push_back(*slot);
      out.kind = ValueKind::tensor;
      out.slot = *slot;
      return out;
    }
    case BaseType::real:
      out.kind = ValueKind::real;
      out.real =
          value.kind == RecordedValue::Kind::real ? value.real : static_cast<double>(value.integer);
      return out;
    case BaseType::text:
      out.kind = ValueKind::text;
      out.text = value.text;
      return out;
    case BaseType::device:
      out.kind = ValueKind::device;
      return out;
    default:
      break;
  }
  out.integer = value.integer;
  out.real = value.real;
  out.kind = value.kind == RecordedValue::Kind::real ? ValueKind::real
             : value.kind == RecordedValue::Kind::truth && type.base != BaseType::integer
                 ? ValueKind::truth
                 : ValueKind::integer;
  return out;
}

}  // namespace orrery::bench
