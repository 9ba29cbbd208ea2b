// SPDX-License-Identifier: Apache-2.0
#include "instructions.h"

#include <ATen/ATen.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace orrery::replay {
namespace {

c10::OperatorHandle handle_of(const std::string& operation) {
  const std::size_t colons = operation.find("::");
  const std::size_t dot = operation.find('.', colons == std::string::npos ? 0 : colons);
  const std::string name = operation.substr(0, dot);
  const std::string overload = dot == std::string::npos ? "" : operation.substr(dot + 1);
  const auto found = c10::Dispatcher::singleton().findSchema({name, overload});
  if (!found) throw std::runtime_error("this PyTorch has no operator " + operation);
  return *found;
}

c10::IValue scalar_of(const Value& value, at::Device device) {
  switch (value.kind) {
    case 'i':
      return value.integer;
    case 'r':
      return value.real;
    case 'b':
      return value.integer != 0;
    case 's':
      return value.text;
    case '@':
      return device;
    case 'u':
      return at::Tensor();
    default:
      return {};
  }
}

template <class Item, class Fn>
c10::IValue list_of(const Value& value, Fn&& item) {
  c10::List<Item> list;
  list.reserve(value.list.size());
  for (const Value& one : value.list) list.push_back(item(one));
  return list;
}

c10::IValue list_value(const Value& value, at::Device device) {
  const auto real = [](const Value& one) {
    return one.kind == 'r' ? one.real : static_cast<double>(one.integer);
  };
  switch (value.items) {
    case 'r':
      return list_of<double>(value, real);
    case 'b':
      return list_of<bool>(value, [](const Value& one) { return one.integer != 0; });
    case 'x':
      return list_of<std::string>(value, [](const Value& one) { return one.text; });
    case 's': {
      c10::impl::GenericList list(c10::NumberType::get());
      for (const Value& one : value.list) list.push_back(scalar_of(one, device));
      return list;
    }
    default:
      return list_of<std::int64_t>(value, [](const Value& one) { return one.integer; });
  }
}

/// A call's argument that it writes; of stand-ins the second list is.
bool is_written(const c10::FunctionSchema* schema, std::uint32_t place) {
  if (schema == nullptr) return place == 1;
  if (place >= schema->arguments().size()) return false;
  const auto* const alias = schema->arguments()[place].alias_info();
  return alias != nullptr && alias->isWrite();
}

void add_argument(const Value& value, const c10::FunctionSchema* schema, at::Device device,
                  Instruction& made) {
  const auto place = static_cast<std::uint32_t>(made.arguments.size());
  const bool written = is_written(schema, place);
  made.arguments.emplace_back();
  c10::IValue& argument = made.arguments.back();
  if (value.kind == '%') {
    made.tensors.push_back({place, static_cast<Slot>(value.integer), written});
  } else if (value.kind == 'l' && (value.items == 't' || value.items == 'o')) {
    ListArgument list{place, value.items == 'o', {}, written};
    for (const Value& item : value.list)
      list.slots.push_back(item.kind == '%' ? static_cast<Slot>(item.integer) : kNothing);
    made.lists.push_back(std::move(list));
  } else if (value.kind == 'l') {
    argument = list_value(value, device);
  } else if (value.kind == '_') {
    if (schema == nullptr || place >= schema->arguments().size() ||
        !schema->arguments()[place].default_value())
      throw std::runtime_error("an argument without a default is missing");
    argument = *schema->arguments()[place].default_value();
  } else {
    argument = scalar_of(value, device);
  }
}

}  // namespace

at::ScalarType scalar_type(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, at::ScalarType>, 13> kTypes = {
      {{"uint8", at::kByte},
       {"int8", at::kChar},
       {"int16", at::kShort},
       {"int32", at::kInt},
       {"int64", at::kLong},
       {"half", at::kHalf},
       {"float", at::kFloat},
       {"double", at::kDouble},
       {"complex_half", at::kComplexHalf},
       {"complex_float", at::kComplexFloat},
       {"complex_double", at::kComplexDouble},
       {"bool", at::kBool},
       {"bfloat16", at::kBFloat16}}};
  for (const auto& [word, type] : kTypes) {
    if (word == dtype) return type;
  }
  throw std::runtime_error("unknown type of elements: " + std::string(dtype));
}

std::vector<Instruction> instructions_of(const Program& program, at::Device device) {
  std::vector<c10::OperatorHandle> handles;
  handles.reserve(program.operations.size());
  for (const std::string& operation : program.operations) handles.push_back(handle_of(operation));
  std::vector<Instruction> all;
  all.reserve(program.steps.size());
  for (const Step& step : program.steps) {
    Instruction made;
    made.kind = step.kind;
    made.last = step.last;
    made.flops = step.flops;
    made.gap_ns = step.gap_ns;
    made.exchange = step.exchange;
    made.stream = step.stream;
    const c10::FunctionSchema* schema = nullptr;
    if (step.kind == Step::Kind::call) {
      made.handle = handles[step.operation];
      schema = &made.handle->schema();
    }
    for (const Value& value : step.arguments) add_argument(value, schema, device, made);
    for (const Output& output : step.outputs) {
      made.results.push_back({output.place, output.item, output.slot, output.spec.sizes,
                              output.spec.strides, output.spec.offset,
                              scalar_type(output.spec.dtype)});
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace orrery::replay
