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

/// A message's or list's bytes with their length in front, made in place: most need one byte for
/// it.
template <class Body>
void append_sized(std::string& out, Body&& body) {
  const std::size_t begin = out.size();
  out += '\0';
  body();
  std::uint64_t length = out.size() - begin - 1;
  std::size_t at = begin;
  while (length >= 0x80) {
    out[at++] = static_cast<char>((length & 0x7F) | 0x80);
    length >>= 7;
    out.insert(at, 1, '\0');
  }
  out[at] = static_cast<char>(length);
}

template <class Body>
void append_message(std::string& out, std::uint32_t tag, Body&& body) {
  append_varint(out, (tag << 3) | 2);
  append_sized(out, body);
}

void append_attribute(std::string& out, const AttributeRecord& attribute) {
  if (!attribute.name.empty()) append_text(out, 1, attribute.name);
  if (!attribute.doc_string.empty()) append_text(out, 2, attribute.doc_string);
  const auto member = static_cast<std::uint32_t>(attribute.member);
  if (attribute.member == Member::string_val || attribute.member == Member::bytes_val) {
    append_text(out, member, attribute.text);
  } else if (attribute.member == Member::string_list || attribute.member == Member::bytes_list) {
    append_message(out, member, [&] {
      for (const std::string& text : attribute.texts) append_text(out, 1, text);
    });
  } else if (member != 0 && member % 2 == 0) {
    append_message(out, member, [&] {
      if (attribute.list.empty()) return;
      append_message(out, 1, [&] {
        for (const std::uint64_t bits : attribute.list) append_scalar(out, member - 1, bits);
      });
    });
  } else if (member != 0) {
    append_varint(out, (member << 3) | static_cast<std::uint32_t>(wire_type_of(member)));
    append_scalar(out, member, attribute.bits);
  }
  out += attribute.unknown;
}

void append_io(std::string& out, const IoRecord& io) {
  if (!io.values.empty()) append_text(out, 1, io.values);
  if (!io.shapes.empty()) append_text(out, 2, io.shapes);
  if (!io.types.empty()) append_text(out, 3, io.types);
  out += io.unknown;
}

void append_number(std::string& out, std::uint32_t tag, std::uint64_t value) {
  if (value == 0) return;
  append_varint(out, tag << 3);
  append_varint(out, value);
}

void append_packed(std::string& out, std::uint32_t tag, const std::vector<std::uint64_t>& values) {
  if (values.empty()) return;
  append_message(out, tag, [&] {
    for (const std::uint64_t value : values) append_varint(out, value);
  });
}

void append_fields(std::string& out, const NodeRecord& node) {
  const std::size_t begin = out.size();
  append_number(out, 1, node.id);
  if (!node.name.empty()) append_text(out, 2, node.name);
  append_number(out, 3, node.type);
  append_packed(out, 4, node.ctrl_deps);
  append_packed(out, 5, node.data_deps);
  append_number(out, 6, node.start_time_micros);
  append_number(out, 7, node.duration_micros);
  if (node.inputs) append_message(out, 8, [&] { append_io(out, *node.inputs); });
  if (node.outputs) append_message(out, 9, [&] { append_io(out, *node.outputs); });
  for (const AttributeRecord& attribute : node.attributes)
    append_message(out, 10, [&] { append_attribute(out, attribute); });
  out += node.unknown;
  // Id 0 written out: Python's reader takes an empty record for the end.
  if (out.size() == begin) out.append("\x08\x00", 2);
}

void append_fields(std::string& out, const MetadataRecord& metadata) {
  const std::size_t begin = out.size();
  if (!metadata.version.empty()) append_text(out, 1, metadata.version);
  for (const AttributeRecord& attribute : metadata.attributes)
    append_message(out, 2, [&] { append_attribute(out, attribute); });
  out += metadata.unknown;
  // An empty version written out, for the same reason.
  if (out.size() == begin) out.append("\x0A\x00", 2);
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
  append_fields(out, node);
  return out;
}

std::string encode(const MetadataRecord& metadata) {
  std::string out;
  append_fields(out, metadata);
  return out;
}

void append_framed(std::string& out, const NodeRecord& node) {
  if (!node.spelling.bytes && node.spelling.length_bytes == 0)
    return append_sized(out, [&] { append_fields(out, node); });
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
