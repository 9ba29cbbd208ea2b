// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/message_graph.h"

#include <utility>

namespace orrery::intake {

using graph::NodeKind;

graph::NodeSpec& MessageGraph::start(std::uint64_t id, NodeKind kind, std::string_view name,
                                     Deps deps) {
  node_ = {};
  node_.id = id;
  node_.kind = kind;
  node_.name = builder_.strings().intern(name);
  node_.deps = std::move(deps);
  return node_;
}

void MessageGraph::add_message(std::uint64_t id, NodeKind kind, std::uint32_t peer, Bytes size,
                               std::uint32_t tag, Deps deps, std::string_view name) {
  const bool sends = kind == NodeKind::send;
  graph::NodeSpec& node = start(id, kind, name, std::move(deps));
  node.flags = graph::kHasCommSize | graph::kHasTag | (sends ? graph::kHasDst : graph::kHasSrc);
  node.message.size = size;
  node.message.tag = tag;
  (sends ? node.message.dst : node.message.src) = static_cast<std::int32_t>(peer);
  node.lane = graph::Lane{.id = 0, .device = 0, .row = 1, .host = false};
  builder_.add(node);
}

void MessageGraph::send(std::uint64_t id, std::uint32_t to, Bytes size, std::uint32_t tag,
                        Deps deps, std::string_view name) {
  add_message(id, NodeKind::send, to, size, tag, std::move(deps), name);
}

void MessageGraph::receive(std::uint64_t id, std::uint32_t from, Bytes size, std::uint32_t tag,
                           Deps deps, std::string_view name) {
  add_message(id, NodeKind::recv, from, size, tag, std::move(deps), name);
}

void MessageGraph::wait(std::uint64_t id, Time duration, Deps deps) {
  graph::NodeSpec& node = start(id, NodeKind::comp, "wait", std::move(deps));
  node.flags = graph::kIsCpu | graph::kHasCpuAttr | graph::kIsWait;
  node.duration = duration;
  builder_.add(node);
}

void MessageGraph::compute(std::uint64_t id, Time duration, std::uint32_t processor, Deps deps,
                           std::string_view name) {
  if (duration == Time{}) return joint(id, std::move(deps), name == "calc" ? "joint" : name);
  graph::NodeSpec& node = start(id, NodeKind::comp, name, std::move(deps));
  node.flags = graph::kHasCpuAttr;
  node.duration = duration;
  node.lane = graph::Lane{.id = processor, .device = 0, .row = 0, .host = false};
  builder_.add(node);
}

void MessageGraph::joint(std::uint64_t id, Deps deps, std::string_view name) {
  builder_.add(start(id, NodeKind::metadata, name, std::move(deps)));
}

Result<graph::Graph> idle_graph(const std::string& where, std::shared_ptr<StringPool> strings) {
  MessageGraph graph(where, std::move(strings));
  graph.joint(0, {});
  Findings none;
  return std::move(graph).finish(none);
}

}  // namespace orrery::intake
