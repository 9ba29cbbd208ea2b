// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/raw_node.h"

#include <utility>

#include "orrery/trace/json/json_list.h"
#include "orrery/trace/json/name_index.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/pytorch/json_scalar.h"

namespace orrery::trace::pytorch {
namespace {

namespace ondemand = simdjson::ondemand;

/// How the value of a field is read.
enum class ValueKind : std::uint8_t {
  id,
  ids,
  number,
  text,
  token,
  list,
  side,
  attributes,
  boolean,
  skip
};

/// A field or attribute, and the member for its value.
struct Field {
  std::string_view name;
  ValueKind kind = ValueKind::skip;
  std::uint64_t RawNode::*id = nullptr;
  std::int64_t RawNode::*number = nullptr;
  std::string_view RawNode::*text = nullptr;
  RawNode::IoTexts RawNode::*side = nullptr;
  std::string_view RawNode::IoTexts::*list = nullptr;
};

constexpr Field id(std::string_view name, std::uint64_t RawNode::*place,
                   ValueKind kind = ValueKind::id) {
  return {name, kind, place};
}
constexpr Field number(std::string_view name, std::int64_t RawNode::*place) {
  return {name, ValueKind::number, nullptr, place};
}
constexpr Field text(std::string_view name, std::string_view RawNode::*place,
                     ValueKind kind = ValueKind::text) {
  return {name, kind, nullptr, nullptr, place};
}
constexpr Field list(std::string_view name, RawNode::IoTexts RawNode::*side,
                     std::string_view RawNode::IoTexts::*place) {
  return {name, ValueKind::list, nullptr, nullptr, nullptr, side, place};
}
constexpr Field side(std::string_view name, RawNode::IoTexts RawNode::*place) {
  return {name, ValueKind::side, nullptr, nullptr, nullptr, place};
}

constexpr Field kFields[] = {
    id("id", &RawNode::id),
    id("ctrl_deps", &RawNode::parent, ValueKind::ids),
    id("parent", &RawNode::parent),
    id("rf_id", &RawNode::record_function),
    id("fw_parent", &RawNode::forward_parent),
    number("seq_id", &RawNode::sequence),
    number("scope", &RawNode::scope),
    number("tid", &RawNode::thread),
    number("fw_tid", &RawNode::forward_thread),
    text("name", &RawNode::name),
    text("op_schema", &RawNode::schema),
    text("kernel_backend", &RawNode::kernel_backend),
    text("kernel_file", &RawNode::kernel_file),
    side("inputs", &RawNode::in),
    list("input_shapes", &RawNode::in, &RawNode::IoTexts::shapes),
    list("input_types", &RawNode::in, &RawNode::IoTexts::types),
    list("input_strides", &RawNode::in, &RawNode::IoTexts::strides),
    side("outputs", &RawNode::out),
    list("output_shapes", &RawNode::out, &RawNode::IoTexts::shapes),
    list("output_types", &RawNode::out, &RawNode::IoTexts::types),
    list("output_strides", &RawNode::out, &RawNode::IoTexts::strides),
    {"attrs", ValueKind::attributes},
    // Chakra's linker
    text("cat", &RawNode::category),
    {"ph", ValueKind::skip},
    text("ts", &RawNode::start, ValueKind::token),
    text("inclusive_dur", &RawNode::duration, ValueKind::token),
    text("exclusive_dur", &RawNode::exclusive, ValueKind::token),
    number("stream", &RawNode::stream),
    // Communications
    text("collective_name", &RawNode::comm_name),
    text("dtype", &RawNode::comm_dtype),
    number("in_msg_nelems", &RawNode::comm_in_elements),
    number("out_msg_nelems", &RawNode::comm_out_elements),
    text("in_split_size", &RawNode::comm_in_split),
    text("out_split_size", &RawNode::comm_out_split),
    number("global_rank_start", &RawNode::comm_rank_start),
    number("global_rank_stride", &RawNode::comm_rank_stride),
    text("pg_name", &RawNode::comm_group),
    text("pg_desc", &RawNode::comm_group_description),
    number("pg_size", &RawNode::comm_group_size),
    {"is_asynchronized_op", ValueKind::boolean},
};

/// The text between the quotes of a key or string. The parser has verified its end.
std::string_view raw_view(ondemand::raw_json_string raw) {
  const char* const begin = raw.raw();
  const char* end = begin;
  for (; *end != '"'; ++end) {
    if (*end == '\\') ++end;
  }
  return {begin, static_cast<std::size_t>(end - begin)};
}

template <class Integer>
void read_number(ondemand::value& value, RawNode& node, Integer& into) {
  const std::optional<std::int64_t> read = integer(value.raw_json_token());
  if (!read || !std::in_range<Integer>(*read)) {
    ++node.mistyped_fields;
    return;
  }
  into = static_cast<Integer>(*read);
}

bool read_text(ondemand::value& value, RawNode& node, std::string_view& into) {
  if (value.raw_json_token().starts_with('"'))
    return value.get_string().get(into) == simdjson::SUCCESS;
  if (json::trim(value.raw_json_token()) != "null") ++node.mistyped_fields;
  return true;
}

/// Reads a field that is one number in schemas from 1.0.2 on, but a list in some versions; the
/// first element counts.
bool read_first_number(ondemand::value& value, RawNode& node, std::uint64_t& into) {
  if (!value.raw_json_token().starts_with('[')) {
    read_number(value, node, into);
    return true;
  }
  const auto items = json::elements_of(text_of(value), 2);
  const std::optional<std::int64_t> first = items.empty() ? std::nullopt : integer(items.front());
  if (first && *first >= 0) into = static_cast<std::uint64_t>(*first);
  if (items.size() != 1 || !first || *first < 0) ++node.mistyped_fields;
  return true;
}

bool parse_boolean(std::string_view text) {
  text = json::trim(text);
  return text == "true" || text == "1" || text == "\"1\"" || text == "\"true\"" ||
         text == "\"True\"";
}

}  // namespace

std::string_view text_of(ondemand::value& value) {
  const std::string_view token = value.raw_json_token();
  std::string_view text = token;
  if (token.starts_with('[')) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS ||
        array.raw_json().get(text) != simdjson::SUCCESS)
      return {};
  } else if (token.starts_with('{')) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS ||
        object.raw_json().get(text) != simdjson::SUCCESS)
      return {};
  }
  return json::trim(text);
}

void RawNode::clear() {
  std::string room = std::move(extra);
  room.clear();
  *this = RawNode{};
  extra = std::move(room);
}

std::string_view NodeParser::compact(std::string_view json) {
  if (!json::has_spaces(json)) return json;
  if (used_ == scratch_.size()) scratch_.emplace_back();
  std::string& into = scratch_[used_++];
  into.clear();
  json::append_compact(into, json);
  return into;
}

void NodeParser::extra(std::string_view key, std::string_view value, RawNode& node) {
  if (value == "\"\"") return;  // attributes that this version always writes, mostly empty
  node.extra += node.extra.empty() ? "{\"" : ",\"";
  node.extra.append(key).append("\":");
  json::append_compact(node.extra, value);
}

bool NodeParser::list(ondemand::value& value, RawNode& node, std::string_view& into) {
  const std::string_view text = text_of(value);
  if (text.empty()) return false;
  if (text.front() != '[') {
    if (text != "null") ++node.mistyped_fields;
    return true;
  }
  into = compact(text);
  return true;
}

bool NodeParser::side(ondemand::value& value, RawNode& node, RawNode::IoTexts& side) {
  const std::string_view token = value.raw_json_token();
  if (token.starts_with('[')) return list(value, node, side.values);  // schemas 1.0.0 and 1.0.1
  ondemand::object object;
  if (!token.starts_with('{')) {
    ++node.mistyped_fields;
    return true;
  }
  if (value.get_object().get(object) != simdjson::SUCCESS) return false;
  for (auto member : object) {
    ondemand::field field;
    if (std::move(member).get(field) != simdjson::SUCCESS) return false;
    const std::string_view key = raw_view(field.key());
    std::string_view* into = nullptr;
    if (key == "values") into = &side.values;
    if (key == "shapes") into = &side.shapes;
    if (key == "types") into = &side.types;
    if (key == "strides") into = &side.strides;
    if (into == nullptr) {
      const std::string_view text = text_of(field.value());
      if (text.empty()) return false;
      ++node.unknown_fields;
      extra(key, text, node);
    } else if (!list(field.value(), node, *into)) {
      return false;
    }
  }
  return true;
}

bool NodeParser::attributes(ondemand::value& value, RawNode& node) {
  ondemand::array array;
  if (!value.raw_json_token().starts_with('[')) {
    ++node.mistyped_fields;
    return true;
  }
  if (value.get_array().get(array) != simdjson::SUCCESS) return false;
  for (auto element : array) {
    ondemand::object object;
    if (element.get_object().get(object) != simdjson::SUCCESS) return false;
    ondemand::raw_json_string name;
    ondemand::value held;
    if (object.find_field_unordered("name").get_raw_json_string().get(name) != simdjson::SUCCESS)
      return false;
    const auto found = object.find_field_unordered("value").get(held);
    if (found == simdjson::NO_SUCH_FIELD) {
      extra(raw_view(name), "null", node);
      continue;
    }
    if (found != simdjson::SUCCESS || !field(raw_view(name), held, node)) return false;
  }
  return true;
}

bool NodeParser::field(std::string_view key, ondemand::value& value, RawNode& node) {
  const Field* const known = json::NameIndex<kFields>::find(key);
  if (known == nullptr) {
    const std::string_view raw = text_of(value);
    if (raw.empty()) return false;
    if (raw != "\"\"") ++node.unknown_fields;
    extra(key, raw, node);
    return true;
  }
  switch (known->kind) {
    case ValueKind::id:
      read_number(value, node, node.*known->id);
      return true;
    case ValueKind::ids:
      return read_first_number(value, node, node.*known->id);
    case ValueKind::number:
      read_number(value, node, node.*known->number);
      return true;
    case ValueKind::text:
      return read_text(value, node, node.*known->text);
    case ValueKind::token:
      node.*known->text = json::trim(value.raw_json_token());
      return true;
    case ValueKind::list:
      return list(value, node, (node.*known->side).*known->list);
    case ValueKind::side:
      return side(value, node, node.*known->side);
    case ValueKind::attributes:
      return attributes(value, node);
    case ValueKind::boolean:
      node.comm_asynchronous = parse_boolean(value.raw_json_token());
      return true;
    case ValueKind::skip:
      return true;
  }
  return true;
}

bool NodeParser::parse(ondemand::object& element, RawNode& node) {
  node.clear();
  used_ = 0;
  for (auto member : element) {
    ondemand::field found;
    if (std::move(member).get(found) != simdjson::SUCCESS) return false;
    if (!field(raw_view(found.key()), found.value(), node)) return false;
  }
  if (!node.extra.empty()) node.extra += '}';
  return true;
}

}  // namespace orrery::trace::pytorch
