// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <protozero/pbf_reader.hpp>

#include "orrery/trace/chakra/framing.h"
#include "orrery/trace/chakra/record.h"
#include "orrery/trace/chakra/schema.h"
#include "orrery/trace/chakra/text.h"
#include "orrery/trace/chakra/wire.h"

namespace orrery::trace::chakra {
namespace {

using protozero::pbf_reader;

/// Thrown and caught in this file.
struct BadField {
  std::string what;
};

std::string owned_text_of(pbf_reader& field) {
  const auto view = field.get_view();
  return {view.data(), view.size()};
}

Wire wire_of(const pbf_reader& field) { return static_cast<Wire>(field.wire_type()); }

void expect(const pbf_reader& field, Wire wire, std::string_view message) {
  if (wire_of(field) != wire) {
    throw BadField{fmt::format("field {} of {} has wire type {}, which it cannot have", field.tag(),
                               message, static_cast<unsigned>(field.wire_type()))};
  }
}

/// Walks over a message's fields; unknown ones are copied, byte for byte.
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
  std::string extra;  // unknown fields inside a list: the record's spelling keeps them
  for_each_field(message, extra, [&](pbf_reader& field) {
    if (field.tag() != 1) return false;
    if (texts) {
      expect(field, Wire::bytes, "a list");
      attribute.texts.push_back(owned_text_of(field));
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
      out.name = owned_text_of(field);
    } else if (tag == 2) {
      out.doc_string = owned_text_of(field);
    } else {
      out.member = static_cast<Member>(tag);
      out.list.clear();
      out.texts.clear();
      if (out.member == Member::string_val || out.member == Member::bytes_val) {
        out.text = owned_text_of(field);
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
    // Before the text: taking a field's value ends its having a tag.
    std::string& text = field.tag() == 1 ? out.values : field.tag() == 2 ? out.shapes : out.types;
    text = owned_text_of(field);
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
      out.name = owned_text_of(field);
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
      out.inputs = decode_io(owned_text_of(field));
      break;
    case 9:
      out.outputs = decode_io(owned_text_of(field));
      break;
    default:
      out.attributes.push_back(decode_attribute(owned_text_of(field)));
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
  if (encode(out) != message) out.spelling.bytes = std::string(message);
  return out;
}

std::size_t varint_length(std::uint64_t value) {
  std::size_t length = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++length;
  }
  return length;
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
      out.version = owned_text_of(field);
    } else {
      out.attributes.push_back(decode_attribute(owned_text_of(field)));
    }
    return true;
  });
}

Result<void> for_each_record(std::unique_ptr<ByteSource> source, const std::string& where,
                             const std::function<Result<void>(MetadataRecord&&)>& on_metadata,
                             const std::function<Result<void>(NodeRecord&&)>& on_node) {
  auto plain = unpack(std::move(source), where);
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
  bool first = detected->metadata;
  while (true) {
    auto record = records.next();
    if (!record) return tl::unexpected(record.error());
    if (!*record) return {};
    const auto bytes = (*record)->bytes;
    const std::string_view message{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    const std::string place = fmt::format("{}:byte {}", where, (*record)->offset);
    const auto prefix = (*record)->prefix;
    const auto odd =
        static_cast<std::uint8_t>(prefix == varint_length(message.size()) ? 0 : prefix);
    const auto hand_over = [&](auto decoded, const auto& callback) -> Result<void> {
      if (!decoded) return tl::unexpected(decoded.error());
      decoded->spelling.length_bytes = odd;
      return callback(std::move(*decoded));
    };
    auto done = first ? hand_over(decode_metadata_record(message, place), on_metadata)
                      : hand_over(decode_node_record(message, place), on_node);
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
