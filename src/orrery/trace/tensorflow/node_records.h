// SPDX-License-Identifier: Apache-2.0
//
// Private to tensorflow: nodes as the file has them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::tensorflow {

/// An output of a node.
struct OutputRecord {
  std::uint32_t slot = 0;
  std::uint64_t elements = 0;
  std::uint32_t width = 0;  ///< bytes per element; 0: unknown
  std::string shape;        ///< "[64, 224]"
};

/// One execution of a node, or one work of a stream. Texts are valid during the call.
struct NodeRecord {
  std::string_view name, label;
  std::int64_t start = 0;                              ///< ns since 1970
  std::int64_t op_start = 0, op_end = 0, all_end = 0;  ///< ns since `start`
  std::uint64_t thread = 0;
  std::vector<OutputRecord> outputs;
};

/// The group of a collective, from attributes of a graph's node; 0: not stated.
struct GroupAttributes {
  std::int64_t key = 0;      ///< group_key
  std::int64_t members = 0;  ///< group_size, num_devices
};

/// Receives the contents of a file in its order.
struct RecordHandlers {
  std::function<void(std::string_view device)> device;
  std::function<void(const NodeRecord&)> node;  ///< of the last device
  std::function<void(std::uint64_t thread, std::string_view name)> thread;
  /// A node of a partition graph.
  std::function<void(std::string_view name, std::string_view op,
                     const std::vector<std::string_view>& inputs, const GroupAttributes& group)>
      graph_node;
  std::function<void()> damaged;  ///< a node that cannot be read
};

/// Reads RunMetadata, or StepStats alone. Memory: the largest node. Errc: input_corrupt,
/// input_truncated, input_read, limit_exceeded.
[[nodiscard]] Result<void> read_records(ByteSource& source, const std::string& where,
                                        const RecordHandlers& handlers);

/// A node label such as "[CPU 4B] c = Add(a, b:1, ^d)"; false if it has another form.
struct NodeLabel {
  std::string_view op;
  std::vector<std::string_view> inputs;
};
[[nodiscard]] bool parse_label(std::string_view label, NodeLabel& out);

/// Bytes per element of a DataType; 0: unknown or variable.
[[nodiscard]] std::uint32_t bytes_of_type(std::uint64_t type);

}  // namespace orrery::trace::tensorflow
