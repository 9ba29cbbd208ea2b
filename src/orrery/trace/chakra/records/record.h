// SPDX-License-Identifier: Apache-2.0
//
// Complete Chakra messages, to write a file back byte for byte or to create a new one.
//
// The graph readers do not use them; they store only what a simulation needs. Layout: the current
// schema (0.0.4, 1.0.0). Numbers are stored as on the wire, unknown fields as raw bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::chakra {

/// Members of AttributeProto's oneof; the values are the field numbers. A list follows each scalar.
enum class Member : std::uint8_t {
  none = 0,
  double_val = 3,
  double_list,
  float_val,
  float_list,
  int32_val,
  int32_list,
  int64_val,
  int64_list,
  uint32_val,
  uint32_list,
  uint64_val,
  uint64_list,
  sint32_val,
  sint32_list,
  sint64_val,
  sint64_list,
  fixed32_val,
  fixed32_list,
  fixed64_val,
  fixed64_list,
  sfixed32_val,
  sfixed32_list,
  sfixed64_val,
  sfixed64_list,
  bool_val,
  bool_list,
  string_val,
  string_list,
  bytes_val,
  bytes_list
};

/// One attribute. Only the value that `member` selects is used.
struct AttributeRecord {
  std::string name;
  std::string doc_string;
  Member member = Member::none;
  std::uint64_t bits = 0;  ///< scalars: the varint or the fixed-width bits (zigzag not decoded)
  std::string text;        ///< string_val, bytes_val
  std::vector<std::uint64_t> list;  ///< lists of numbers; elements like `bits`
  std::vector<std::string> texts;   ///< string_list, bytes_list
  std::string unknown;              ///< unknown fields, unchanged

  friend bool operator==(const AttributeRecord&, const AttributeRecord&) = default;
};

[[nodiscard]] AttributeRecord attribute(std::string name, Member member, std::uint64_t bits);
[[nodiscard]] AttributeRecord attribute_int64(std::string name, std::int64_t value);
[[nodiscard]] AttributeRecord attribute_int32(std::string name, std::int32_t value);
[[nodiscard]] AttributeRecord attribute_uint64(std::string name, std::uint64_t value);
[[nodiscard]] AttributeRecord attribute_bool(std::string name, bool value);
[[nodiscard]] AttributeRecord attribute_double(std::string name, double value);
[[nodiscard]] AttributeRecord attribute_string(std::string name, std::string value);
[[nodiscard]] AttributeRecord attribute_bools(std::string name, const std::vector<bool>& values);
[[nodiscard]] AttributeRecord attribute_strings(std::string name, std::vector<std::string> values);

/// Printed tensors of a PyTorch operator.
struct IoRecord {
  std::string values;
  std::string shapes;
  std::string types;
  std::string unknown;

  friend bool operator==(const IoRecord&, const IoRecord&) = default;
};

/// Differences between a record's bytes and what `encode` produces from its fields: field order,
/// unpacked lists, explicit zeros, long varints … Used only while the fields are unchanged.
struct OriginalEncoding {
  std::optional<std::string> bytes;  ///< the original record, if `encode` produces other bytes
  std::uint8_t length_bytes = 0;  ///< bytes of its length prefix if that was longer than necessary
};

/// "COMP_NODE"; empty for a number that has no name.
[[nodiscard]] std::string_view node_type_name(std::uint64_t type);

struct NodeRecord {
  std::uint64_t id = 0;
  std::string name;
  std::uint64_t type = 0;
  std::vector<std::uint64_t> ctrl_deps;
  std::vector<std::uint64_t> data_deps;
  std::uint64_t start_time_micros = 0;
  std::uint64_t duration_micros = 0;
  std::optional<IoRecord> inputs;
  std::optional<IoRecord> outputs;
  std::vector<AttributeRecord> attributes;
  std::string unknown;
  OriginalEncoding original;

  void add(AttributeRecord attribute) { attributes.push_back(std::move(attribute)); }
};

struct MetadataRecord {
  std::string version;
  std::vector<AttributeRecord> attributes;
  std::string unknown;
  OriginalEncoding original;

  void add(AttributeRecord attribute) { attributes.push_back(std::move(attribute)); }
};

/// True if all fields are equal; the original encoding is ignored.
[[nodiscard]] bool same_fields(const NodeRecord& a, const NodeRecord& b);
[[nodiscard]] bool same_fields(const MetadataRecord& a, const MetadataRecord& b);

/// The bytes of a message without length prefix. Errc: input_corrupt (decode only); `where` names
/// the place.
[[nodiscard]] std::string encode(const NodeRecord& node);
[[nodiscard]] std::string encode(const MetadataRecord& metadata);
[[nodiscard]] Result<NodeRecord> decode_node_record(std::string_view message,
                                                    const std::string& where);
[[nodiscard]] Result<MetadataRecord> decode_metadata_record(std::string_view message,
                                                            const std::string& where);

/// Appends `encode(record)` with its length. A record that was read and not changed is appended
/// exactly as it was read. Never appends an empty record, unless an empty one was read.
void append_framed(std::string& out, const NodeRecord& node);
void append_framed(std::string& out, const MetadataRecord& metadata);

/// A complete trace in memory.
struct TraceRecords {
  std::optional<MetadataRecord> metadata;
  std::vector<NodeRecord> nodes;
};

/// Reads all records. Stops at the first error of a callback and returns it. Errc: input_*,
/// input_unsupported (JSON or a layout before 0.0.4), limit_exceeded.
[[nodiscard]] Result<void> for_each_record(
    std::unique_ptr<ByteSource> source, const std::string& where,
    const std::function<Result<void>(MetadataRecord&&)>& on_metadata,
    const std::function<Result<void>(NodeRecord&&)>& on_node);
[[nodiscard]] Result<TraceRecords> read_records(const std::string& path);

}  // namespace orrery::trace::chakra
