// SPDX-License-Identifier: Apache-2.0
#include "orrery/bench/arguments.h"

#include <utility>

namespace orrery::bench {

Result<Value> Arguments::convert_list(const Recorded& value, const Type& type,
                                      std::vector<Slot>& inputs) {
  using Items = Value::Items;
  Value list;
  list.kind = Value::Kind::list;
  switch (type.base) {
    case Base::tensor:
      list.of = type.optional_items ? Items::optional_tensors : Items::tensors;
      break;
    case Base::real:
      list.of = Items::reals;
      break;
    case Base::truth:
      list.of = Items::truths;
      break;
    case Base::scalar:
      list.of = Items::scalars;
      break;
    case Base::text:
      list.of = Items::texts;
      break;
    default:
      list.of = Items::integers;
  }
  Type item_type = type;
  item_type.list = false;
  item_type.optional = type.optional_items;
  if (value.kind != Recorded::Kind::list) {
    auto item = convert(value, item_type, inputs);
    if (!item) return item;
    list.items.push_back(*std::move(item));
    return list;
  }
  list.items.reserve(value.items.size());
  for (const Recorded& recorded : value.items) {
    auto item = convert(recorded, item_type, inputs);
    if (!item) return item;
    list.items.push_back(*std::move(item));
  }
  return list;
}

/// `fits` has held.
Result<Value> Arguments::convert(const Recorded& value, const Type& type,
                                 std::vector<Slot>& inputs) {
  using Kind = Value::Kind;
  Value out;
  const bool nothing = value.kind == Recorded::Kind::none || type.base == Base::nothing;
  const bool empty = value.kind == Recorded::Kind::tensor && !value.tensor.defined;
  if (nothing || (empty && type.optional)) {
    const bool needed = type.base == Base::tensor && !type.optional && !type.list;
    out.kind = needed ? Kind::undefined : Kind::none;
    return out;
  }
  if (type.list) return convert_list(value, type, inputs);
  switch (type.base) {
    case Base::tensor: {
      if (empty) {
        out.kind = Kind::undefined;
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
      out.kind = Kind::tensor;
      out.slot = *slot;
      return out;
    }
    case Base::real:
      out.kind = Kind::real;
      out.real =
          value.kind == Recorded::Kind::real ? value.real : static_cast<double>(value.integer);
      return out;
    case Base::text:
      out.kind = Kind::text;
      out.text = value.text;
      return out;
    case Base::device:
      out.kind = Kind::device;
      return out;
    default:
      break;
  }
  out.integer = value.integer;
  out.real = value.real;
  out.kind = value.kind == Recorded::Kind::real                                  ? Kind::real
             : value.kind == Recorded::Kind::truth && type.base != Base::integer ? Kind::truth
                                                                                 : Kind::integer;
  return out;
}

}  // namespace orrery::bench
