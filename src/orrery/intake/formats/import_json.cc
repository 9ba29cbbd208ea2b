// SPDX-License-Identifier: Apache-2.0
//
// The reverse of the export: converts the JSON document to a Chakra file.
#include <fmt/format.h>

#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "orrery/intake/formats/chakra_json.h"
#include "orrery/intake/formats/export.h"
#include "orrery/trace/chakra/records/writer.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/json_document.h"
#include "orrery/trace/json/decimal.h"

namespace orrery::intake {
namespace {

using nlohmann::json;
using trace::chakra::AttributeRecord;
using trace::chakra::IoRecord;
using trace::chakra::Member;
using trace::chakra::MetadataRecord;
using trace::chakra::NodeRecord;

/// An impossible value in a message. Thrown and caught in this file.
struct InvalidValue {
  std::string what;
};

std::int64_t integer(const json& value, std::int64_t low, std::int64_t high) {
  std::optional<std::int64_t> found;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() >> 63 == 0)
    found = value.get<std::int64_t>();
  if (value.is_number_integer() && !value.is_number_unsigned()) found = value.get<std::int64_t>();
  if (value.is_string())
    found = trace::json::parse_number<std::int64_t>(value.get_ref<const std::string&>());
  if (!found || *found < low || *found > high)
    throw InvalidValue{fmt::format("a whole number from {} to {} is missing", low, high)};
  return *found;
}

std::uint64_t natural(const json& value, std::uint64_t high = ~std::uint64_t{0}) {
  std::optional<std::uint64_t> found;
  if (value.is_number_unsigned()) found = value.get<std::uint64_t>();
  if (value.is_string())
    found = trace::json::parse_number<std::uint64_t>(value.get_ref<const std::string&>());
  if (!found || *found > high)
    throw InvalidValue{fmt::format("a whole number from 0 to {} is missing", high)};
  return *found;
}

double real(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  throw InvalidValue{"a number is missing"};
}

std::string text(const json& value) {
  if (!value.is_string()) throw InvalidValue{"text is missing"};
  return value.get<std::string>();
}

std::string base64(const json& value) {
  std::string out;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text(value)) {
    std::uint32_t digit = 0;
    if (c >= 'A' && c <= 'Z') {
      digit = static_cast<std::uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      digit = static_cast<std::uint32_t>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint32_t>(c - '0') + 52;
    } else if (c == '+' || c == '/') {
      digit = c == '+' ? 62 : 63;
    } else if (c == '=') {
      continue;
    } else {
      throw InvalidValue{"bytes are not base64"};
    }
    bits = bits << 6 | digit;
    have += 6;
    if (have < 8) continue;
    have -= 8;
    out += static_cast<char>((bits >> have) & 0xFF);
  }
  return out;
}

std::uint64_t scalar(Member member, const json& value) {
  constexpr std::int64_t kLow32 = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHigh32 = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t kLow64 = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHigh64 = std::numeric_limits<std::int64_t>::max();
  const auto zigzag = [](std::int64_t n) {
    return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
  };
  switch (member) {
    case Member::double_val:
      return std::bit_cast<std::uint64_t>(real(value));
    case Member::float_val:
      return std::bit_cast<std::uint32_t>(static_cast<float>(real(value)));
    case Member::int32_val:
      return static_cast<std::uint64_t>(integer(value, kLow32, kHigh32));
    case Member::sfixed32_val:
      return static_cast<std::uint32_t>(integer(value, kLow32, kHigh32));
    case Member::int64_val:
    case Member::sfixed64_val:
      return static_cast<std::uint64_t>(integer(value, kLow64, kHigh64));
    case Member::sint32_val:
      return zigzag(integer(value, kLow32, kHigh32));
    case Member::sint64_val:
      return zigzag(integer(value, kLow64, kHigh64));
    case Member::uint32_val:
    case Member::fixed32_val:
      return natural(value, std::numeric_limits<std::uint32_t>::max());
    case Member::bool_val:
      if (!value.is_boolean()) throw InvalidValue{"true or false is missing"};
      return value.get<bool>() ? 1 : 0;
    default:
      return natural(value);
  }
}

const json& list_of(const json& value) {
  if (value.is_object()) {
    if (const auto values = value.find("values"); values != value.end() && values->is_array())
      return *values;
  }
  throw InvalidValue{"a list is missing"};
}

AttributeRecord attribute_of(const json& object) {
  if (!object.is_object()) throw InvalidValue{"an attribute must be an object"};
  AttributeRecord out;
  for (const auto& [key, value] : object.items()) {
    if (key == "name") {
      out.name = text(value);
      continue;
    }
    if (key == "docString" || key == "doc_string") {
      out.doc_string = text(value);
      continue;
    }
    out.member = member_of(key);
    const auto member = static_cast<std::uint32_t>(out.member);
    if (out.member == Member::none)
      throw InvalidValue{fmt::format("\"{}\" is not a value type", key)};
    if (out.member == Member::string_val) {
      out.text = text(value);
    } else if (out.member == Member::bytes_val) {
      out.text = base64(value);
    } else if (out.member == Member::string_list) {
      for (const json& item : list_of(value)) out.texts.push_back(text(item));
    } else if (out.member == Member::bytes_list) {
      for (const json& item : list_of(value)) out.texts.push_back(base64(item));
    } else if (member % 2 == 0) {
      for (const json& item : list_of(value))
        out.list.push_back(scalar(static_cast<Member>(member - 1), item));
    } else {
      out.bits = scalar(out.member, value);
    }
  }
  return out;
}

std::vector<AttributeRecord> attributes_of(const json& list) {
  if (!list.is_array()) throw InvalidValue{"\"attr\" must be a list"};
  std::vector<AttributeRecord> out;
  for (const json& attribute : list) out.push_back(attribute_of(attribute));
  return out;
}

std::vector<std::uint64_t> ids_of(const json& list) {
  if (!list.is_array()) throw InvalidValue{"dependencies must be a list of ids"};
  std::vector<std::uint64_t> out;
  for (const json& id : list) out.push_back(natural(id));
  return out;
}

IoRecord io_of(const json& object) {
  if (!object.is_object()) throw InvalidValue{"\"inputs\" and \"outputs\" must be objects"};
  return {text(object.value("values", json(""))),
          text(object.value("shapes", json(""))),
          text(object.value("types", json(""))),
          {}};
}

std::uint64_t type_of(const json& value) {
  for (std::uint64_t type = 0; !trace::chakra::node_type_name(type).empty(); ++type)
    if (value == trace::chakra::node_type_name(type)) return type;
  return natural(value);
}

NodeRecord node_of(const json& object) {
  NodeRecord out;
  for (const auto& [key, value] : object.items()) {
    if (key == "id") {
      out.id = natural(value);
    } else if (key == "name") {
      out.name = text(value);
    } else if (key == "type") {
      out.type = type_of(value);
    } else if (key == "ctrlDeps" || key == "ctrl_deps") {
      out.ctrl_deps = ids_of(value);
    } else if (key == "dataDeps" || key == "data_deps") {
      out.data_deps = ids_of(value);
    } else if (key == "startTimeMicros" || key == "start_time_micros") {
      out.start_time_micros = natural(value);
    } else if (key == "durationMicros" || key == "duration_micros") {
      out.duration_micros = natural(value);
    } else if (key == "inputs") {
      out.inputs = io_of(value);
    } else if (key == "outputs") {
      out.outputs = io_of(value);
    } else if (key == "attr") {
      out.attributes = attributes_of(value);
    } else {
      throw InvalidValue{fmt::format("\"{}\" is not a field of a node", key)};
    }
  }
  return out;
}

MetadataRecord metadata_of(const json& object) {
  MetadataRecord out;
  if (!object.is_object()) throw InvalidValue{"\"metadata\" must be an object"};
  out.version = text(object.value("version", json("")));
  if (const auto list = object.find("attr"); list != object.end())
    out.attributes = attributes_of(*list);
  return out;
}

class Importer {
 public:
  Importer(trace::chakra::TraceWriter& writer, std::string where)
      : writer_(writer), where_(std::move(where)) {}

  Result<void> read(trace::json::Document& document) {
    while (true) {
      auto more = document.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      Result<void> done;
      if (document.key() == "metadata") {
        auto text = document.value();
        if (!text) return tl::unexpected(text.error());
        done = import_record(*text, document.place(), false);
      } else if (document.key() == "nodes" && document.is_array()) {
        done = document.for_each_element(
            [&](simdjson::ondemand::object& element, std::uint64_t offset) {
              std::string_view raw;
              if (error_ || element.raw_json().get(raw) != simdjson::SUCCESS) return true;
              auto imported = import_record(raw, fmt::format("{}:byte {}", where_, offset), true);
              if (!imported) error_ = imported.error();
              return true;
            });
      }
      if (error_) return tl::unexpected(*error_);
      if (!done) return done;
    }
    if (report.nodes == 0) return fail(Errc::input_empty, where_, "the document has no nodes");
    return {};
  }

  ExportReport report;

 private:
  Result<void> import_record(std::string_view text, const std::string& place, bool node) {
    const json object = json::parse(text, nullptr, false);
    if (object.is_discarded()) return fail(Errc::input_corrupt, place, "is not valid JSON");
    try {
      if (!node) {
        has_metadata_ = true;
        return writer_.write(metadata_of(object));
      }
      const NodeRecord record = node_of(object);
      if (!has_metadata_) {
        MetadataRecord metadata;
        metadata.version = trace::chakra::kVersion;
        has_metadata_ = true;
        if (auto done = writer_.write(metadata); !done) return done;
      }
      ++report.nodes;
      report.edges += record.ctrl_deps.size() + record.data_deps.size();
      return writer_.write(record);
    } catch (const InvalidValue& bad) {
      return fail(Errc::input_corrupt, place, bad.what);
    }
  }

  trace::chakra::TraceWriter& writer_;
  std::string where_;
  bool has_metadata_ = false;
  std::optional<Error> error_;
};

}  // namespace

Result<ExportReport> import_json(const std::string& path, const std::string& output, bool force,
                                 Findings& findings) {
  auto file = trace::open_file(path);
  if (!file) return tl::unexpected(file.error());
  auto source = trace::decompress(std::move(*file), path);
  if (!source) return tl::unexpected(source.error());
  auto writer = trace::chakra::TraceWriter::create(output, {.force = force});
  if (!writer) return tl::unexpected(writer.error());
  trace::json::Document document(**source, path, findings);
  Importer importer(*writer, path);
  if (auto done = importer.read(document); !done) return tl::unexpected(done.error());
  if (findings.count(FindingCode::truncated_tail_dropped) != 0)
    return fail(Errc::input_truncated, path, "ends in the middle of the document");
  if (auto done = writer->close(); !done) return tl::unexpected(done.error());
  return importer.report;
}

}  // namespace orrery::intake
