// SPDX-License-Identifier: Apache-2.0
#include "instructions.h"

#include <ATen/ATen.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace orrery::bench {
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
    case Value::Kind::integer:
      return value.integer;
    case Value::Kind::real:
      return value.real;
    case Value::Kind::truth:
      return value.integer != 0;
    case Value::Kind::text:
      return value.text;
    case Value::Kind::device:
      return device;
    case Value::Kind::undefined:
      return at::Tensor();
    default:
      return {};
  }
}

template <class Item, class Fn>
c10::IValue list_of(const Value& value, Fn&& item) {
  c10::List<Item> list;
  list.reserve(value.items.size());
  for (const Value& one : value.items) list.push_back(item(one));
  return list;
}

c10::IValue list_value(const Value& value, at::Device device) {
  const auto real = [](const Value& one) {
    return one.kind == Value::Kind::real ? one.real : static_cast<double>(one.integer);
  };
  switch (value.of) {
    case Value::Items::reals:
      return list_of<double>(value, real);
    case Value::Items::truths:
      return list_of<bool>(value, [](const Value& one) { return one.integer != 0; });
    case Value::Items::texts:
      return list_of<std::string>(value, [](const Value& one) { return one.text; });
    case Value::Items::scalars: {
      c10::impl::GenericList list(c10::NumberType::get());
      for (const Value& one : value.items) list.push_back(scalar_of(one, device));
      return list;
    }
    default:
      return list_of<std::int64_t>(value, [](const Value& one) { return one.integer; });
  }
}

/// Whether a call writes this argument. Stand-ins write their second list.
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
  const bool optional = value.of == Value::Items::optional_tensors;
  if (value.kind == Value::Kind::tensor) {
    made.tensors.push_back({place, value.slot, written});
  } else if (value.kind == Value::Kind::list && (value.of == Value::Items::tensors || optional)) {
    ListArgument list{place, optional, {}, written};
    for (const Value& item : value.items)
      list.slots.push_back(item.kind == Value::Kind::tensor ? item.slot : kNoSlot);
    made.lists.push_back(std::move(list));
  } else if (value.kind == Value::Kind::list) {
    argument = list_value(value, device);
  } else if (value.kind == Value::Kind::fallback) {
    if (schema == nullptr || place >= schema->arguments().size() ||
        !schema->arguments()[place].default_value())
      throw std::runtime_error("an argument without a default is missing");
    argument = *schema->arguments()[place].default_value();
  } else {
    argument = scalar_of(value, device);
  }
}

}  // namespace

at::ScalarType scalar_type(Dtype dtype) {
  static constexpr std::array<at::ScalarType, kDtypes> kTypes = {
      at::kByte,          at::kChar,  at::kShort,   at::kInt,         at::kLong,
      at::kHalf,          at::kFloat, at::kDouble,  at::kComplexHalf, at::kComplexFloat,
      at::kComplexDouble, at::kBool,  at::kBFloat16};
  return kTypes[static_cast<std::size_t>(dtype)];
}

std::vector<Instruction> instructions_of(const Program& program, at::Device device) {
  std::vector<c10::OperatorHandle> handles;
  handles.reserve(program.operations.size());
  for (const std::string& operation : program.operations) handles.push_back(handle_of(operation));
  std::vector<Instruction> all;
  all.reserve(program.steps.size());
  for (const ReplayStep& step : program.steps) {
    Instruction made;
    made.step = &step;
    const c10::FunctionSchema* schema = nullptr;
    if (step.kind == ReplayStep::Kind::call) {
      made.handle = handles[step.operation];
      schema = &made.handle->schema();
    }
    for (const Value& value : step.arguments) add_argument(value, schema, device, made);
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace orrery::bench
