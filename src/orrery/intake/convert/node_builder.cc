// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/node_builder.h"

#include <algorithm>
#include <numeric>

#include "orrery/core/recorded_waits.h"
#include "orrery/graph/graph.h"
#include "orrery/trace/chakra/records/scope_attributes.h"

namespace orrery::intake {

namespace {

using graph::NodeKind;
using profile::CommKind;
using profile::EventId;
using profile::Kind;
using profile::kNoEvent;
using profile::kNoId;
using profile::kNone;
using trace::chakra::attribute_bool;
using trace::chakra::attribute_int32;
using trace::chakra::attribute_int64;
using trace::chakra::attribute_string;
using trace::chakra::AttributeRecord;
using trace::chakra::NodeRecord;

std::uint64_t number(NodeKind kind) { return static_cast<std::uint64_t>(kind); }

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// Attributes parallel to data_deps.
constexpr const char* kDepKinds = "dep_kinds";
constexpr const char* kDepLags = "dep_lags_ps";

bool is_parallel_to_deps(const AttributeRecord& attribute) {
  return attribute.name == kDepKinds || attribute.name == kDepLags;
}

AttributeRecord attribute_int64s(const char* name, const std::vector<std::int64_t>& values) {
  AttributeRecord record = trace::chakra::attribute(name, trace::chakra::Member::int64_list, 0);
  for (const std::int64_t value : values) record.list.push_back(static_cast<std::uint64_t>(value));
  return record;
}

void set_duration(NodeRecord& record, Time duration) {
  record.duration_micros = static_cast<std::uint64_t>(duration.count() / kPsPerUs);
  if (duration.count() % kPsPerUs != 0)
    record.add(attribute_int64("duration_ps", duration.count()));
}

}  // namespace

NodeRecord wait_node(std::uint64_t id, std::string_view name, Time duration) {
  NodeRecord node;
  node.id = id;
  node.name = std::string(name);
  node.type = number(NodeKind::comp);
  node.add(attribute_bool("is_cpu_op", true));
  node.add(attribute_bool("is_wait", true));
  set_duration(node, duration);
  return node;
}

NodeBuilder::NodeBuilder(const profile::Profile& profile, const profile::Dependencies& dependencies,
                         const ConvertOptions& options, const RecordedKernels& kernels)
    : profile_(profile),
      dependencies_(dependencies),
      options_(options),
      kernels_(kernels),
      scopes_(find_scopes(profile)),
      texts_(*profile.strings),
      carried_ps_(profile.lanes.size(), 0) {
  const profile::Lane* device = nullptr;
  for (const EventId e : dependencies.nodes)
    has_device_ = has_device_ || profile::is_device_work(profile.events[e].kind);
  for (const profile::Lane& lane : profile.lanes) {
    thread_ids_.push_back(lane.id);
    if (!lane.device) continue;
    several_devices_ = several_devices_ || (device != nullptr && device->process != lane.process);
    device = &lane;
  }
  // Execution traces number threads 1, 2 …: if a lane has such a number, all its nodes use it.
  std::vector<bool> known(profile.lanes.size(), false);
  for (const EventId e : dependencies.nodes) {
    const std::uint32_t lane = profile.events[e].lane;
    if (known[lane]) continue;
    const profile::Node* node = profile.lanes[lane].device ? nullptr : profile.node(e);
    if (node == nullptr || node->thread == 0) continue;
    thread_ids_[lane] = node->thread;
    known[lane] = true;
  }
}

std::string NodeBuilder::group_name(std::uint32_t group) const {
  if (const auto named = options_.groups.find(group); named != options_.groups.end())
    return named->second.name;
  return group < profile_.groups.size() ? profile_.groups[group].name : std::string();
}

void NodeBuilder::add_int64(const char* name, std::int64_t value) {
  record_.add(attribute_int64(name, value));
}

void NodeBuilder::add_text(const char* name, std::string_view value) {
  record_.add(attribute_string(name, std::string(value)));
}

std::uint64_t NodeBuilder::start_micros(const profile::Event& event) const {
  if (!event.timed()) return 0;
  const std::int64_t nanos =
      floor_div(event.start.count() + options_.clock_offset.count(), kPsPerNs);
  const std::int64_t micros = floor_div(profile_.origin_ns + nanos, 1000);
  return micros > 0 ? static_cast<std::uint64_t>(micros) : 0;
}

std::uint32_t NodeBuilder::parent_node(EventId e) const {
  for (EventId at = profile_.events[e].parent; at != kNoEvent; at = profile_.events[at].parent) {
    if (dependencies_.node_of[at] != kNone) return dependencies_.node_of[at];
  }
  return kNone;
}

void NodeBuilder::start(std::uint64_t id, EventId e) {
  const profile::Event& event = profile_.events[e];
  record_.id = id;
  record_.name.assign(profile_.string(event.name));
  record_.type = number(NodeKind::comp);
  record_.ctrl_deps.clear();
  record_.data_deps.clear();
  record_.start_time_micros = start_micros(event);
  record_.duration_micros = 0;
  record_.inputs.reset();
  record_.outputs.reset();
  record_.attributes.clear();
  record_.add(attribute_bool("is_cpu_op", profile::is_host(event.kind)));
  if (has_device_ == !profile::is_host(event.kind)) add_scope(scopes_[e], record_.attributes);
}

const NodeRecord& NodeBuilder::node(std::uint32_t n) {
  const EventId e = dependencies_.nodes[n];
  start(std::uint64_t{n} + 1, e);
  add_dependencies(n, true);
  add_cost(n);
  if (profile::is_host(profile_.events[e].kind)) {
    add_host(e);
  } else {
    add_device(n);
  }
  return record_;
}

void NodeBuilder::add_dependencies(std::uint32_t n, bool label) {
  const bool device = !profile::is_host(profile_.events[dependencies_.nodes[n]].kind);
  deps_.clear();
  bool unusual = false;
  for (std::uint32_t at = dependencies_.first[n]; at < dependencies_.first[n + 1]; ++at) {
    const profile::Dependency& edge = dependencies_.edges[at];
    const std::uint32_t from = dependencies_.node_of[edge.from];
    if (from == kNone || from == n) continue;  // never happens: dangling ids stop every reader
    deps_.emplace_back(std::uint64_t{from} + 1, at);
    const bool from_device = !profile::is_host(profile_.events[edge.from].kind);
    unusual = unusual || edge.guessed ||
              edge.kind != graph::default_dependency_kind(!from_device, !device);
  }
  std::sort(deps_.begin(), deps_.end());
  deps_.erase(std::unique(deps_.begin(), deps_.end(),
                          [](const auto& a, const auto& b) { return a.first == b.first; }),
              deps_.end());
  for (const auto& dep : deps_) record_.data_deps.push_back(dep.first);
  if (!label) return;
  std::vector<std::int64_t> lags;
  for (const auto& dep : deps_) lags.push_back(dependencies_.edges[dep.second].lag.count());
  if (std::any_of(lags.begin(), lags.end(), [](std::int64_t lag) { return lag != 0; }))
    record_.add(attribute_int64s(kDepLags, lags));
  if (!unusual) return;
  std::vector<std::string> kinds;
  for (const auto& dep : deps_) {
    const profile::Dependency& edge = dependencies_.edges[dep.second];
    kinds.push_back(std::string(name(edge.kind)) + (edge.guessed ? "?" : ""));
  }
  record_.add(trace::chakra::attribute_strings(kDepKinds, std::move(kinds)));
}

void NodeBuilder::add_cost(std::uint32_t n) {
  const std::int64_t cost = std::max<std::int64_t>(dependencies_.cost[n].count(), 0);
  std::int64_t& carried = carried_ps_[profile_.events[dependencies_.nodes[n]].lane];
  // Carries only the part below a microsecond, so that no sum overflows.
  const std::int64_t whole = (carried + cost % kPsPerUs) / kPsPerUs + cost / kPsPerUs;
  carried = (carried + cost % kPsPerUs) % kPsPerUs;
  record_.duration_micros = static_cast<std::uint64_t>(whole);
  if (whole * kPsPerUs != cost) add_int64("duration_ps", cost);
}

void NodeBuilder::add_host(EventId e) {
  const profile::Event& event = profile_.events[e];
  if (const std::uint32_t parent = parent_node(e); parent != kNone)
    record_.ctrl_deps.push_back(std::uint64_t{parent} + 1);
  add_int64("tid", thread_ids_[event.lane]);
  if (event.detail == kNone) return;
  if (event.kind == Kind::call) {
    const profile::Call& call = profile_.calls[event.detail];
    if (call.correlation != kNoId)
      add_int64("correlation", static_cast<std::int64_t>(call.correlation));
    return;
  }
  if (event.kind == Kind::overhead) return;
  const profile::Op& op = profile_.ops[event.detail];
  if (op.record_function_id != kNoId)
    add_int64("rf_id", static_cast<std::int64_t>(op.record_function_id));
  if (op.sequence >= 0) add_int64("seq_id", op.sequence);
  add_inputs(e);
  const profile::Node* node = profile_.node(e);
  if (node == nullptr) return;
  if (record_.name.find("process_group:init") != std::string::npos)
    record_.type = number(NodeKind::metadata);
  if (node->forward_parent != 0)
    add_int64("fw_parent", static_cast<std::int64_t>(node->forward_parent));
  if (node->scope != 0) add_int64("scope", node->scope);
  if (node->forward_thread != 0) add_int64("fw_tid", node->forward_thread);
  if (node->schema != StringId::empty) add_text("op_schema", profile_.string(node->schema));
  if (node->kernel_backend != StringId::empty)
    add_text("kernel_backend", profile_.string(node->kernel_backend));
  if (node->kernel_file != StringId::empty)
    add_text("kernel_file", profile_.string(node->kernel_file));
  if (node->extra != StringId::empty) add_text("et_attrs", profile_.string(node->extra));
}

void NodeBuilder::add_inputs(EventId e) {
  if (const profile::Node* node = profile_.node(e)) {
    auto& in = record_.inputs.emplace();
    auto& out = record_.outputs.emplace();
    // The groups have a separate node, with their names in the converted trace.
    if (record_.name.find("process_group:init") == std::string::npos)
      append_python(in.values, profile_.texts.view(node->inputs));
    in.shapes = texts_.of(node->input_shapes);
    in.types = texts_.of(node->input_types);
    append_python(out.values, profile_.texts.view(node->outputs));
    out.shapes = texts_.of(node->output_shapes);
    out.types = texts_.of(node->output_types);
    return;
  }
  const profile::Op& op = profile_.op(e);
  if (op.dims == StringId::empty && op.types == StringId::empty) return;
  auto& in = record_.inputs.emplace();
  in.shapes = texts_.of(op.dims);
  in.types = texts_.of(op.types);
}

void NodeBuilder::add_device(std::uint32_t n) {
  const EventId e = dependencies_.nodes[n];
  const profile::Event& event = profile_.events[e];
  const profile::Lane& lane = profile_.lanes[event.lane];
  add_int64("stream", lane.id);
  if (!dependencies_.rows.empty() && dependencies_.rows[n] > 0)
    add_int64("stream_row", dependencies_.rows[n]);
  if (several_devices_) add_int64("device", lane.process);
  if (!profile::is_device_work(event.kind)) return;
  if (event.kind == profile::Kind::memcpy || event.kind == profile::Kind::memset)
    record_.add(attribute_bool("is_copy", true));
  if (profile_.comm(e) != nullptr || is_comm_kernel(event))
    record_.add(attribute_bool("is_comm", true));
  const profile::Work& work = profile_.works[event.detail];
  if (const graph::KernelId kernel = kernels_.of(event.detail); kernel != graph::kNoKernel)
    add_int64("kernel", kernel);
  if (work.correlation != kNoId)
    add_int64("correlation", static_cast<std::int64_t>(work.correlation));
  if (work.bytes >= 0 && event.kind != Kind::kernel)
    record_.add(
        trace::chakra::attribute_uint64("tensor_size", static_cast<std::uint64_t>(work.bytes)));
  if (work.captured != kNone) {
    const profile::CapturedOperator& captured = profile_.captured[work.captured];
    add_text("captured_op", profile_.string(captured.name));
    if (captured.dims != StringId::empty) add_text("captured_dims", profile_.string(captured.dims));
    if (captured.types != StringId::empty)
      add_text("captured_types", profile_.string(captured.types));
  }
  // Adds the enclosing operator of the launching call, if the launch is a dependency. Then the
  // control dependency does not restrict the order further.
  const auto edges = dependencies_.of(n);
  const bool launched = std::any_of(edges.begin(), edges.end(), [&](const profile::Dependency& d) {
    return d.kind == DependencyKind::launch && d.from == work.call;
  });
  if (!launched || work.call == kNoEvent || work.op == kNoEvent) return;
  for (EventId at = work.call; at != kNoEvent; at = profile_.events[at].parent) {
    if (at != work.op) continue;
    std::uint32_t node = dependencies_.node_of[at];
    if (node == kNone) node = parent_node(at);
    if (node != kNone) record_.ctrl_deps.push_back(std::uint64_t{node} + 1);
    return;
  }
}

// Cached by name, because kernels have few names.
bool NodeBuilder::is_comm_kernel(const profile::Event& event) {
  if (event.kind != profile::Kind::kernel) return false;
  const auto name = static_cast<std::uint32_t>(event.name);
  if (comm_names_.size() <= name) comm_names_.resize(profile_.strings->size(), -1);
  std::int8_t& known = comm_names_[name];
  if (known < 0) known = profile::is_comm_kernel(profile_.string(event.name)) ? 1 : 0;
  return known == 1;
}

void NodeBuilder::add_splits(const NodeComm& comm) {
  const std::pair<const char*, StringId> lists[] = {{"in_split_bytes", comm.in_split},
                                                    {"out_split_bytes", comm.out_split}};
  for (const auto& [name, id] : lists) {
    if (id == StringId::empty || comm.element_bytes <= 0) continue;
    std::vector<std::int64_t> bytes = number_list(profile_.string(id));
    bool fits = !bytes.empty();
    for (std::int64_t& split : bytes)
      fits = fits && split >= 0 && !__builtin_mul_overflow(split, comm.element_bytes, &split);
    if (fits) record_.add(attribute_int64s(name, bytes));
  }
}

const NodeRecord& NodeBuilder::add_comm(const NodeComm& comm) {
  std::erase_if(record_.attributes,
                [](const AttributeRecord& attribute) { return attribute.name == "is_comm"; });
  const bool send = comm.kind == CommKind::send;
  const auto rank = static_cast<std::int32_t>(options_.rank);
  if (send || comm.kind == CommKind::recv) {
    record_.type = number(send ? NodeKind::send : NodeKind::recv);
    record_.add(attribute_int32("comm_src", send ? rank : comm.peer));
    record_.add(attribute_int32("comm_dst", send ? comm.peer : rank));
    record_.add(attribute_int32("comm_tag", 0));
  } else {
    record_.type = number(NodeKind::coll);
    add_int64("comm_type", static_cast<std::int64_t>(collective_type(comm.kind)));
    if (is_rooted(comm.kind) && comm.peer >= 0) record_.add(attribute_int32("root", comm.peer));
    if (comm.kind == CommKind::all_to_all) add_splits(comm);
    if (comm.format != graph::Format::unsaid)
      add_text("comm_dtype", std::string(graph::name(comm.format)));
  }
  if (comm.bytes >= 0 || !is_message(comm.kind))
    add_int64("comm_size", std::max<std::int64_t>(comm.bytes, 0));
  if (comm.bytes < 0 && !is_message(comm.kind))
    record_.add(attribute_bool("comm_size_unknown", true));
  if (const std::string group = group_name(comm.group); !group.empty()) add_text("pg_name", group);
  return record_;
}

const NodeRecord& NodeBuilder::wait_for(std::uint64_t first_id, std::uint64_t count) {
  record_.data_deps.resize(count);
  std::iota(record_.data_deps.begin(), record_.data_deps.end(), first_id);
  std::erase_if(record_.attributes, [](const AttributeRecord& attribute) {
    return is_parallel_to_deps(attribute) || attribute.name == "duration_ps";
  });
  record_.duration_micros = 0;
  return record_;
}

const NodeRecord& NodeBuilder::wait_for_start(std::uint64_t id) {
  for (AttributeRecord& attribute : record_.attributes) {
    if (attribute.name == kDepKinds) attribute.texts.push_back("start");
    if (attribute.name == kDepLags) attribute.list.push_back(0);
  }
  record_.data_deps.push_back(id);
  return record_;
}

std::optional<NodeRecord> NodeBuilder::take_pause(std::uint32_t n, std::uint64_t id) {
  const profile::Event& event = profile_.events[dependencies_.nodes[n]];
  const Time lasted =
      dependencies_.previous_duration.empty() ? event.duration : dependencies_.previous_duration[n];
  const Time pause = dependencies_.cost[n] - lasted;
  if (!profile::is_host(event.kind) || pause <= Time{}) return std::nullopt;
  NodeRecord node = wait_node(id, kRecordedPause, pause);
  node.data_deps.swap(record_.data_deps);
  record_.data_deps = {id};
  auto& attributes = record_.attributes;
  const auto moved = std::stable_partition(
      attributes.begin(), attributes.end(), [](const AttributeRecord& attribute) {
        return !is_parallel_to_deps(attribute) && attribute.name != "duration_ps";
      });
  for (auto one = moved; one != attributes.end(); ++one)
    if (is_parallel_to_deps(*one)) node.add(std::move(*one));
  attributes.erase(moved, attributes.end());
  set_duration(record_, lasted);
  return node;
}

const NodeRecord& NodeBuilder::queued(std::uint64_t id, const NodeComm& comm) {
  const EventId kernel = dependencies_.nodes[comm.shared_kernel];
  start(id, kernel);
  record_.name.assign(profile_.name(dependencies_.nodes[comm.node]));
  add_dependencies(comm.shared_kernel, true);
  set_duration(record_, dependencies_.cost[comm.shared_kernel]);
  add_device(comm.shared_kernel);
  return add_comm(comm);
}

// Both enumerations use the names of Chakra's types.
graph::CollectiveType collective_type(profile::CommKind kind) {
  return orrery::collective_type(name(kind)).value_or(CollectiveType::unknown);
}

}  // namespace orrery::intake
