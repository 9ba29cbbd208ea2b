// SPDX-License-Identifier: Apache-2.0
//
// Encoding, as protobuf does it: fields in ascending order, no zeros, lists of numbers packed,
// unknown fields last.
#include "orrery/trace/chakra/records/record.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <protozero/buffer_string.hpp>
#include <protozero/pbf_reader.hpp>
#include <tuple>

#include "orrery/trace/chakra/encoding/framing.h"
#include "orrery/trace/chakra/encoding/schema.h"
#include "orrery/trace/chakra/encoding/wire_types.h"

namespace orrery::trace::chakra {

namespace {

void append_varint(std::string& out, std::uint64_t value) {
  protozero::add_varint_to_buffer(&out, value);
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

/// Appends a message or list after its length. Builds it in place: most lengths need one byte.
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
  // Writes id 0 explicitly: Python's reader interprets an empty record as the end.
  if (out.size() == begin) out.append("\x08\x00", 2);
}

void append_fields(std::string& out, const MetadataRecord& metadata) {
  const std::size_t begin = out.size();
  if (!metadata.version.empty()) append_text(out, 1, metadata.version);
  for (const AttributeRecord& attribute : metadata.attributes)
    append_message(out, 2, [&] { append_attribute(out, attribute); });
  out += metadata.unknown;
  // Writes an empty version explicitly, for the same reason.
  if (out.size() == begin) out.append("\x0A\x00", 2);
}

void append_length(std::string& out, std::uint64_t length, std::uint8_t bytes) {
  const std::size_t begin = out.size();
  append_varint(out, length);
  while (out.size() - begin < bytes) {  // a varint that was longer than necessary
    out.back() = static_cast<char>(static_cast<unsigned char>(out.back()) | 0x80);
    out += '\0';
  }
}

template <class Record>
void append_with_length(std::string& out, const Record& record, const Result<Record>& as_read) {
  const bool untouched = as_read.has_value() && same_fields(*as_read, record);
  std::string message = untouched ? *record.original.bytes : encode(record);
  append_length(out, message.size(), record.original.length_bytes);
  out += message;
}

}  // namespace

std::string_view node_type_name(std::uint64_t type) {
  constexpr std::array<std::string_view, 8> kTypes = {
      "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
      "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
  return type < kTypes.size() ? kTypes[type] : std::string_view();
}

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
  if (!node.original.bytes && node.original.length_bytes == 0)
    return append_sized(out, [&] { append_fields(out, node); });
  append_with_length(out, node,
                     node.original.bytes ? decode_node_record(*node.original.bytes, {})
                                         : Result<NodeRecord>(tl::unexpected(Error{})));
}

void append_framed(std::string& out, const MetadataRecord& metadata) {
  append_with_length(out, metadata,
                     metadata.original.bytes ? decode_metadata_record(*metadata.original.bytes, {})
                                             : Result<MetadataRecord>(tl::unexpected(Error{})));
}

namespace {

using protozero::pbf_reader;

/// Thrown and caught in this file.
struct BadField {
  std::string what;
};

Wire wire_of(const pbf_reader& field) { return static_cast<Wire>(field.wire_type()); }

void expect(const pbf_reader& field, Wire wire, std::string_view message) {
  if (wire_of(field) != wire) {
    throw BadField{fmt::format("field {} of {} has the invalid wire type {}", field.tag(), message,
                               static_cast<unsigned>(field.wire_type()))};
  }
}

/// Iterates over a message's fields; copies unknown ones byte for byte.
template <class Known>
void for_each_field(std::string_view message, std::string& unknown, Known&& known) {
  pbf_reader field(message.data(), message.size());
  std::string_view rest = message;
  while (field.next()) {
    if (!known(field)) {
      field.skip();
      unknown += rest.substr(0, rest.size() - field.length());
    }
    rest = message.substr(message.size() - field.length());
  }
}

std::uint64_t scalar_bits(pbf_reader& field) {
  switch (wire_of(field)) {
    case Wire::fixed64:
      return field.get_fixed64();
    case Wire::fixed32:
      return field.get_fixed32();
    default:
      return field.get_uint64();
  }
}

void decode_list(std::string_view message, AttributeRecord& attribute) {
  const bool texts =
      attribute.member == Member::string_list || attribute.member == Member::bytes_list;
  const Wire element = wire_type_of(static_cast<std::uint32_t>(attribute.member) - 1);
  std::string extra;  // unknown fields in a list: the record's original encoding preserves them
  for_each_field(message, extra, [&](pbf_reader& field) {
    if (field.tag() != 1) return false;
    if (texts) {
      expect(field, Wire::bytes, "a list");
      attribute.texts.push_back(field.get_string());
    } else if (wire_of(field) == Wire::bytes) {
      const auto packed = field.get_view();
      const char* at = packed.data();
      const char* const end = packed.data() + packed.size();
      const auto width = element == Wire::fixed64 ? 8 : element == Wire::fixed32 ? 4 : 0;
      if (width != 0 && packed.size() % static_cast<std::size_t>(width) != 0)
        throw BadField{"a list ends inside a number"};
      while (at != end) {
        if (width == 0) {
          attribute.list.push_back(protozero::decode_varint(&at, end));
          continue;
        }
        std::uint64_t bits = 0;
        for (int i = 0; i < width; ++i)
          bits |= std::uint64_t{static_cast<unsigned char>(*at++)} << (8 * i);
        attribute.list.push_back(bits);
      }
    } else {
      expect(field, element, "a list");
      attribute.list.push_back(scalar_bits(field));
    }
    return true;
  });
}

AttributeRecord decode_attribute(std::string_view message) {
  AttributeRecord out;
  for_each_field(message, out.unknown, [&](pbf_reader& field) {
    const std::uint32_t tag = field.tag();
    if (tag > 32) return false;
    expect(field, wire_type_of(tag), "AttributeProto");
    if (tag == 1) {
      out.name = field.get_string();
    } else if (tag == 2) {
      out.doc_string = field.get_string();
    } else {
      out.member = static_cast<Member>(tag);
      out.list.clear();
      out.texts.clear();
      if (out.member == Member::string_val || out.member == Member::bytes_val) {
        out.text = field.get_string();
      } else if (tag % 2 == 0) {
        const auto list = field.get_view();
        decode_list({list.data(), list.size()}, out);
      } else {
        out.bits = scalar_bits(field);
      }
    }
    return true;
  });
  return out;
}

IoRecord decode_io(std::string_view message) {
  IoRecord out;
  for_each_field(message, out.unknown, [&](pbf_reader& field) {
    if (field.tag() > 3) return false;
    expect(field, Wire::bytes, "IOInfo");
    // Select the text first: the field's tag is invalid after its value has been read.
    std::string& text = field.tag() == 1 ? out.values : field.tag() == 2 ? out.shapes : out.types;
    text = field.get_string();
    return true;
  });
  return out;
}

void add_ids(pbf_reader& field, std::vector<std::uint64_t>& ids) {
  if (wire_of(field) == Wire::varint) {
    ids.push_back(field.get_uint64());
    return;
  }
  expect(field, Wire::bytes, "Node");
  for (const std::uint64_t id : field.get_packed_uint64()) ids.push_back(id);
}

bool decode_node_field(pbf_reader& field, NodeRecord& out) {
  const std::uint32_t tag = field.tag();
  if (tag > 10) return false;
  if (tag == 4 || tag == 5) {
    add_ids(field, tag == 4 ? out.ctrl_deps : out.data_deps);
    return true;
  }
  expect(field, tag == 1 || tag == 3 || tag == 6 || tag == 7 ? Wire::varint : Wire::bytes, "Node");
  switch (tag) {
    case 1:
      out.id = field.get_uint64();
      break;
    case 2:
      out.name = field.get_string();
      break;
    case 3:
      out.type = field.get_uint64();
      break;
    case 6:
      out.start_time_micros = field.get_uint64();
      break;
    case 7:
      out.duration_micros = field.get_uint64();
      break;
    case 8:
      out.inputs = decode_io(field.get_string());
      break;
    case 9:
      out.outputs = decode_io(field.get_string());
      break;
    default:
      out.attributes.push_back(decode_attribute(field.get_string()));
      break;
  }
  return true;
}

template <class Record, class Decode>
Result<Record> guarded(std::string_view message, const std::string& where, Decode&& decode) {
  Record out;
  try {
    for_each_field(message, out.unknown, [&](pbf_reader& field) { return decode(field, out); });
  } catch (const BadField& bad) {
    return fail(Errc::input_corrupt, where, bad.what);
  } catch (const protozero::exception& bad) {
    return fail(Errc::input_corrupt, where,
                fmt::format("a record is not a protobuf message ({})", bad.what()));
  }
  if (encode(out) != message) out.original.bytes = std::string(message);
  return out;
}

}  // namespace

Result<NodeRecord> decode_node_record(std::string_view message, const std::string& where) {
  return guarded<NodeRecord>(message, where, decode_node_field);
}

Result<MetadataRecord> decode_metadata_record(std::string_view message, const std::string& where) {
  return guarded<MetadataRecord>(message, where, [](pbf_reader& field, MetadataRecord& out) {
    if (field.tag() > 2) return false;
    expect(field, Wire::bytes, "GlobalMetadata");
    if (field.tag() == 1) {
      out.version = field.get_string();
    } else {
      out.attributes.push_back(decode_attribute(field.get_string()));
    }
    return true;
  });
}

Result<void> for_each_record(std::unique_ptr<ByteSource> source, const std::string& where,
                             const std::function<Result<void>(MetadataRecord&&)>& on_metadata,
                             const std::function<Result<void>(NodeRecord&&)>& on_node) {
  auto plain = decompress(std::move(source), where);
  if (!plain) return tl::unexpected(plain.error());
  Window window(**plain);
  if (auto some = window.need(64); !some) return tl::unexpected(some.error());
  if (looks_like_json(window.text()))
    return fail(Errc::input_unsupported, where, "JSON, not protobuf");
  const auto detected = detect_schema(window);
  if (!detected) return tl::unexpected(detected.error());
  if (detected->schema != Schema::current) {
    return fail(Errc::input_unsupported, where,
                fmt::format("Chakra {}, not 0.0.4", name(detected->schema)));
  }
  Findings findings;
  RecordStream records(window, where, graph::Repair::refuse, findings);
  bool first = detected->has_metadata;
  while (true) {
    auto record = records.next();
    if (!record) return tl::unexpected(record.error());
    if (!*record) return {};
    const auto bytes = (*record)->bytes;
    const std::string_view message{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    const std::string place = fmt::format("{}:byte {}", where, (*record)->offset);
    const auto prefix = (*record)->prefix;
    const auto length_bytes = static_cast<std::uint8_t>(
        prefix == static_cast<std::size_t>(protozero::length_of_varint(message.size())) ? 0
                                                                                        : prefix);
    const auto deliver = [&](auto decoded, const auto& callback) -> Result<void> {
      if (!decoded) return tl::unexpected(decoded.error());
      decoded->original.length_bytes = length_bytes;
      return callback(std::move(*decoded));
    };
    auto done = first ? deliver(decode_metadata_record(message, place), on_metadata)
                      : deliver(decode_node_record(message, place), on_node);
    if (!done) return done;
    first = false;
  }
}

Result<TraceRecords> read_records(const std::string& path) {
  auto source = open_file(path);
  if (!source) return tl::unexpected(source.error());
  TraceRecords trace;
  auto done = for_each_record(
      std::move(*source), path,
      [&](MetadataRecord&& metadata) -> Result<void> {
        trace.metadata = std::move(metadata);
        return {};
      },
      [&](NodeRecord&& node) -> Result<void> {
        trace.nodes.push_back(std::move(node));
        return {};
      });
  if (!done) return tl::unexpected(done.error());
  return trace;
}

}  // namespace orrery::trace::chakra
