// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/chakra_json.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "orrery/core/text/text.h"

namespace orrery::intake {
namespace {

using trace::chakra::AttributeRecord;
using trace::chakra::IoRecord;
using trace::chakra::Member;

void append_text(std::string& out, std::string_view text) {
  append_json_text(out, text, JsonBreaks::numbers);
}

constexpr std::array<std::string_view, 33> kMembers = {"",
                                                       "",
                                                       "",
                                                       "doubleVal",
                                                       "doubleList",
                                                       "floatVal",
                                                       "floatList",
                                                       "int32Val",
                                                       "int32List",
                                                       "int64Val",
                                                       "int64List",
                                                       "uint32Val",
                                                       "uint32List",
                                                       "uint64Val",
                                                       "uint64List",
                                                       "sint32Val",
                                                       "sint32List",
                                                       "sint64Val",
                                                       "sint64List",
                                                       "fixed32Val",
                                                       "fixed32List",
                                                       "fixed64Val",
                                                       "fixed64List",
                                                       "sfixed32Val",
                                                       "sfixed32List",
                                                       "sfixed64Val",
                                                       "sfixed64List",
                                                       "boolVal",
                                                       "boolList",
                                                       "stringVal",
                                                       "stringList",
                                                       "bytesVal",
                                                       "bytesList"};

std::int64_t zigzag(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
}

template <class Real>
void append_real(std::string& out, Real value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    out += fmt::format("{}", value);
  }
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out += '"';
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      three <<= 8;
      if (at + i < bytes.size()) three |= static_cast<unsigned char>(bytes[at + i]);
    }
    for (unsigned i = 0; i < 4; ++i)
      out += at + i > bytes.size() ? '=' : kDigits[(three >> (18 - 6 * i)) & 63];
  }
  out += '"';
}

void append_scalar(std::string& out, std::uint32_t member, std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  switch (static_cast<Member>(member)) {
    case Member::double_val:
      return append_real(out, std::bit_cast<double>(bits));
    case Member::float_val:
      return append_real(out, std::bit_cast<float>(low));
    case Member::int32_val:
    case Member::sfixed32_val:
      return append_json_number(out, std::int64_t{static_cast<std::int32_t>(low)});
    case Member::int64_val:
    case Member::sfixed64_val:
      return append_json_number(out, static_cast<std::int64_t>(bits));
    case Member::sint32_val:
    case Member::sint64_val:
      return append_json_number(out, zigzag(bits));
    case Member::bool_val:
      out += bits != 0 ? "true" : "false";
      return;
    case Member::uint32_val:
    case Member::fixed32_val:
      return append_json_number(out, std::uint64_t{low});
    default:
      return append_json_number(out, bits);
  }
}

/// `, "key": ` or without the comma at the beginning of an object.
void append_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ", ";
  out += '"';
  out += key;
  out += "\": ";
}

void append_ids(std::string& out, std::string_view key, const std::vector<std::uint64_t>& ids) {
  if (ids.empty()) return;
  append_key(out, key);
  out += '[';
  for (const std::uint64_t id : ids) {
    if (out.back() != '[') out += ", ";
    append_json_number(out, id);
  }
  out += ']';
}

void append_io(std::string& out, std::string_view key, const IoRecord& io) {
  append_key(out, key);
  out += '{';
  const std::pair<std::string_view, const std::string*> texts[] = {
      {"values", &io.values}, {"shapes", &io.shapes}, {"types", &io.types}};
  for (const auto& [name, text] : texts) {
    if (text->empty()) continue;
    append_key(out, name);
    append_text(out, *text);
  }
  out += '}';
}

void append_attributes(std::string& out, const std::vector<AttributeRecord>& attributes) {
  if (attributes.empty()) return;
  append_key(out, "attr");
  out += '[';
  for (const AttributeRecord& attribute : attributes) {
    if (out.back() != '[') out += ", ";
    append_json(out, attribute);
  }
  out += ']';
}

void append_list(std::string& out, const AttributeRecord& attribute) {
  const auto member = static_cast<std::uint32_t>(attribute.member);
  out += "{\"values\": [";
  bool first = true;
  const auto separate = [&] {
    if (!first) out += ", ";
    first = false;
  };
  for (const std::string& text : attribute.texts) {
    separate();
    if (attribute.member == Member::bytes_list) {
      append_base64(out, text);
    } else {
      append_text(out, text);
    }
  }
  for (const std::uint64_t bits : attribute.list) {
    separate();
    append_scalar(out, member - 1, bits);
  }
  out += "]}";
}

}  // namespace

void append_json_number(std::string& out, std::uint64_t value) {
  const bool exact = value < std::uint64_t{1} << 53;
  out += exact ? fmt::format("{}", value) : fmt::format("\"{}\"", value);
}

void append_json_number(std::string& out, std::int64_t value) {
  const bool exact = value > -(std::int64_t{1} << 53) && value < std::int64_t{1} << 53;
  out += exact ? fmt::format("{}", value) : fmt::format("\"{}\"", value);
}

void append_json(std::string& out, const AttributeRecord& attribute) {
  out += '{';
  append_key(out, "name");
  append_text(out, attribute.name);
  if (!attribute.doc_string.empty()) {
    append_key(out, "docString");
    append_text(out, attribute.doc_string);
  }
  if (attribute.member != Member::none) {
    append_key(out, member_key(attribute.member));
    const auto member = static_cast<std::uint32_t>(attribute.member);
    if (attribute.member == Member::string_val) {
      append_text(out, attribute.text);
    } else if (attribute.member == Member::bytes_val) {
      append_base64(out, attribute.text);
    } else if (member % 2 == 0) {
      append_list(out, attribute);
    } else {
      append_scalar(out, member, attribute.bits);
    }
  }
  out += '}';
}

void append_json(std::string& out, const trace::chakra::NodeRecord& node) {
  out += '{';
  append_key(out, "id");
  append_json_number(out, node.id);
  append_key(out, "name");
  append_text(out, node.name);
  append_key(out, "type");
  if (const std::string_view type = node_type_name(node.type); !type.empty()) {
    append_text(out, type);
  } else {
    append_json_number(out, node.type);
  }
  append_ids(out, "ctrlDeps", node.ctrl_deps);
  append_ids(out, "dataDeps", node.data_deps);
  if (node.start_time_micros != 0) {
    append_key(out, "startTimeMicros");
    append_json_number(out, node.start_time_micros);
  }
  if (node.duration_micros != 0) {
    append_key(out, "durationMicros");
    append_json_number(out, node.duration_micros);
  }
  if (node.inputs) append_io(out, "inputs", *node.inputs);
  if (node.outputs) append_io(out, "outputs", *node.outputs);
  append_attributes(out, node.attributes);
  out += '}';
}

void append_json(std::string& out, const trace::chakra::MetadataRecord& metadata) {
  out += '{';
  append_key(out, "version");
  append_text(out, metadata.version);
  append_attributes(out, metadata.attributes);
  out += '}';
}

std::string_view member_key(Member member) { return kMembers[static_cast<std::size_t>(member)]; }

Member member_of(std::string_view key) {
  std::string plain;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool under =
        key[i] == '_' && i + 1 < key.size() && key[i + 1] >= 'a' && key[i + 1] <= 'z';
    plain += under ? static_cast<char>(key[++i] - 'a' + 'A') : key[i];
  }
  for (std::size_t m = 3; m < kMembers.size(); ++m) {
    if (kMembers[m] == plain) return static_cast<Member>(m);
  }
  return Member::none;
}

std::string_view node_type_name(std::uint64_t type) {
  constexpr std::array<std::string_view, 8> kTypes = {
      "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
      "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
  return type < kTypes.size() ? kTypes[type] : std::string_view();
}

}  // namespace orrery::intake
