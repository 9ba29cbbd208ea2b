// SPDX-License-Identifier: Apache-2.0
//
// One node of an execution trace as it stands in the file, whatever the schema.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace orrery::trace::pytorch {

/// Views into the block of text that is being read; numbers where the file has numbers. Lists are
/// JSON texts, without white space.
struct RawNode {
  std::uint64_t id = 0;  ///< 0 = none
  std::uint64_t parent = 0;
  std::uint64_t record_function = 0;
  std::uint64_t forward_parent = 0;
  std::int64_t sequence = -1;
  std::int64_t scope = 0;
  std::int64_t thread = 0;
  std::int64_t forward_thread = 0;
  std::string_view name, schema, kernel_backend, kernel_file;

  /// Of the inputs or the outputs.
  struct Side {
    std::string_view values, shapes, types, strides;
  };
  Side in, out;

  // What Chakra's linker adds: texts of numbers, empty when absent.
  std::string_view category, start, duration, exclusive;
  std::int64_t stream = -1;

  // What schemas from 1.1.0 on say about a communication.
  std::string_view comm_name, comm_dtype, comm_in_split, comm_out_split;
  std::string_view comm_group, comm_group_description;
  std::int64_t comm_in_elements = -1, comm_out_elements = -1;
  std::int64_t comm_rank_start = -1, comm_rank_stride = -1, comm_group_size = -1;
  bool comm_asynchronous = false;

  std::string extra;                  ///< members of a JSON object: fields without a place above
  std::uint32_t unknown = 0;          ///< how many of them this program does not know
  std::uint32_t of_another_type = 0;  ///< fields whose value is not of the kind they should be

  /// As new; keeps the room of its strings.
  void clear();
};

/// Reads nodes one after another.
class NodeParser {
 public:
  /// False when the element is no sound JSON. What it says stays valid until the next call, and as
  /// long as the element's block.
  bool parse(simdjson::ondemand::object& element, RawNode& node);

 private:
  bool field(std::string_view key, simdjson::ondemand::value& value, RawNode& node);
  bool attributes(simdjson::ondemand::value& value, RawNode& node);
  bool side(simdjson::ondemand::value& value, RawNode& node, RawNode::Side& side);
  bool list(simdjson::ondemand::value& value, RawNode& node, std::string_view& into);
  void extra(std::string_view key, std::string_view value, RawNode& node);
  std::string_view compact(std::string_view json);

  std::deque<std::string> scratch_;  // compacted lists of one node
  std::size_t used_ = 0;
};

/// The text of a value, whatever it is; empty when it is broken.
[[nodiscard]] std::string_view text_of(simdjson::ondemand::value& value);

}  // namespace orrery::trace::pytorch
