// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/tensorflow/step_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "orrery/core/limits.h"

namespace orrery::trace::tensorflow {
namespace {

using profile::CommKind;
using profile::EventId;
using profile::Kind;

/// Longer steps, and times further from the first, do not fit into Time.
constexpr std::int64_t kMostNanoseconds = std::int64_t{1} << 50;
constexpr std::uint64_t kLane = std::uint64_t{1} << 40;  // between lanes of one thread
constexpr std::size_t kMostLanes = 1024;                 // of a thread

/// The bytes in "… bytes:4096"; -1 without them. Source: core/profiler (device_tracer.cc).
std::int64_t bytes_in(std::string_view label) {
  std::size_t at = label.find("bytes:");
  std::size_t skip = 6;
  if (at == label.npos) {
    at = label.find("bytes ");
    if (at == label.npos) return -1;
  }
  at += skip;
  while (at < label.size() && label[at] == ' ') ++at;
  std::int64_t bytes = -1;
  const auto read = std::from_chars(label.data() + at, label.data() + label.size(), bytes);
  return read.ec == std::errc{} && bytes >= 0 ? bytes : -1;
}

/// "a:1" of "a:1", "a:0" of "a" and of "^a".
std::string tensor_of(std::string_view input) {
  const bool control = input.starts_with('^');
  if (control) input.remove_prefix(1);
  const bool has_slot = input.find(':') != input.npos;
  return fmt::format("{}{}", input, has_slot ? "" : ":0");
}

/// TensorFlow's collectives, and Horovod's. Source: tensorflow/core/ops/collective_ops.cc and
/// nccl_ops.cc, horovod/tensorflow/mpi_ops.cc.
CommKind collective_of(std::string_view op) {
  constexpr std::pair<std::string_view, CommKind> kPrefixes[] = {
      {"CollectiveReduceScatter", CommKind::reduce_scatter},
      {"CollectiveReduce", CommKind::all_reduce},
      {"CollectiveGather", CommKind::all_gather},
      {"CollectiveBcast", CommKind::broadcast},
      {"CollectiveAllToAll", CommKind::all_to_all},
      {"NcclAllReduce", CommKind::all_reduce},
      {"NcclReduce", CommKind::reduce},
      {"_NcclReduce", CommKind::reduce},
      {"NcclBroadcast", CommKind::broadcast},
      {"_NcclBroadcast", CommKind::broadcast},
      {"HorovodAllreduce", CommKind::all_reduce},
      {"HorovodAllgather", CommKind::all_gather},
      {"HorovodBroadcast", CommKind::broadcast},
      {"HorovodReducescatter", CommKind::reduce_scatter},
      {"HorovodAlltoall", CommKind::all_to_all}};
  for (const auto& [prefix, kind] : kPrefixes)
    if (op.starts_with(prefix)) return kind;
  return CommKind::unknown;
}

}  // namespace

void StepImport::begin_device(std::string_view name) {
  devices_.push_back(parse_device_name(name));
}

void StepImport::name_thread(std::uint64_t thread, std::string_view name) {
  if (!name.empty()) threads_.emplace(thread, name);
}

void StepImport::leave_out(std::string_view what, FindingCode code) {
  const auto known = left_out_.find(what);
  if (known == left_out_.end()) {
    left_out_.emplace(what, 1);
  } else {
    ++known->second;
  }
  findings_.add(code, fmt::format("{}: {}", profile_.where, what));
}

void StepImport::add(const NodeRecord& record) {
  ++profile_.account.records;
  if (devices_.empty()) devices_.emplace_back();
  if (operators_.size() + works_.size() >= limits::kEventsPerRank / 2)
    return leave_out("more than the limit", FindingCode::event_dropped);
  const std::int64_t latest = std::numeric_limits<std::int64_t>::max() - kMostNanoseconds;
  const bool fits =
      record.start >= 0 && record.start <= latest &&
      std::max({record.op_start, record.op_end, record.all_end}) <= kMostNanoseconds &&
      std::min({record.op_start, record.op_end, record.all_end}) >= 0;
  if (!fits || record.start == 0)
    return leave_out("nodes without a time", FindingCode::event_dropped);
  Times times;
  times.start = record.start;
  times.op_start = record.start + record.op_start;
  times.op_end = record.start + std::max(record.op_start, record.op_end);
  times.end = std::max(record.start + record.all_end, times.op_end);
  if (devices_.back().use == DeviceName::Use::host) {
    add_operator(record, times);
  } else {
    add_work(record, times);
  }
}

void StepImport::add_operator(const NodeRecord& record, const Times& times) {
  Operator& made = operators_.emplace_back();
  made.name = intern(record.name.empty() ? "unnamed" : record.name);
  made.device = static_cast<std::uint32_t>(devices_.size() - 1);
  made.thread = record.thread;
  made.times = times;
  if (NodeLabel label; parse_label(record.label, label)) {
    made.type = intern(label.op);
    made.inputs.assign(label.inputs.begin(), label.inputs.end());
  }
  for (const OutputRecord& output : record.outputs)
    made.outputs.push_back({0, output.elements, output.slot, output.width, intern(output.shape)});
}

/// Works are named "node:type"; copies "node:MEMCPYHtoD" and the like.
void StepImport::add_work(const NodeRecord& record, const Times& times) {
  Work& made = works_.emplace_back();
  const std::size_t colon = record.name.rfind(':');
  const std::string_view node = record.name.substr(0, colon);
  const std::string_view type = colon == record.name.npos ? node : record.name.substr(colon + 1);
  made.node = intern(node);
  made.type = intern(type.empty() ? "unnamed" : type);
  made.device = static_cast<std::uint32_t>(devices_.size() - 1);
  made.times = times;
  std::string upper(type.substr(0, 64));
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  if (upper.starts_with("MEMCPY")) {
    made.kind = Kind::memcpy;
    // As other profilers name copies: "Memcpy HtoD".
    std::string_view direction = type.substr(6);
    while (direction.starts_with(' ')) direction.remove_prefix(1);
    made.type = intern(fmt::format("Memcpy {}", direction));
  }
  if (upper.starts_with("MEMSET")) made.kind = Kind::memset;
  if (made.kind != Kind::kernel) made.bytes = bytes_in(record.label);
}

void StepImport::add_graph_node(std::string_view name, std::string_view op,
                                const std::vector<std::string_view>& inputs,
                                const GroupAttributes& group) {
  GraphNode& node = graph_[intern(name)];
  node.type = intern(op);
  node.group = group;
  node.inputs.assign(inputs.begin(), inputs.end());
}

/// Devices with streams are numbered by name.
void StepImport::number_devices() {
  std::set<std::string> gpus;
  for (const Work& work : works_) gpus.insert(devices_[work.device].device);
  for (const std::string& gpu : gpus) ranks_.emplace(gpu, static_cast<std::int64_t>(ranks_.size()));
}

std::uint32_t StepImport::device_rank(std::uint32_t device) const {
  return static_cast<std::uint32_t>(ranks_.at(devices_[device].device));
}

/// Of a device that has streams of its own, the combined stream and the list of copies repeat them.
void StepImport::drop_copies() {
  std::set<std::string> has_streams, has_all;
  for (const Work& work : works_) {
    const DeviceName& device = devices_[work.device];
    if (device.use == DeviceName::Use::stream) has_streams.insert(device.device);
    if (device.use == DeviceName::Use::all) has_all.insert(device.device);
  }
  const auto repeats = [&](const Work& work) {
    const DeviceName& device = devices_[work.device];
    const bool streams = has_streams.contains(device.device);
    return (device.use == DeviceName::Use::all && streams) ||
           (device.use == DeviceName::Use::copies && (streams || has_all.contains(device.device)));
  };
  for (const Work& work : works_)
    if (repeats(work)) leave_out("works that another stream has, too");
  works_.erase(std::remove_if(works_.begin(), works_.end(), repeats), works_.end());
}

/// Drops what belongs to other devices: it does not count as records of this rank.
void StepImport::select() {
  if (!device_) return;
  std::string task, gpu;
  for (const DeviceName& device : devices_) {
    const auto rank = ranks_.find(device.device);
    if (rank == ranks_.end() || rank->second != *device_) continue;
    gpu = device.device;
    task = device.task;
  }
  const auto is_other = [&](std::uint32_t device) {
    const DeviceName& is = devices_[device];
    return is.task != task || (is.is_gpu && is.device != gpu);
  };
  const std::size_t before = works_.size() + operators_.size();
  works_.erase(std::remove_if(works_.begin(), works_.end(),
                              [&](const Work& work) { return is_other(work.device); }),
               works_.end());
  operators_.erase(std::remove_if(operators_.begin(), operators_.end(),
                                  [&](const Operator& one) { return is_other(one.device); }),
                   operators_.end());
  profile_.account.records -= before - works_.size() - operators_.size();
}

EventId StepImport::add_event(Kind kind, std::int64_t start, std::int64_t end, StringId name,
                              std::uint32_t lane, std::size_t detail) {
  profile::Event event;
  // Both are within kMostNanoseconds of the first event.
  event.start = Time((start - origin_) * 1000);
  event.duration = Time((end - start) * 1000);
  event.name = name;
  event.lane = lane;
  event.detail = static_cast<std::uint32_t>(detail);
  event.kind = kind;
  event.flags = profile::kTimed;
  profile_.events.push_back(event);
  return static_cast<EventId>(profile_.events.size() - 1);
}

/// Nodes of one thread that overlap (asynchronous ones, or all of a file without thread numbers)
/// are on the first of its lanes that is free.
void StepImport::add_operators() {
  std::stable_sort(operators_.begin(), operators_.end(), [](const Operator& a, const Operator& b) {
    return a.times.start < b.times.start;
  });
  struct Lanes {
    std::vector<std::int64_t> free_from;
  };
  std::map<std::pair<std::int64_t, std::uint64_t>, Lanes> threads;
  std::map<std::string, std::int64_t> tasks;
  for (std::uint32_t i = 0; i < operators_.size(); ++i) {
    Operator& one = operators_[i];
    const DeviceName& device = devices_[one.device];
    const std::int64_t task =
        tasks.try_emplace(device.task, static_cast<std::int64_t>(tasks.size())).first->second;
    // Without thread numbers, each executor has threads of its own.
    const std::uint64_t thread = one.thread != 0 ? one.thread % kLane : kLane / 2 + one.device;
    auto& free_from = threads[{task, thread}].free_from;
    std::size_t place = 0;
    while (place < free_from.size() && place + 1 < kMostLanes && free_from[place] > one.times.start)
      ++place;
    if (place == free_from.size()) free_from.push_back(0);
    free_from[place] = one.times.end;
    const std::uint32_t lane = profile_.lane(
        false, task, static_cast<std::int64_t>(thread + static_cast<std::uint64_t>(place) * kLane));
    const auto name = threads_.find(one.thread);
    profile_.lanes[lane].name = name != threads_.end() ? name->second : "";
    profile_.ops.push_back({});
    one.event = add_event(Kind::op, one.times.start, one.times.end, one.name, lane,
                          profile_.ops.size() - 1);
    ++profile_.account.events;
    by_name_[one.name].push_back(i);
  }
}

std::string StepImport::tensors_of(const std::vector<std::string>& inputs) {
  std::string text = "[";
  for (const std::string& input : inputs) {
    const auto found = tensors_.find(tensor_of(input));
    if (found == tensors_.end()) continue;
    const Output& tensor = found->second;
    text += fmt::format(R"({}[{}, {}, 0, {}, {}, ""])", text.size() > 1 ? ", " : "", tensor.storage,
                        tensor.storage, tensor.elements, tensor.width);
  }
  return text + "]";
}

std::uint64_t StepImport::elements_of(const std::vector<std::string>& inputs) const {
  std::uint64_t most = 0;  // other inputs are keys and numbers of groups
  for (const std::string& input : inputs)
    if (const auto found = tensors_.find(tensor_of(input)); found != tensors_.end())
      most = std::max(most, found->second.elements);
  return most;
}

/// A collective has the size of its tensors, and the group of its attributes in a partition graph.
void StepImport::add_collective(const Operator& one, std::uint64_t inputs) {
  const CommKind kind = collective_of(profile_.strings->view(one.type));
  if (kind == CommKind::unknown) return;
  profile::Comm comm;
  comm.kind = kind;
  comm.name = one.type;
  const auto output = std::find_if(one.outputs.begin(), one.outputs.end(),
                                   [](const Output& each) { return each.slot == 0; });
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;
  if (output != one.outputs.end() && output->width > 0 && output->elements <= kMostElements) {
    comm.element_bytes = static_cast<std::int32_t>(output->width);
    comm.out_elements = static_cast<std::int64_t>(output->elements);
    if (inputs > 0 && inputs <= kMostElements)
      comm.in_elements = static_cast<std::int64_t>(inputs);
    else if (kind == CommKind::all_reduce || kind == CommKind::all_to_all)
      comm.in_elements = comm.out_elements;
  }
  if (const auto node = graph_.find(one.name); node != graph_.end()) {
    const GroupAttributes& group = node->second.group;
    constexpr std::int64_t kMostMembers = limits::kRanks;
    if (group.members > 0 && group.members <= kMostMembers) {
      comm.group_size = static_cast<std::int32_t>(group.members);
      const std::string name = fmt::format("group_key {}", group.key);
      const auto [place, added] =
          groups_.try_emplace(name, static_cast<std::uint32_t>(profile_.groups.size()));
      if (added)
        profile_.groups.push_back(
            {.name = name, .description = {}, .backend = {}, .ranks = {}, .size = comm.group_size});
      comm.group = place->second;
    }
  }
  profile_.ops[profile_.events[one.event].detail].comm =
      static_cast<std::uint32_t>(profile_.comms.size());
  profile_.comms.push_back(comm);
}

/// Outputs that no record describes have slot 0, of unknown size.
void StepImport::set_tensors() {
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    Operator& one = operators_[i];
    if (one.type == StringId::empty) {
      if (const auto found = graph_.find(one.name); found != graph_.end()) {
        one.type = found->second.type;
        one.inputs = found->second.inputs;
      }
    }
    add_collective(one, elements_of(one.inputs));
    profile::Node node;
    node.id = i + 1;
    node.schema = one.type;
    node.inputs = profile_.texts.add(tensors_of(one.inputs));
    if (std::none_of(one.outputs.begin(), one.outputs.end(),
                     [](const Output& output) { return output.slot == 0; }))
      one.outputs.push_back({});
    std::string outputs = "[", shapes = "[";
    for (Output& output : one.outputs) {
      output.storage = next_storage_++;
      outputs += fmt::format(R"({}[{}, {}, 0, {}, {}, ""])", outputs.size() > 1 ? ", " : "",
                             output.storage, output.storage, output.elements, output.width);
      const std::string_view shape = profile_.strings->view(output.shape);
      shapes += fmt::format("{}{}", shapes.size() > 1 ? ", " : "", shape.empty() ? "[]" : shape);
      tensors_[fmt::format("{}:{}", profile_.strings->view(one.name), output.slot)] = output;
    }
    node.outputs = profile_.texts.add(outputs + "]");
    node.output_shapes = intern(shapes + "]");
    profile::Event& event = profile_.events[one.event];
    event.flags |= profile::kHasNode;
    profile_.ops[event.detail].node = static_cast<std::uint32_t>(profile_.nodes.size());
    profile_.nodes.push_back(node);
  }
}

/// Connects a work with the last execution of its node that began before it, on an executor of its
/// device first.
void StepImport::launch(Work& work, EventId event) {
  const auto found = by_name_.find(work.node);
  if (found == by_name_.end()) return;
  const auto& candidates = found->second;
  const auto after = std::upper_bound(
      candidates.begin(), candidates.end(), work.times.start,
      [&](std::int64_t start, std::uint32_t i) { return start < operators_[i].times.op_start; });
  if (after == candidates.begin()) return;
  Operator& by = operators_[*(after - 1)];
  if (by.call == profile::kNoEvent) {
    profile::Call call;
    call.correlation = next_correlation_++;
    profile_.calls.push_back(call);
    by.call = add_event(Kind::call, by.times.op_start, by.times.op_end, intern("Compute"),
                        profile_.events[by.event].lane, profile_.calls.size() - 1);
  }
  profile_.works[profile_.events[event].detail].correlation =
      profile_.calls[profile_.events[by.call].detail].correlation;
}

void StepImport::add_works() {
  std::stable_sort(works_.begin(), works_.end(),
                   [](const Work& a, const Work& b) { return a.times.start < b.times.start; });
  for (Work& work : works_) {
    const DeviceName& device = devices_[work.device];
    profile::Work made;
    made.bytes = work.bytes;
    profile_.works.push_back(made);
    const std::uint32_t lane = profile_.lane(true, device_rank(work.device), device.stream);
    const EventId event = add_event(work.kind, work.times.start, work.times.end, work.type, lane,
                                    profile_.works.size() - 1);
    ++profile_.account.events;
    launch(work, event);
  }
}

bool StepImport::finish() {
  number_devices();
  drop_copies();
  select();
  if (operators_.empty() && works_.empty()) return false;
  origin_ = std::numeric_limits<std::int64_t>::max();
  for (const Operator& one : operators_) origin_ = std::min(origin_, one.times.start);
  for (const Work& one : works_) origin_ = std::min(origin_, one.times.start);
  const auto is_far = [&](const auto& one) { return one.times.start - origin_ > kMostNanoseconds; };
  for (const auto& one : operators_)
    if (is_far(one)) leave_out("nodes far from the first", FindingCode::event_dropped);
  for (const auto& one : works_)
    if (is_far(one)) leave_out("nodes far from the first", FindingCode::event_dropped);
  operators_.erase(std::remove_if(operators_.begin(), operators_.end(), is_far), operators_.end());
  works_.erase(std::remove_if(works_.begin(), works_.end(), is_far), works_.end());
  add_operators();
  set_tensors();
  add_works();
  profile_.origin_ns = origin_;
  for (const auto& [name, number] : ranks_) {
    if (device_ && *device_ != number) continue;
    profile::Device& device = profile_.devices.emplace_back();
    device.id = number;
    device.name = "GPU";
  }
  profile_.account.left_out.assign(left_out_.begin(), left_out_.end());
  return true;
}

}  // namespace orrery::trace::tensorflow
