// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/chakra_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "orrery/core/check.h"
#include "orrery/core/text/text.h"

namespace orrery::intake {
namespace {

using trace::chakra::AttributeRecord;
using trace::chakra::IoRecord;
using trace::chakra::Member;

void append_text(std::string& out, std::string_view text) {
  append_json_text(out, text, JsonBreaks::numbers);
}

// Types of values, in the order of Member: each has a value and a list.
constexpr std::array<std::string_view, 15> kValueTypes = {
    "double",  "float",   "int32",    "int64",    "uint32", "uint64", "sint32", "sint64",
    "fixed32", "fixed64", "sfixed32", "sfixed64", "bool",   "string", "bytes"};

static_assert(static_cast<std::size_t>(Member::bytes_list) + 1 ==
              static_cast<std::size_t>(Member::double_val) + 2 * kValueTypes.size());

/// "int64Val" for a member of AttributeProto's oneof; not for Member::none.
std::string member_key(Member member) {
  ORRERY_CHECK(member != Member::none);
  const auto number = static_cast<std::size_t>(member);
  const std::size_t type = (number - static_cast<std::size_t>(Member::double_val)) / 2;
  return std::string(kValueTypes[type]) + (number % 2 == 1 ? "Val" : "List");
}

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

/// Appends `, "key": `, without the comma at the beginning of an object.
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
  if (const std::string_view type = trace::chakra::node_type_name(node.type); !type.empty()) {
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

Member member_of(std::string_view key) {
  std::string plain;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool under =
        key[i] == '_' && i + 1 < key.size() && key[i + 1] >= 'a' && key[i + 1] <= 'z';
    plain += under ? static_cast<char>(key[++i] - 'a' + 'A') : key[i];
  }
  const bool is_list = plain.ends_with("List");
  if (!is_list && !plain.ends_with("Val")) return Member::none;
  const std::string_view type = std::string_view(plain).substr(0, plain.size() - (is_list ? 4 : 3));
  const auto found = std::find(kValueTypes.begin(), kValueTypes.end(), type);
  if (found == kValueTypes.end()) return Member::none;
  return static_cast<Member>(static_cast<int>(Member::double_val) +
                             2 * (found - kValueTypes.begin()) + (is_list ? 1 : 0));
}

}  // namespace orrery::intake
