// SPDX-License-Identifier: Apache-2.0
//
// Decodes layouts of 2023, before Chakra 0.0.4.

#include <algorithm>
#include <bit>
#include <iterator>
#include <protozero/pbf_reader.hpp>
#include <utility>

#include "orrery/trace/chakra/decode.h"
#include "orrery/trace/chakra/decode_internal.h"

namespace orrery::trace::chakra {
namespace {

using graph::NodeSpec;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using Kind = Scalar::Kind;

Scalar number(std::uint64_t raw) {
  Scalar value;
  value.kind = Kind::integer;
  value.integer = static_cast<std::int64_t>(raw);
  return value;
}

/// Converts node types from before METADATA was inserted as 1: all types except INVALID were one
/// less.
std::uint64_t shifted_type(std::uint64_t type) { return type == 0 ? 0 : type + 1; }

/// Converts ALL_REDUCE, ALL_TO_ALL, ALL_GATHER, REDUCE_SCATTER, BROADCAST to the current numbers;
/// 0.0.1 counts from 1.
Scalar collective_type(std::int64_t type, Schema schema) {
  if (schema == Schema::v001) --type;
  constexpr std::int64_t kToday[] = {0, 6, 2, 7, 5};
  return number(static_cast<std::uint64_t>(type >= 0 && type < 5 ? kToday[type] : -1));
}

/// The attribute for a field of 0.0.1's flat Node; `other` for fields without an effect.
AttrId flat_field(std::uint32_t tag) {
  constexpr std::pair<std::uint32_t, AttrId> kFields[] = {
      {6, AttrId::tensor_size},   {12, AttrId::num_ops},   {16, AttrId::comm_src},
      {17, AttrId::comm_dst},     {18, AttrId::comm_size}, {19, AttrId::comm_tag},
      {20, AttrId::comm_priority}};
  const auto* const found = std::find_if(std::begin(kFields), std::end(kFields),
                                         [&](const auto& field) { return field.first == tag; });
  return found == std::end(kFields) ? AttrId::other : found->second;
}

}  // namespace

void NodeDecoder::decode_v001(std::string_view record, NodeSpec& node) {
  pbf_reader field(record.data(), record.size());
  numbers_.clear();
  bool dims = false;
  while (field.next()) {
    const std::uint32_t tag = field.tag();
    const pbf_wire_type wire = field.wire_type();
    if (tag == 2 && wire == kBytes) {
      node.name = context_.intern(text_of(field));
    } else if ((tag == 4 || tag == 14) && wire == kBytes) {
      if (tag == 4) {
        add_deps(text_of(field), node);
        continue;
      }
      add_packed(text_of(field), numbers_);
      dims = true;
    } else if (tag > 20) {
      context_.count_finding(FindingCode::unknown_field_kept);
      field.skip();
    } else if (wire != kVarint) {
      wrong_wire_type("Node (0.0.1)", tag, wire);
    } else {
      const std::uint64_t raw = field.get_uint64();
      switch (tag) {
        case 1:
          node.id = raw;
          context_.set_node_id(raw);
          break;
        case 3:
          context_.set_kind(shifted_type(raw), node);
          break;
        case 4:
          add_item(node.deps, raw);
          break;
        case 7:
          context_.set_duration(raw, node);
          break;
        case 13:
          context_.apply(AttrId::comm_type,
                         collective_type(static_cast<std::int64_t>(raw), schema_), node);
          break;
        case 14:
          add_item(numbers_, raw);
          dims = true;
          break;
        case 15:
          if (raw != 0) context_.apply(AttrId::comm_group, number(raw), node);
          break;
        default:
          if (flat_field(tag) != AttrId::other) context_.apply(flat_field(tag), number(raw), node);
      }
    }
  }
  if (dims) {
    Scalar list;
    list.kind = Kind::numbers;
    list.numbers = numbers_;
    context_.apply(AttrId::involved_dim, list, node);
  }
}

void NodeDecoder::decode_v002(std::string_view record, NodeSpec& node) {
  pbf_reader field(record.data(), record.size());
  while (field.next()) {
    const std::uint32_t tag = field.tag();
    const pbf_wire_type wire = field.wire_type();
    const bool number_field = tag == 1 || tag == 3 || tag == 4;
    if (tag > 11) {
      context_.count_finding(FindingCode::unknown_field_kept);
      field.skip();
    } else if (tag == 4 && wire == kBytes) {
      add_deps(text_of(field), node);
    } else if (wire != (number_field ? kVarint : kBytes)) {
      wrong_wire_type("Node (0.0.2)", tag, wire);
    } else if (number_field) {
      const std::uint64_t raw = field.get_uint64();
      if (tag == 1) {
        node.id = raw;
        context_.set_node_id(raw);
      } else if (tag == 3) {
        context_.set_kind(schema_ == Schema::v002 ? shifted_type(raw) : raw, node);
      } else {
        add_item(node.deps, raw);
      }
    } else if (tag == 2) {
      node.name = context_.intern(text_of(field));
    } else if (tag == 5) {
      input_values_ = text_of(field);
    } else if (tag == 11) {
      decode_old_attribute(text_of(field), node);
    } else {
      field.skip();
    }
  }
  if (node.kind != graph::NodeKind::metadata) input_values_ = {};
}

void NodeDecoder::decode_old_attribute(std::string_view message, NodeSpec& node) {
  // The members' numbers moved twice, but wire types distinguish them: a varint is a number or a
  // truth value, 32 bits are a float. A length is a text or a list, depending on the attribute's
  // name. A zero is not written.
  pbf_reader field(message.data(), message.size());
  AttrId id = AttrId::other;
  Scalar value = number(0);
  numbers_.clear();
  texts_.clear();
  bool list = false;
  while (field.next()) {
    const std::uint32_t tag = field.tag();
    const pbf_wire_type wire = field.wire_type();
    if (tag == 1) {
      if (wire != kBytes) wrong_wire_type("AttributeProto (0.0.2)", tag, wire);
      id = attr_id(text_of(field));
    } else if (tag < 4) {
      field.skip();
    } else if (wire == kVarint) {
      const std::uint64_t raw = field.get_uint64();
      if (tag >= 7) add_item(numbers_, raw);  // an element of an unpacked list, or a single number
      value = number(raw);
    } else if (wire == pbf_wire_type::fixed32) {
      value.kind = Kind::real;
      value.real = static_cast<double>(std::bit_cast<float>(field.get_fixed32()));
    } else if (wire == kBytes) {
      const std::string_view bytes = text_of(field);
      if (id == AttrId::involved_dim) {
        add_packed(bytes, numbers_);
        list = true;
      } else {
        value.kind = Kind::text;
        value.text = bytes;
        add_item(texts_, bytes);
      }
    } else {
      wrong_wire_type("AttributeProto (0.0.2)", tag, wire);
    }
  }
  if (id == AttrId::other) return;
  if (id == AttrId::involved_dim) {
    value.kind = Kind::numbers;
    value.numbers = numbers_;
    if (!list && numbers_.empty()) return;
  } else if (id == AttrId::inputs || id == AttrId::outputs) {
    value.kind = Kind::texts;
    value.texts = texts_;
  } else if (id == AttrId::comm_type && value.kind == Kind::integer) {
    value = collective_type(value.integer, schema_);
  } else if ((id == AttrId::comm_group || id == AttrId::pg_name) && value.kind == Kind::integer &&
             value.integer == 0) {
    return;
  }
  context_.apply(id, value, node);
}

}  // namespace orrery::trace::chakra
