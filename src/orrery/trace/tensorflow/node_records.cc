// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/tensorflow/node_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "orrery/core/limits.h"
#include "orrery/trace/io/field_stream.h"
#include "orrery/trace/tensorflow/proto_fields.h"

namespace orrery::trace::tensorflow {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr std::size_t kMostOutputs = 1024;  // of a node; others are ignored

std::string_view text_of(pbf_reader& field, std::size_t most = limits::kEventNameBytes) {
  const auto view = field.get_view();
  return std::string_view(view.data(), view.size()).substr(0, most);
}

bool is_text(const pbf_reader& field) {
  return field.wire_type() == pbf_wire_type::length_delimited;
}
bool is_number(const pbf_reader& field) { return field.wire_type() == pbf_wire_type::varint; }

void read_shape(pbf_reader shape, OutputRecord& out) {
  out.elements = 1;
  out.shape = "[";
  while (shape.next()) {
    if (shape.tag() != kDimension || !is_text(shape)) {
      shape.skip();
      continue;
    }
    std::uint64_t size = 0;
    pbf_reader dimension = shape.get_message();
    while (dimension.next()) {
      if (dimension.tag() == kDimensionSize && is_number(dimension)) {
        size = dimension.get_uint64();
      } else {
        dimension.skip();
      }
    }
    // An unknown dimension is -1.
    if (__builtin_mul_overflow(out.elements, size, &out.elements)) out.elements = 0;
    out.shape +=
        fmt::format("{}{}", out.shape.size() > 1 ? ", " : "", static_cast<std::int64_t>(size));
  }
  out.shape += "]";
}

OutputRecord read_output(pbf_reader output) {
  OutputRecord out;
  while (output.next()) {
    if (output.tag() == kOutputSlot && is_number(output)) {
      out.slot = static_cast<std::uint32_t>(output.get_uint64());
    } else if (output.tag() == kOutputTensor && is_text(output)) {
      pbf_reader tensor = output.get_message();
      while (tensor.next()) {
        if (tensor.tag() == kTensorType && is_number(tensor)) {
          out.width = bytes_of_type(tensor.get_uint64());
        } else if (tensor.tag() == kTensorShape && is_text(tensor)) {
          read_shape(tensor.get_message(), out);
        } else {
          tensor.skip();
        }
      }
    } else {
      output.skip();
    }
  }
  return out;
}

/// An attribute of a graph's node: "group_key", "group_size", "num_devices".
void read_attribute(pbf_reader entry, GroupAttributes& group) {
  std::string_view key;
  std::int64_t number = 0;
  while (entry.next()) {
    if (entry.tag() == kMapKey && is_text(entry)) {
      key = text_of(entry, 64);
    } else if (entry.tag() == kMapValue && is_text(entry)) {
      pbf_reader value = entry.get_message();
      while (value.next())
        if (value.tag() == kAttributeInteger && is_number(value)) {
          number = static_cast<std::int64_t>(value.get_uint64());
        } else {
          value.skip();
        }
    } else {
      entry.skip();
    }
  }
  if (key == "group_key") group.key = number;
  if (key == "group_size" || key == "num_devices") group.members = number;
}

/// Files of later versions have all times twice; those in ns are exact.
class Times {
 public:
  void set(std::uint32_t tag, std::uint64_t value) {
    const auto number = static_cast<std::int64_t>(value);
    if (tag >= kAllStartMicros && tag <= kAllEndMicros) micros_[tag - kAllStartMicros] = number;
    if (tag >= kAllStartNanos && tag <= kAllEndNanos) nanos_[tag - kAllStartNanos] = number;
  }
  void give(NodeRecord& node) const {
    const auto time = [&](std::size_t i) {
      std::int64_t ns = 0;
      if (nanos_[0] != 0) return nanos_[i];
      return __builtin_mul_overflow(micros_[i], std::int64_t{1000}, &ns) ? 0 : ns;
    };
    node.start = time(0);
    node.op_start = time(1);
    node.op_end = time(2);
    node.all_end = time(3);
  }

 private:
  std::array<std::int64_t, 4> micros_{}, nanos_{};
};

void read_node(std::string_view message, NodeRecord& node) {
  node = {};
  Times times;
  pbf_reader fields(message.data(), message.size());
  while (fields.next()) {
    const std::uint32_t tag = fields.tag();
    if (is_number(fields)) {
      const std::uint64_t value = fields.get_uint64();
      times.set(tag, value);
      if (tag == kThreadId) node.thread = value;
    } else if (is_text(fields) && tag == kNodeName) {
      node.name = text_of(fields);
    } else if (is_text(fields) && tag == kTimelineLabel) {
      node.label = text_of(fields);
    } else if (is_text(fields) && tag == kNodeOutput && node.outputs.size() < kMostOutputs) {
      node.outputs.push_back(read_output(fields.get_message()));
    } else {
      fields.skip();
    }
  }
  times.give(node);
}

class RecordReader {
 public:
  RecordReader(ByteSource& source, const std::string& where, const RecordHandlers& handlers)
      : stream_(source, where), handlers_(handlers) {}

  /// The first field of StepStats alone contains a text that names a device; that of RunMetadata
  /// contains StepStats, whose first field is a message.
  Result<void> read() {
    return for_fields(FieldStream::kToEndOfFile, [&](const Field& field) -> Result<void> {
      if (field.is_message(kStepStats)) return read_step_stats(field);
      if (field.is_message(kPartitionGraphs)) return read_graph(field);
      return stream_.skip(field);
    });
  }

 private:
  template <class Use>
  Result<void> for_fields(std::uint64_t end, Use use) {
    for (;;) {
      const auto field = stream_.next(end);
      if (!field) return tl::unexpected(field.error());
      if (!*field) return {};
      if (auto done = use(**field); !done) return done;
    }
  }

  /// StepStats, or the statistics of a device in a file of StepStats alone: there, the first field
  /// is a name instead of a message.
  Result<void> read_step_stats(const Field& whole) {
    bool is_device = false, first = true;
    return for_fields(whole.end, [&](const Field& field) -> Result<void> {
      if (std::exchange(first, false) && field.is_message(kDeviceName)) {
        const auto begin = stream_.peek(1);
        if (!begin) return tl::unexpected(begin.error());
        is_device = begin->starts_with('/');
      }
      if (is_device) return read_device_field(field);
      if (!field.is_message(kDeviceStats)) return stream_.skip(field);
      return for_fields(field.end, [&](const Field& one) { return read_device_field(one); });
    });
  }

  Result<void> read_device_field(const Field& field) {
    const bool used = field.is_message(kDeviceName) || field.is_message(kNodeStats) ||
                      field.is_message(kThreadNames);
    if (!used) return stream_.skip(field);
    const auto content = stream_.view(field);
    if (!content) return tl::unexpected(content.error());
    if (field.number == kDeviceName) {
      handlers_.device(content->substr(0, limits::kEventNameBytes));
      return {};
    }
    try {
      if (field.number == kNodeStats) {
        read_node(*content, node_);
        handlers_.node(node_);
      } else if (handlers_.thread) {
        read_thread(*content);
      }
    } catch (const protozero::exception&) {
      handlers_.damaged();
    }
    return {};
  }

  void read_thread(std::string_view entry) {
    std::uint64_t id = 0;
    std::string_view name;
    pbf_reader map(entry.data(), entry.size());
    while (map.next()) {
      if (map.tag() == kMapKey && is_number(map)) {
        id = map.get_uint64();
      } else if (map.tag() == kMapValue && is_text(map)) {
        name = text_of(map, 256);
      } else {
        map.skip();
      }
    }
    handlers_.thread(id, name);
  }

  Result<void> read_graph(const Field& whole) {
    return for_fields(whole.end, [&](const Field& field) -> Result<void> {
      if (!field.is_message(kGraphNode) || !handlers_.graph_node) return stream_.skip(field);
      const auto content = stream_.view(field);
      if (!content) return tl::unexpected(content.error());
      try {
        std::string_view name, op;
        std::vector<std::string_view> inputs;
        GroupAttributes group;
        pbf_reader node(content->data(), content->size());
        while (node.next()) {
          const std::uint32_t tag = node.tag();
          if (!is_text(node) || (tag > kNodeDefInput && tag != kNodeDefAttribute)) {
            node.skip();
            continue;
          }
          if (tag == kNodeDefAttribute) {
            read_attribute(node.get_message(), group);
            continue;
          }
          const std::string_view text = text_of(node);
          if (tag == kNodeDefName) name = text;
          if (tag == kNodeDefOp) op = text;
          if (tag == kNodeDefInput) inputs.push_back(text);
        }
        handlers_.graph_node(name, op, inputs, group);
      } catch (const protozero::exception&) {
        handlers_.damaged();
      }
      return {};
    });
  }

  FieldStream stream_;
  const RecordHandlers& handlers_;
  NodeRecord node_;
};

}  // namespace

Result<void> read_records(ByteSource& source, const std::string& where,
                          const RecordHandlers& handlers) {
  return RecordReader(source, where, handlers).read();
}

bool parse_label(std::string_view label, NodeLabel& out) {
  out = {};
  const std::size_t equals = label.find(" = ");
  if (equals == label.npos) return false;
  std::string_view call = label.substr(equals + 3);
  const std::size_t open = call.find('('), close = call.rfind(')');
  if (open == call.npos || close == call.npos || close < open) return false;
  out.op = call.substr(0, open);
  std::string_view list = call.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view input = list.substr(0, comma);
    while (input.starts_with(' ')) input.remove_prefix(1);
    if (!input.empty()) out.inputs.push_back(input);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return !out.op.empty();
}

std::uint32_t bytes_of_type(std::uint64_t type) {
  // By number in types.proto: float, double, int32, uint8, int16, int8, string, complex64, int64,
  // bool, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, resource,
  // variant, uint32, uint64, float8_e5m2, float8_e4m3fn.
  constexpr std::uint8_t kBytes[] = {0, 4, 8, 4, 1, 2,  1, 0, 8, 8, 1, 1, 1,
                                     4, 2, 2, 2, 2, 16, 2, 0, 0, 4, 8, 1, 1};
  constexpr std::uint64_t kReference = 100;  // added for references to variables
  if (type > kReference) type -= kReference;
  return type < std::size(kBytes) ? kBytes[type] : 0;
}

}  // namespace orrery::trace::tensorflow
