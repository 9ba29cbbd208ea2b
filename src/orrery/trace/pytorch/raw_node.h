// SPDX-License-Identifier: Apache-2.0
//
// One node of an execution trace in raw form, in any schema.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace orrery::trace::pytorch {

/// Views into the current block of text; numbers if the file has numbers. Lists are JSON texts
/// without white space.
struct RawNode {
  std::uint64_t id = 0;  ///< 0: none
  std::uint64_t parent = 0;
  std::uint64_t record_function = 0;
  std::uint64_t forward_parent = 0;
  std::int64_t sequence = -1;
  std::int64_t scope = 0;
  std::int64_t thread = 0;
  std::int64_t forward_thread = 0;
  std::string_view name, schema, kernel_backend, kernel_file;

  /// Texts of the inputs or of the outputs.
  struct IoTexts {
    std::string_view values, shapes, types, strides;
  };
  IoTexts in, out;

  // Fields that Chakra's linker adds: texts of numbers, empty if absent.
  std::string_view category, start, duration, exclusive;
  std::int64_t stream = -1;

  // Communication fields of schemas from 1.1.0 on.
  std::string_view comm_name, comm_dtype, comm_in_split, comm_out_split;
  std::string_view comm_group, comm_group_description;
  std::int64_t comm_in_elements = -1, comm_out_elements = -1;
  std::int64_t comm_rank_start = -1, comm_rank_stride = -1, comm_group_size = -1;
  bool comm_asynchronous = false;

  std::string extra;                  ///< members of a JSON object: fields without a member above
  std::uint32_t unknown_fields = 0;   ///< number of fields that Orrery does not know
  std::uint32_t mistyped_fields = 0;  ///< number of fields with a value of an unexpected type

  /// Resets all values, but keeps the capacity of strings.
  void clear();
};

/// Parses nodes one by one.
class NodeParser {
 public:
  /// Returns false if the element is not valid JSON. The views are valid until the next call, and
  /// as long as the element's block.
  bool parse(simdjson::ondemand::object& element, RawNode& node);

 private:
  bool field(std::string_view key, simdjson::ondemand::value& value, RawNode& node);
  bool attributes(simdjson::ondemand::value& value, RawNode& node);
  bool side(simdjson::ondemand::value& value, RawNode& node, RawNode::IoTexts& side);
  bool list(simdjson::ondemand::value& value, RawNode& node, std::string_view& into);
  void extra(std::string_view key, std::string_view value, RawNode& node);
  std::string_view compact(std::string_view json);

  std::deque<std::string> scratch_;  // compacted lists of one node
  std::size_t used_ = 0;
};

/// The text of any value; empty if it is damaged.
[[nodiscard]] std::string_view text_of(simdjson::ondemand::value& value);

}  // namespace orrery::trace::pytorch
