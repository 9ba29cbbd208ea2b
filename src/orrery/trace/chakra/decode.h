// SPDX-License-Identifier: Apache-2.0
//
// Decodes a Node message of any layout into a NodeSpec.
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

/// Throws RecordError: a list of one node has too many entries.
[[noreturn]] void list_too_long();

/// Appends to a list of one node. Throws RecordError beyond limits::kListItems.
template <class T>
void add_item(std::vector<T>& list, T item) {
  if (list.size() >= limits::kListItems) list_too_long();
  list.push_back(item);
}
/// Appends the varints of a packed list.
void add_packed(std::string_view packed, std::vector<std::uint64_t>& list);

/// Decodes records one by one with reused buffers. Throws RecordError or protozero::exception.
class NodeDecoder {
 public:
  NodeDecoder(DecodeContext& context, Schema schema) : context_(context), schema_(schema) {}

  /// Overwrites `node`. Its views are valid as long as the bytes of the record.
  void decode(std::span<const std::byte> record, std::uint64_t offset, graph::NodeSpec& node);
  /// Decodes a record that is not encoded; the result equals that of decoding encode(record). Views
  /// in `node` are valid as long as the record.
  void convert(const NodeRecord& record, graph::NodeSpec& node);
  /// The text `inputs.values` of the last decoded node; only set for METADATA nodes.
  [[nodiscard]] std::string_view input_values() const { return input_values_; }

 private:
  void begin(std::uint64_t offset, graph::NodeSpec& node);
  void convert_attribute(const AttributeRecord& attribute, graph::NodeSpec& node);
  void append_deps(const std::vector<std::uint64_t>& deps, graph::NodeSpec& node);
  void decode_current(std::string_view record, graph::NodeSpec& node);
  void decode_attribute(std::string_view message, graph::NodeSpec& node);
  void decode_list(std::uint32_t member, std::string_view message, Scalar& value);
  void decode_v001(std::string_view record, graph::NodeSpec& node);
  void decode_v002(std::string_view record, graph::NodeSpec& node);
  void decode_old_attribute(std::string_view message, graph::NodeSpec& node);
  void add_deps(std::string_view packed, graph::NodeSpec& node);
  void note_data_deps(std::size_t before, const graph::NodeSpec& node);
  void merge_repeats(std::size_t first, graph::NodeSpec& node);

  DecodeContext& context_;
  Schema schema_;
  std::string_view input_values_;
  NodeOperator operator_;    // inputs of the node's operator
  std::size_t control_ = 0;  // number of control dependencies, which come first
  // Position and number of the data dependencies in the node's list; 0 if they are not contiguous.
  std::size_t first_data_dep_ = 0, data_deps_ = 0;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint64_t> sorted_;
};

}  // namespace orrery::trace::chakra
