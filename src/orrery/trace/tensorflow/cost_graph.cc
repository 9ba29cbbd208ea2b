// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/tensorflow/cost_graph.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "orrery/core/limits.h"
#include "orrery/trace/io/field_stream.h"
#include "orrery/trace/tensorflow/proto_fields.h"

namespace orrery::trace::tensorflow {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using UseNode = std::function<Result<void>(const CostNode&, const std::string& place)>;

void read_input(pbf_reader input, CostNode& node) {
  // Zeros are not written: no number is the node with the id 0.
  std::int64_t preceding = 0;
  while (input.next()) {
    if (input.tag() == kPrecedingNode && input.wire_type() == pbf_wire_type::varint) {
      preceding = input.get_int32();
    } else {
      input.skip();
    }
  }
  node.inputs.push_back(preceding);
}

CostNode read_cost_node(std::string_view message) {
  CostNode node;
  pbf_reader fields(message.data(), message.size());
  while (fields.next()) {
    const std::uint32_t tag = fields.tag();
    const bool is_number = fields.wire_type() == pbf_wire_type::varint;
    const bool is_bytes = fields.wire_type() == pbf_wire_type::length_delimited;
    if (is_bytes && (tag == kCostName || tag == kCostDevice)) {
      const auto view = fields.get_view();
      (tag == kCostName ? node.name : node.device) =
          std::string_view(view.data(), view.size()).substr(0, limits::kEventNameBytes);
    } else if (is_bytes && tag == kCostInput) {
      read_input(fields.get_message(), node);
    } else if (is_bytes && tag == kCostControlInput) {
      for (const std::int32_t id : fields.get_packed_int32()) node.inputs.push_back(id);
    } else if (is_number && tag == kCostControlInput) {
      node.inputs.push_back(fields.get_int32());
    } else if (is_number && tag == kCostId) {
      node.id = fields.get_int32();
    } else if (is_number && tag == kComputeCost) {
      node.cost_us = fields.get_int64();
    } else {
      fields.skip();
    }
  }
  return node;
}

class CostReader {
 public:
  CostReader(ByteSource& source, const std::string& where, const UseNode& use)
      : stream_(source, where), use_(use) {}

  Result<void> read() {
    for (;;) {
      const auto field = stream_.next(FieldStream::kToEndOfFile);
      if (!field) return tl::unexpected(field.error());
      if (!*field) return {};
      Result<void> done;
      if ((*field)->is_message(kCostGraph)) {
        in_metadata_ = true;
        done = read_graph((*field)->end);
      } else if ((*field)->is_message(kCostNode) && !in_metadata_) {
        done = read_node(**field);
      } else {
        done = stream_.skip(**field);
      }
      if (!done) return done;
    }
  }

 private:
  Result<void> read_graph(std::uint64_t end) {
    for (;;) {
      const auto field = stream_.next(end);
      if (!field) return tl::unexpected(field.error());
      if (!*field) return {};
      auto done = (*field)->is_message(kCostNode) ? read_node(**field) : stream_.skip(**field);
      if (!done) return done;
    }
  }

  Result<void> read_node(const Field& field) {
    const std::string place = stream_.place();
    const auto content = stream_.view(field);
    if (!content) return tl::unexpected(content.error());
    try {
      return use_(read_cost_node(*content), place);
    } catch (const protozero::exception&) {
      return fail(Errc::input_corrupt, place, "a node of the cost graph is damaged",
                  "write the file again, or copy it again");
    }
  }

  FieldStream stream_;
  const UseNode& use_;
  bool in_metadata_ = false;
};

}  // namespace

Result<void> read_cost_nodes(ByteSource& source, const std::string& where, const UseNode& use) {
  return CostReader(source, where, use).read();
}

}  // namespace orrery::trace::tensorflow
