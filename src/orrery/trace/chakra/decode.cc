// SPDX-License-Identifier: Apache-2.0
//
// Decodes the current layout; decode_legacy.cc decodes older ones.
#include "orrery/trace/chakra/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <protozero/pbf_reader.hpp>

#include "orrery/trace/chakra/decode_internal.h"
#include "orrery/trace/chakra/encoding/wire_types.h"

namespace orrery::trace::chakra {
namespace {

using graph::NodeSpec;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;
using Kind = Scalar::Kind;

/// Converts the raw bits of a scalar member to its value.
Scalar scalar(std::uint32_t member, std::uint64_t raw) {
  Scalar value;
  const auto integer = [&](std::int64_t number) {
    value.kind = Kind::integer;
    value.integer = number;
  };
  const auto low = static_cast<std::uint32_t>(raw);
  switch (static_cast<Member>(member)) {
    case Member::double_val:
      value.kind = Kind::real;
      value.real = std::bit_cast<double>(raw);
      break;
    case Member::float_val:
      value.kind = Kind::real;
      value.real = static_cast<double>(std::bit_cast<float>(low));
      break;
    case Member::int32_val:
    case Member::sfixed32_val:
      integer(static_cast<std::int32_t>(low));
      break;
    case Member::uint32_val:
    case Member::fixed32_val:
      integer(low);
      break;
    case Member::uint64_val:
    case Member::fixed64_val:
      value.kind = Kind::natural;
      value.natural = raw;
      break;
    case Member::sint32_val:
      integer(protozero::decode_zigzag32(low));
      break;
    case Member::sint64_val:
      integer(protozero::decode_zigzag64(raw));
      break;
    case Member::bool_val:
      value.kind = Kind::boolean;
      value.integer = raw != 0 ? 1 : 0;
      break;
    default:  // int64_val, sfixed64_val
      integer(static_cast<std::int64_t>(raw));
      break;
  }
  return value;
}

/// True if a list's elements are varints: no attribute that Orrery uses is a list of other numbers.
bool lists_varints(std::uint32_t member) {
  return static_cast<pbf_wire_type>(wire_type_of(member - 1)) == kVarint;
}

}  // namespace

void wrong_wire_type(std::string_view message, std::uint32_t field, pbf_wire_type wire) {
  throw RecordError{Errc::input_corrupt, fmt::format("field {} of {} has the invalid wire type {}",
                                                     field, message, static_cast<unsigned>(wire))};
}

void NodeDecoder::begin(std::uint64_t offset, NodeSpec& node) {
  context_.begin(offset);
  node.id = 0;
  node.kind = graph::NodeKind::invalid;
  node.flags = 0;
  node.duration = Time{};
  node.name = StringId::empty;
  node.work = {};
  node.kernel = graph::kNoKernel;
  node.collective = {};
  node.message = {};
  node.deps.clear();
  node.notes.clear();
  node.tensors.clear();
  node.lane.reset();
  node.scope = {};
  first_data_dep_ = data_deps_ = control_ = 0;
  node.offset = offset;
  input_values_ = {};
  operator_ = {};
}

void NodeDecoder::decode(std::span<const std::byte> record, std::uint64_t offset, NodeSpec& node) {
  begin(offset, node);
  const std::string_view bytes{reinterpret_cast<const char*>(record.data()), record.size()};
  if (schema_ == Schema::current) {
    decode_current(bytes, node);
  } else if (schema_ == Schema::v001) {
    decode_v001(bytes, node);
  } else {
    decode_v002(bytes, node);
  }
  if (!operator_.shapes.empty()) context_.infer_kernel(operator_, control_, node);
  context_.finish(node, first_data_dep_, data_deps_);
}

// Follows the order of the fields. proto3 does not write zeros and empty texts.
void NodeDecoder::convert(const NodeRecord& record, NodeSpec& node) {
  begin(0, node);
  if (record.id != 0) {
    node.id = record.id;
    context_.set_node_id(node.id);
  }
  if (!record.name.empty()) node.name = context_.intern(record.name);
  if (record.type != 0) context_.set_kind(record.type, node);
  append_deps(record.ctrl_deps, node);
  control_ = node.deps.size();
  const std::size_t before = node.deps.size();
  append_deps(record.data_deps, node);
  note_data_deps(before, node);
  if (record.duration_micros != 0) context_.set_duration(record.duration_micros, node);
  if (record.inputs && node.kind == graph::NodeKind::metadata)
    input_values_ = record.inputs->values;
  if (record.inputs)
    operator_ = {.values = record.inputs->values,
                 .shapes = record.inputs->shapes,
                 .types = record.inputs->types,
                 .started = record.start_time_micros != 0};
  for (const AttributeRecord& attribute : record.attributes) convert_attribute(attribute, node);
  if (!record.unknown.empty()) context_.count_finding(FindingCode::unknown_field_kept);
  if (!operator_.shapes.empty()) context_.infer_kernel(operator_, control_, node);
  context_.finish(node, first_data_dep_, data_deps_);
}

void NodeDecoder::append_deps(const std::vector<std::uint64_t>& deps, NodeSpec& node) {
  const std::size_t first = node.deps.size();
  if (deps.size() + first > limits::kListItems) list_too_long();
  node.deps.insert(node.deps.end(), deps.begin(), deps.end());
  if (deps.size() > 1) merge_repeats(first, node);
}

void NodeDecoder::convert_attribute(const AttributeRecord& attribute, NodeSpec& node) {
  if (!attribute.unknown.empty()) context_.count_finding(FindingCode::unknown_field_kept);
  const AttrId id = attr_id(attribute.name);
  if (id == AttrId::other) return;
  const auto member = static_cast<std::uint32_t>(attribute.member);
  Scalar value;
  if (attribute.member == Member::string_val || attribute.member == Member::bytes_val) {
    value.kind = Kind::text;
    value.text = attribute.text;
  } else if (attribute.member == Member::string_list || attribute.member == Member::bytes_list) {
    if (attribute.texts.size() > limits::kListItems) list_too_long();
    texts_.assign(attribute.texts.begin(), attribute.texts.end());
    value.kind = Kind::texts;
    value.texts = texts_;
  } else if (member != 0 && member % 2 == 0) {
    if (attribute.list.size() > limits::kListItems) list_too_long();
    value.kind = Kind::numbers;
    if (lists_varints(member)) value.numbers = attribute.list;
  } else if (member != 0) {
    value = scalar(member, attribute.bits);
  }
  context_.apply(id, value, node);
}

void NodeDecoder::decode_current(std::string_view record, NodeSpec& node) {
  pbf_reader field(record.data(), record.size());
  while (field.next()) {
    switch (field.tag_and_type()) {
      case tag_and_type(1, kVarint):
        node.id = field.get_uint64();
        context_.set_node_id(node.id);
        break;
      case tag_and_type(2, kBytes):
        node.name = context_.intern(text_of(field));
        break;
      case tag_and_type(3, kVarint):
        context_.set_kind(field.get_uint64(), node);
        break;
      case tag_and_type(4, kBytes):
      case tag_and_type(5, kBytes):
      case tag_and_type(4, kVarint):
      case tag_and_type(5, kVarint): {
        const bool data = field.tag() == 5;
        const std::size_t before = node.deps.size();
        if (field.wire_type() == kBytes) {
          add_deps(text_of(field), node);
        } else {
          add_item(node.deps, field.get_uint64());
        }
        if (data) {
          note_data_deps(before, node);
        } else if (before == control_) {
          control_ = node.deps.size();
        }
        break;
      }
      case tag_and_type(6, kVarint):
        operator_.started = field.get_uint64() != 0;
        break;
      case tag_and_type(7, kVarint):
        context_.set_duration(field.get_uint64(), node);
        break;
      case tag_and_type(8, kBytes):
      case tag_and_type(9, kBytes): {
        const bool inputs = field.tag() == 8;
        pbf_reader text(field.get_view());
        while (text.next()) {
          if (text.tag() <= 3 && text.wire_type() != kBytes)
            wrong_wire_type("IOInfo", text.tag(), text.wire_type());
          if (inputs && text.tag() == 1) {
            input_values_ = operator_.values = text_of(text);
          } else if (inputs && text.tag() == 2) {
            operator_.shapes = text_of(text);
          } else if (inputs && text.tag() == 3) {
            operator_.types = text_of(text);
          } else {
            text.skip();
          }
        }
        break;
      }
      case tag_and_type(10, kBytes):
        decode_attribute(text_of(field), node);
        break;
      default:
        if (field.tag() <= 10) wrong_wire_type("Node", field.tag(), field.wire_type());
        context_.count_finding(FindingCode::unknown_field_kept);
        field.skip();
    }
  }
  if (node.kind != graph::NodeKind::metadata) input_values_ = {};
}

void NodeDecoder::decode_attribute(std::string_view message, NodeSpec& node) {
  pbf_reader field(message.data(), message.size());
  AttrId id = AttrId::other;
  std::uint32_t member = 0;
  std::uint64_t raw = 0;
  std::string_view bytes;
  while (field.next()) {
    const std::uint32_t tag = field.tag();
    const pbf_wire_type wire = field.wire_type();
    if (tag > 32) {
      context_.count_finding(FindingCode::unknown_field_kept);
      field.skip();
      continue;
    }
    if (wire != static_cast<pbf_wire_type>(wire_type_of(tag)))
      wrong_wire_type("AttributeProto", tag, wire);
    if (tag == 1) {
      id = attr_id(text_of(field));
    } else if (tag == 2) {
      field.skip();
    } else {
      member = tag;
      switch (wire) {
        case kVarint:
          raw = field.get_uint64();
          break;
        case pbf_wire_type::fixed64:
          raw = field.get_fixed64();
          break;
        case pbf_wire_type::fixed32:
          raw = field.get_fixed32();
          break;
        default:
          bytes = text_of(field);
          break;
      }
    }
  }
  if (id == AttrId::other) return;
  Scalar value;
  if (member == 29 || member == 31) {
    value.kind = Kind::text;
    value.text = bytes;
  } else if (member != 0 && member % 2 == 0) {
    decode_list(member, bytes, value);
  } else if (member != 0) {
    value = scalar(member, raw);
  }
  context_.apply(id, value, node);
}

void NodeDecoder::decode_list(std::uint32_t member, std::string_view message, Scalar& value) {
  numbers_.clear();
  texts_.clear();
  const bool texts = member == 30 || member == 32;
  const pbf_wire_type element = static_cast<pbf_wire_type>(wire_type_of(member - 1));
  pbf_reader field(message.data(), message.size());
  while (field.next()) {
    if (field.tag() != 1) {
      field.skip();
    } else if (texts && field.wire_type() == kBytes) {
      add_item(texts_, text_of(field));
    } else if (!texts && field.wire_type() == kBytes && element == kVarint) {  // packed
      add_packed(text_of(field), numbers_);
    } else if (!texts && field.wire_type() == kVarint && element == kVarint) {
      add_item(numbers_, field.get_uint64());
    } else if (!texts && (field.wire_type() == kBytes || field.wire_type() == element)) {
      field.skip();  // lists of fixed-width numbers: no attribute that Orrery uses is one
    } else {
      wrong_wire_type("an attribute's list", 1, field.wire_type());
    }
  }
  value.kind = texts ? Kind::texts : Kind::numbers;
  value.numbers = numbers_;
  value.texts = texts_;
}

void list_too_long() {
  throw RecordError{Errc::limit_exceeded,
                    fmt::format("a list of one node has more than {} entries", limits::kListItems)};
}

void add_packed(std::string_view packed, std::vector<std::uint64_t>& list) {
  const char* at = packed.data();
  const char* const end = packed.data() + packed.size();
  while (at != end) add_item(list, protozero::decode_varint(&at, end));
}

void NodeDecoder::add_deps(std::string_view packed, NodeSpec& node) {
  const std::size_t first = node.deps.size();
  add_packed(packed, node.deps);
  if (node.deps.size() - first > 1) merge_repeats(first, node);
}

// Notes that data dependencies have been appended after the first `before` elements.
void NodeDecoder::note_data_deps(std::size_t before, const NodeSpec& node) {
  if (data_deps_ == 0) first_data_dep_ = before;
  data_deps_ = first_data_dep_ + data_deps_ == before ? node.deps.size() - first_data_dep_ : 0;
}

// Removes repeated ids within one list. A repeat between the two lists of a node is usual.
void NodeDecoder::merge_repeats(std::size_t first, NodeSpec& node) {
  const auto begin = node.deps.begin() + static_cast<std::ptrdiff_t>(first);
  if (node.deps.size() - first == 2) {
    if (begin[0] == begin[1]) context_.count_finding(FindingCode::duplicate_dep_merged);
    return;
  }
  sorted_.assign(begin, node.deps.end());
  std::sort(sorted_.begin(), sorted_.end());
  const auto distinct = std::unique(sorted_.begin(), sorted_.end());
  if (distinct == sorted_.end()) return;
  context_.count_finding(FindingCode::duplicate_dep_merged);
  node.deps.erase(std::copy(sorted_.begin(), distinct, begin), node.deps.end());
}

}  // namespace orrery::trace::chakra
