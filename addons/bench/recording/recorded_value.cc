// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/recorded_value.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/trace/json/json_list.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/pytorch/json_scalar.h"

namespace orrery::bench {
namespace {

using trace::json::elements_of;
using trace::pytorch::string_value;

constexpr std::size_t kMaxItems = limits::kListItems;

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A real: a number or, if JSON cannot represent it, a word.
std::optional<double> real(std::string_view text) {
  if (text.starts_with('"') && text.ends_with('"') && text.size() >= 2)
    text = text.substr(1, text.size() - 2);
  if (text == "Infinity" || text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity" || text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "NaN" || text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return number<double>(text);
}

std::string_view item(const std::vector<std::string_view>& items, std::size_t i) {
  return i < items.size() ? items[i] : std::string_view{};
}

/// A list of integers; empty if an item is not an integer.
std::optional<std::vector<std::int64_t>> integers(std::string_view list) {
  std::vector<std::int64_t> out;
  for (const std::string_view element : elements_of(list, kMaxDimensions + 1)) {
    const auto value = number<std::int64_t>(element);
    if (!value || out.size() == kMaxDimensions) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

/// "Tensor(float)" → "float".
std::string_view inside(std::string_view type) {
  const std::size_t open = type.find('(');
  if (open == std::string_view::npos || !type.ends_with(')')) return {};
  return type.substr(open + 1, type.size() - open - 2);
}

RecordedValue unknown() { return {.kind = RecordedValue::Kind::other}; }

/// [id, storage, offset, elements, width, "device"]; 1.0.0 lacks the device.
RecordedValue tensor(std::string_view text, std::string_view shape, std::string_view type,
                     std::string_view strides) {
  const auto fields = elements_of(text, 7);
  if (fields.size() < 5 || fields.size() > 6) return unknown();
  RecordedValue value;
  value.kind = RecordedValue::Kind::tensor;
  const auto id = number<std::uint64_t>(fields[0]);
  const auto storage = number<std::uint64_t>(fields[1]);
  const auto offset = number<std::int64_t>(fields[2]);
  if (!id || !storage || !offset) return unknown();
  value.tensor.id = *id;
  value.tensor.storage = *storage;
  const std::string_view word = inside(type);
  if (word.find("uninitialized") != std::string_view::npos) {
    value.tensor.defined = false;
    return value;
  }
  const auto dtype = recorded_dtype(word);
  auto sizes = integers(shape);
  auto steps = integers(strides);
  if (!dtype || !sizes || !steps) return unknown();
  value.tensor.spec = {*dtype, *std::move(sizes), *std::move(steps), *offset};
  if (value.tensor.spec.strides.size() != value.tensor.spec.sizes.size())
    value.tensor.spec.strides.clear();
  return value;
}

/// The types of the items of a list or tuple: "GenericList[Int,Tensor(float)]".
std::vector<std::string_view> item_types(std::string_view type) {
  const std::size_t open = type.find('[');
  if (open == std::string_view::npos || !type.ends_with(']')) return {};
  return elements_of(type.substr(open), kMaxItems);
}

RecordedValue scalar(std::string_view text, std::string_view type) {
  RecordedValue value;
  if (type == "None" || text == "null") return value;
  value.kind = RecordedValue::Kind::other;
  if (type == "Bool" || text == "true" || text == "false") {
    if (text == "true" || text == "false") value.kind = RecordedValue::Kind::truth;
    value.integer = text == "true" ? 1 : 0;
  } else if (type == "Int") {
    if (const auto whole = number<std::int64_t>(text)) return RecordedValue::of(*whole);
  } else if (type == "Double") {
    if (const auto read = real(text)) return RecordedValue::of(*read);
  } else if (type == "String" || type == "Device") {
    value.kind = type == "Device" ? RecordedValue::Kind::device : RecordedValue::Kind::text;
    value.text = string_value(text);
  }
  return value;
}

RecordedValue value_of(std::string_view text, std::string_view shape, std::string_view type,
                       std::string_view strides, int depth) {
  if (depth > limits::kJsonDepth) return unknown();
  if (type.starts_with("Tensor(")) return tensor(text, shape, type, strides);
  if (!type.starts_with("GenericList[") && !type.starts_with("Tuple[")) return scalar(text, type);
  const auto types = item_types(type);
  const auto values = elements_of(text, kMaxItems);
  if (types.size() != values.size()) return unknown();
  const auto shapes = elements_of(shape, kMaxItems);
  const auto steps = elements_of(strides, kMaxItems);
  RecordedValue list;
  list.kind = RecordedValue::Kind::list;
  list.items.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    list.items.push_back(value_of(values[i], item(shapes, i), types[i], item(steps, i), depth + 1));
  return list;
}

}  // namespace

RecordedValue RecordedValue::of(std::int64_t number) {
  return {.kind = Kind::integer, .integer = number};
}

RecordedValue RecordedValue::of(double number) { return {.kind = Kind::real, .real = number}; }

RecordedValue RecordedValue::of(bool truth) {
  return {.kind = Kind::truth, .integer = truth ? 1 : 0};
}

RecordedValue RecordedValue::of(RecordedTensor tensor) {
  return {.kind = Kind::tensor, .tensor = std::move(tensor)};
}

RecordedValue RecordedValue::of(std::vector<RecordedValue> items) {
  return {.kind = Kind::list, .items = std::move(items)};
}

std::vector<RecordedValue> read_recorded_values(const ValueColumns& side) {
  const auto values = elements_of(side.values, kMaxItems);
  const auto types = elements_of(side.types, kMaxItems);
  const auto shapes = elements_of(side.shapes, kMaxItems);
  const auto strides = elements_of(side.strides, kMaxItems);
  std::vector<RecordedValue> out;
  out.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string_view type = item(types, i);
    if (type.size() >= 2 && type.front() == '"') type = type.substr(1, type.size() - 2);
    out.push_back(value_of(values[i], item(shapes, i), type, item(strides, i), 0));
  }
  return out;
}

std::vector<RecordedValue> recorded_arguments(const profile::Profile& profile,
                                              profile::EventId event) {
  const profile::Node& node = *profile.node(event);
  return read_recorded_values({profile.texts.view(node.inputs), profile.string(node.input_shapes),
                               profile.string(node.input_types),
                               profile.string(node.input_strides)});
}

std::vector<RecordedValue> recorded_results(const profile::Profile& profile,
                                            profile::EventId event) {
  const profile::Node& node = *profile.node(event);
  return read_recorded_values({profile.texts.view(node.outputs), profile.string(node.output_shapes),
                               profile.string(node.output_types),
                               profile.string(node.output_strides)});
}

}  // namespace orrery::bench
