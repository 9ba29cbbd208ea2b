// SPDX-License-Identifier: Apache-2.0
//
// From a Node message of any layout to a NodeSpec.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/graph/builder.h"
#include "orrery/trace/chakra/attribute.h"
#include "orrery/trace/chakra/encoding/schema.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra {

/// A list of one node has too many entries. Throws BadRecord.
[[noreturn]] void list_too_long();

/// Adds to a list of one node.
template <class T>
void add_item(std::vector<T>& list, T item) {
  if (list.size() >= limits::kListItems) list_too_long();
  list.push_back(item);
}
/// Adds the varints of a packed list.
void add_packed(std::string_view packed, std::vector<std::uint64_t>& list);

/// Decodes one record after the other, reusing its scratch space. Throws BadRecord or
/// protozero::exception.
class NodeDecoder {
 public:
  NodeDecoder(Decoding& decoding, Schema schema) : decoding_(decoding), schema_(schema) {}

  /// Overwrites `node`. Views in it stay valid as long as the record's bytes.
  void decode(std::span<const std::byte> record, std::uint64_t offset, graph::NodeSpec& node);
  /// The same of a record that has no bytes yet: what decoding encode(record) would give. Views in
  /// `node` stay valid as long as the record.
  void take(const NodeRecord& record, graph::NodeSpec& node);
  /// The text of `inputs.values` of the node decoded last; only kept for METADATA nodes.
  [[nodiscard]] std::string_view input_values() const { return input_values_; }

 private:
  void begin(std::uint64_t offset, graph::NodeSpec& node);
  void take_attribute(const AttributeRecord& attribute, graph::NodeSpec& node);
  void take_deps(const std::vector<std::uint64_t>& deps, graph::NodeSpec& node);
  void decode_current(std::string_view record, graph::NodeSpec& node);
  void decode_attribute(std::string_view message, graph::NodeSpec& node);
  void decode_list(std::uint32_t member, std::string_view message, Scalar& value);
  void decode_v001(std::string_view record, graph::NodeSpec& node);
  void decode_v002(std::string_view record, graph::NodeSpec& node);
  void decode_old_attribute(std::string_view message, graph::NodeSpec& node);
  void add_deps(std::string_view packed, graph::NodeSpec& node);
  void note_data_deps(std::size_t before, const graph::NodeSpec& node);
  void merge_repeats(std::size_t first, graph::NodeSpec& node);

  Decoding& decoding_;
  Schema schema_;
  std::string_view input_values_;
  NodeOperator operator_;    // its inputs
  std::size_t control_ = 0;  // how many control dependencies came first
  // Where the data dependencies stand in the node's; none where they are not in one piece.
  std::size_t first_data_dep_ = 0, data_deps_ = 0;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint64_t> sorted_;
};

}  // namespace orrery::trace::chakra
