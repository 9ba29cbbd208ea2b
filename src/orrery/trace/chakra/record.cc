// SPDX-License-Identifier: Apache-2.0
//
// Encoding: fields in ascending order, zeros left out, lists of numbers packed, unknown fields
// last, as protobuf does.
#include "orrery/trace/chakra/record.h"

#include <bit>
#include <tuple>

#include "orrery/trace/chakra/wire.h"

namespace orrery::trace::chakra {
namespace {

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void append_fixed(std::string& out, std::uint64_t bits, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((bits >> (8 * i)) & 0xFF);
}

void append_text(std::string& out, std::uint32_t tag, std::string_view text) {
  append_varint(out, (tag << 3) | 2);
  append_varint(out, text.size());
  out += text;
}

void append_scalar(std::string& out, std::uint32_t member, std::uint64_t bits) {
  switch (wire_type_of(member)) {
    case Wire::fixed64:
      append_fixed(out, bits, 8);
      break;
    case Wire::fixed32:
      append_fixed(out, bits, 4);
      break;
    default:
      append_varint(out, bits);
      break;
  }
}

std::string encode(const AttributeRecord& attribute) {
  std::string out;
  if (!attribute.name.empty()) append_text(out, 1, attribute.name);
  if (!attribute.doc_string.empty()) append_text(out, 2, attribute.doc_string);
  const auto member = static_cast<std::uint32_t>(attribute.member);
  if (attribute.member == Member::string_val || attribute.member == Member::bytes_val) {
    append_text(out, member, attribute.text);
  } else if (attribute.member == Member::string_list || attribute.member == Member::bytes_list) {
    std::string list;
    for (const std::string& text : attribute.texts) append_text(list, 1, text);
    append_text(out, member, list);
  } else if (member != 0 && member % 2 == 0) {
    std::string packed;
    for (const std::uint64_t bits : attribute.list) append_scalar(packed, member - 1, bits);
    std::string list;
    if (!packed.empty()) append_text(list, 1, packed);
    append_text(out, member, list);
  } else if (member != 0) {
    append_varint(out, (member << 3) | static_cast<std::uint32_t>(wire_type_of(member)));
    append_scalar(out, member, attribute.bits);
  }
  return out + attribute.unknown;
}

std::string encode(const IoRecord& io) {
  std::string out;
  if (!io.values.empty()) append_text(out, 1, io.values);
  if (!io.shapes.empty()) append_text(out, 2, io.shapes);
  if (!io.types.empty()) append_text(out, 3, io.types);
  return out + io.unknown;
}

void append_number(std::string& out, std::uint32_t tag, std::uint64_t value) {
  if (value == 0) return;
  append_varint(out, tag << 3);
  append_varint(out, value);
}

void append_packed(std::string& out, std::uint32_t tag, const std::vector<std::uint64_t>& values) {
  if (values.empty()) return;
  std::string packed;
  for (const std::uint64_t value : values) append_varint(packed, value);
  append_text(out, tag, packed);
}

void append_length(std::string& out, std::uint64_t length, std::uint8_t bytes) {
  const std::size_t begin = out.size();
  append_varint(out, length);
  while (out.size() - begin < bytes) {  // a varint made longer than need be
    out.back() = static_cast<char>(static_cast<unsigned char>(out.back()) | 0x80);
    out += '\0';
  }
}

template <class Record>
void append_with_length(std::string& out, const Record& record, const Result<Record>& as_read) {
  const bool untouched = as_read.has_value() && same_fields(*as_read, record);
  std::string message = untouched ? *record.spelling.bytes : encode(record);
  append_length(out, message.size(), record.spelling.length_bytes);
  out += message;
}

}  // namespace

AttributeRecord attribute(std::string name, Member member, std::uint64_t bits) {
  AttributeRecord record;
  record.name = std::move(name);
  record.member = member;
  record.bits = bits;
  return record;
}
AttributeRecord attribute_int64(std::string name, std::int64_t value) {
  return attribute(std::move(name), Member::int64_val, static_cast<std::uint64_t>(value));
}
AttributeRecord attribute_int32(std::string name, std::int32_t value) {
  return attribute(std::move(name), Member::int32_val,
                   static_cast<std::uint64_t>(std::int64_t{value}));
}
AttributeRecord attribute_uint64(std::string name, std::uint64_t value) {
  return attribute(std::move(name), Member::uint64_val, value);
}
AttributeRecord attribute_bool(std::string name, bool value) {
  return attribute(std::move(name), Member::bool_val, value ? 1 : 0);
}
AttributeRecord attribute_double(std::string name, double value) {
  return attribute(std::move(name), Member::double_val, std::bit_cast<std::uint64_t>(value));
}
AttributeRecord attribute_string(std::string name, std::string value) {
  AttributeRecord record = attribute(std::move(name), Member::string_val, 0);
  record.text = std::move(value);
  return record;
}
AttributeRecord attribute_bools(std::string name, const std::vector<bool>& values) {
  AttributeRecord record = attribute(std::move(name), Member::bool_list, 0);
  for (const bool value : values) record.list.push_back(value ? 1 : 0);
  return record;
}
AttributeRecord attribute_strings(std::string name, std::vector<std::string> values) {
  AttributeRecord record = attribute(std::move(name), Member::string_list, 0);
  record.texts = std::move(values);
  return record;
}

bool same_fields(const NodeRecord& a, const NodeRecord& b) {
  const auto fields = [](const NodeRecord& n) {
    return std::tie(n.id, n.name, n.type, n.ctrl_deps, n.data_deps, n.start_time_micros,
                    n.duration_micros, n.inputs, n.outputs, n.attributes, n.unknown);
  };
  return fields(a) == fields(b);
}

bool same_fields(const MetadataRecord& a, const MetadataRecord& b) {
  return a.version == b.version && a.attributes == b.attributes && a.unknown == b.unknown;
}

std::string encode(const NodeRecord& node) {
  std::string out;
  append_number(out, 1, node.id);
  if (!node.name.empty()) append_text(out, 2, node.name);
  append_number(out, 3, node.type);
  append_packed(out, 4, node.ctrl_deps);
  append_packed(out, 5, node.data_deps);
  append_number(out, 6, node.start_time_micros);
  append_number(out, 7, node.duration_micros);
  if (node.inputs) append_text(out, 8, encode(*node.inputs));
  if (node.outputs) append_text(out, 9, encode(*node.outputs));
  for (const AttributeRecord& attribute : node.attributes) append_text(out, 10, encode(attribute));
  out += node.unknown;
  if (out.empty())
    out.assign("\x08\x00",
               2);  // id 0 written out: Python's reader takes an empty record for the end
  return out;
}

std::string encode(const MetadataRecord& metadata) {
  std::string out;
  if (!metadata.version.empty()) append_text(out, 1, metadata.version);
  for (const AttributeRecord& attribute : metadata.attributes)
    append_text(out, 2, encode(attribute));
  out += metadata.unknown;
  if (out.empty()) out.assign("\x0A\x00", 2);  // an empty version written out, for the same reason
  return out;
}

void append_framed(std::string& out, const NodeRecord& node) {
  append_with_length(out, node,
                     node.spelling.bytes ? decode_node_record(*node.spelling.bytes, {})
                                         : Result<NodeRecord>(tl::unexpected(Error{})));
}

void append_framed(std::string& out, const MetadataRecord& metadata) {
  append_with_length(out, metadata,
                     metadata.spelling.bytes ? decode_metadata_record(*metadata.spelling.bytes, {})
                                             : Result<MetadataRecord>(tl::unexpected(Error{})));
}

}  // namespace orrery::trace::chakra
