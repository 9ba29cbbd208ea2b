// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/raw_node.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "orrery/trace/json/json_list.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/pytorch/json_scalar.h"

namespace orrery::trace::pytorch {
namespace {

namespace ondemand = simdjson::ondemand;

/// How a field's value is read.
enum class What : std::uint8_t {
  id,
  ids,
  number,
  text,
  token,
  list,
  side,
  attributes,
  truth,
  skip
};

/// A field or attribute, and where its value goes.
struct Field {
  std::string_view name;
  What what = What::skip;
  std::uint64_t RawNode::*id = nullptr;
  std::int64_t RawNode::*number = nullptr;
  std::string_view RawNode::*text = nullptr;
  RawNode::Side RawNode::*side = nullptr;
  std::string_view RawNode::Side::*list = nullptr;
};

constexpr Field id(std::string_view name, std::uint64_t RawNode::*place, What what = What::id) {
  return {name, what, place};
}
constexpr Field number(std::string_view name, std::int64_t RawNode::*place) {
  return {name, What::number, nullptr, place};
}
constexpr Field text(std::string_view name, std::string_view RawNode::*place,
                     What what = What::text) {
  return {name, what, nullptr, nullptr, place};
}
constexpr Field list(std::string_view name, RawNode::Side RawNode::*side,
                     std::string_view RawNode::Side::*place) {
  return {name, What::list, nullptr, nullptr, nullptr, side, place};
}
constexpr Field side(std::string_view name, RawNode::Side RawNode::*place) {
  return {name, What::side, nullptr, nullptr, nullptr, place};
}

/// By length, so that few are looked at.
constexpr auto kFields = [] {
  using Node = RawNode;
  std::array<Field, 40> fields = {{
      id("id", &Node::id),
      id("ctrl_deps", &Node::parent, What::ids),
      id("parent", &Node::parent),
      id("rf_id", &Node::record_function),
      id("fw_parent", &Node::forward_parent),
      number("seq_id", &Node::sequence),
      number("scope", &Node::scope),
      number("tid", &Node::thread),
      number("fw_tid", &Node::forward_thread),
      text("name", &Node::name),
      text("op_schema", &Node::schema),
      text("kernel_backend", &Node::kernel_backend),
      text("kernel_file", &Node::kernel_file),
      side("inputs", &Node::in),
      list("input_shapes", &Node::in, &Node::Side::shapes),
      list("input_types", &Node::in, &Node::Side::types),
      list("input_strides", &Node::in, &Node::Side::strides),
      side("outputs", &Node::out),
      list("output_shapes", &Node::out, &Node::Side::shapes),
      list("output_types", &Node::out, &Node::Side::types),
      list("output_strides", &Node::out, &Node::Side::strides),
      {"attrs", What::attributes},
      // Chakra's linker
      text("cat", &Node::category),
      {"ph", What::skip},
      text("ts", &Node::start, What::token),
      text("inclusive_dur", &Node::duration, What::token),
      text("exclusive_dur", &Node::exclusive, What::token),
      number("stream", &Node::stream),
      // Communications
      text("collective_name", &Node::comm_name),
      text("dtype", &Node::comm_dtype),
      number("in_msg_nelems", &Node::comm_in_elements),
      number("out_msg_nelems", &Node::comm_out_elements),
      text("in_split_size", &Node::comm_in_split),
      text("out_split_size", &Node::comm_out_split),
      number("global_rank_start", &Node::comm_rank_start),
      number("global_rank_stride", &Node::comm_rank_stride),
      text("pg_name", &Node::comm_group),
      text("pg_desc", &Node::comm_group_description),
      number("pg_size", &Node::comm_group_size),
      {"is_asynchronized_op", What::truth},
  }};
  std::sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) {
    return a.name.size() < b.name.size() || (a.name.size() == b.name.size() && a.name < b.name);
  });
  return fields;
}();

constexpr std::size_t kLongestName = 20;

/// Where the fields of each length begin in kFields.
constexpr auto kFirstOfLength = [] {
  std::array<std::uint8_t, kLongestName + 2> first{};
  for (std::size_t length = 0; length < first.size(); ++length) {
    std::size_t at = 0;
    while (at < kFields.size() && kFields[at].name.size() < length) ++at;
    first[length] = static_cast<std::uint8_t>(at);
  }
  return first;
}();

const Field* field_named(std::string_view name) {
  if (name.size() > kLongestName) return nullptr;
  for (std::size_t at = kFirstOfLength[name.size()]; at < kFirstOfLength[name.size() + 1]; ++at) {
    if (kFields[at].name == name) return &kFields[at];
  }
  return nullptr;
}

/// What stands between the quotes of a key or string. The parser has made sure that it ends.
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
    ++node.of_another_type;
    return;
  }
  into = static_cast<Integer>(*read);
}

bool read_text(ondemand::value& value, RawNode& node, std::string_view& into) {
  if (value.raw_json_token().starts_with('"'))
    return value.get_string().get(into) == simdjson::SUCCESS;
  if (json::trim(value.raw_json_token()) != "null") ++node.of_another_type;
  return true;
}

/// What a schema from 1.0.2 on writes as one number was a list at times; the first one counts.
bool read_first_number(ondemand::value& value, RawNode& node, std::uint64_t& into) {
  if (!value.raw_json_token().starts_with('[')) {
    read_number(value, node, into);
    return true;
  }
  const auto items = json::elements_of(text_of(value), 2);
  const std::optional<std::int64_t> first = items.empty() ? std::nullopt : integer(items.front());
  if (first && *first >= 0) into = static_cast<std::uint64_t>(*first);
  if (items.size() != 1 || !first || *first < 0) ++node.of_another_type;
  return true;
}

bool truth(std::string_view text) {
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
  if (value == "\"\"") return;  // attributes that a version always writes, mostly empty
  node.extra += node.extra.empty() ? "{\"" : ",\"";
  node.extra.append(key).append("\":");
  json::append_compact(node.extra, value);
}

bool NodeParser::list(ondemand::value& value, RawNode& node, std::string_view& into) {
  const std::string_view text = text_of(value);
  if (text.empty()) return false;
  if (text.front() != '[') {
    if (text != "null") ++node.of_another_type;
    return true;
  }
  into = compact(text);
  return true;
}

bool NodeParser::side(ondemand::value& value, RawNode& node, RawNode::Side& side) {
  const std::string_view token = value.raw_json_token();
  if (token.starts_with('[')) return list(value, node, side.values);  // schemas 1.0.0 and 1.0.1
  ondemand::object object;
  if (!token.starts_with('{')) {
    ++node.of_another_type;
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
      ++node.unknown;
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
    ++node.of_another_type;
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
  const Field* const known = field_named(key);
  if (known == nullptr) {
    const std::string_view raw = text_of(value);
    if (raw.empty()) return false;
    if (raw != "\"\"") ++node.unknown;
    extra(key, raw, node);
    return true;
  }
  switch (known->what) {
    case What::id:
      read_number(value, node, node.*known->id);
      return true;
    case What::ids:
      return read_first_number(value, node, node.*known->id);
    case What::number:
      read_number(value, node, node.*known->number);
      return true;
    case What::text:
      return read_text(value, node, node.*known->text);
    case What::token:
      node.*known->text = json::trim(value.raw_json_token());
      return true;
    case What::list:
      return list(value, node, (node.*known->side).*known->list);
    case What::side:
      return side(value, node, node.*known->side);
    case What::attributes:
      return attributes(value, node);
    case What::truth:
      node.comm_asynchronous = truth(value.raw_json_token());
      return true;
    case What::skip:
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
