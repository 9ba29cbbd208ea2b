// SPDX-License-Identifier: Apache-2.0
#include "perfetto_viewer.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <set>

#include "perfetto_oracle.pb.h"

namespace orrery::oracle {

namespace {

namespace pb = orrery_perfetto_oracle;
using Table = std::map<std::uint64_t, std::string>;

struct TrackInfo {
  std::string process, path, name;
  bool counter = false;
  bool is_process = false;
  std::uint64_t last = 0;  // timestamp
};

struct Event {
  std::uint64_t time = 0;
  const pb::TrackEvent* event = nullptr;
};

class Reader {
 public:
  View read(std::string_view bytes) {
    if (!trace_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      problem("libprotobuf cannot take it apart");
      return std::move(view_);
    }
    known(trace_);
    for (int i = 0; i < trace_.packet_size(); ++i) packet(trace_.packet(i), i == 0);
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    for (const Event& event : events_) play(event);
    for (const auto& [uuid, open] : open_) {
      if (!open.empty()) problem("a slice on " + tracks_[uuid].path + " never ends");
    }
    for (const auto& [id, slice] : active_) problem("flow " + std::to_string(id) + " has one end");
    return std::move(view_);
  }

 private:
  void problem(const std::string& text) { view_.problems.push_back(text); }

  /// No field that the published format does not have, at any depth.
  void known(const google::protobuf::Message& message) {
    const auto* reflection = message.GetReflection();
    if (!reflection->GetUnknownFields(message).empty())
      problem("unknown field in " + message.GetDescriptor()->name());
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    reflection->ListFields(message, &fields);
    for (const auto* field : fields) {
      if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
      if (!field->is_repeated()) {
        known(reflection->GetMessage(message, field));
        continue;
      }
      for (int i = 0; i < reflection->FieldSize(message, field); ++i)
        known(reflection->GetRepeatedMessage(message, field, i));
    }
  }

  void packet(const pb::TracePacket& packet, bool first) {
    if (packet.trusted_packet_sequence_id() != 1) problem("another sequence");
    if (packet.sequence_flags() != (first ? 3u : 2u)) problem("wrong sequence flags");
    if (!packet.has_timestamp()) problem("no timestamp");
    if (packet.has_interned_data()) intern(packet.interned_data());
    if (packet.has_track_descriptor()) describe(packet.track_descriptor());
    if (packet.has_track_event()) accept(packet.timestamp(), packet.track_event());
  }

  void intern(const pb::InternedData& data) {
    fill(data.event_categories(), categories_);
    fill(data.event_names(), names_);
    fill(data.debug_annotation_names(), arg_names_);
    fill(data.debug_annotation_string_values(), texts_);
  }
  template <class Entries>
  void fill(const Entries& entries, Table& table) {
    for (const auto& entry : entries) {
      if (entry.iid() == 0) problem("interning number 0");
      if (!table.emplace(entry.iid(), entry.text()).second) problem("interned twice");
    }
  }

  void describe(const pb::TrackDescriptor& track) {
    if (!track.has_uuid()) problem("a track without number");
    if (track.uuid() == 0) {
      if (track.process_ordering() != pb::TrackDescriptor::PROCESSES_EXPLICIT)
        problem("processes are not ordered");
      return;
    }
    TrackInfo info;
    info.name = info.path = track.name();
    info.counter = track.has_counter();
    info.is_process = track.has_process();
    if (track.name().empty()) problem("a track without name");
    if (track.has_process()) {
      info.process = track.process().process_name();
      if (info.process != track.name()) problem("two names for a process");
      if (!view_.pids.emplace(info.process, track.process().pid()).second)
        problem("process " + info.process + " twice");
      if (!pids_.insert(track.process().pid()).second || track.process().pid() <= 0)
        problem("pid of " + info.process);
    } else {
      const auto parent = tracks_.find(track.parent_uuid());
      if (parent == tracks_.end()) {
        problem("track " + track.name() + " before its parent");
        return;
      }
      info.process = parent->second.process;
      if (!parent->second.is_process) info.path = parent->second.path + "/" + track.name();
      if (track.sibling_merge_behavior() != pb::TrackDescriptor::MERGE_NONE)
        problem("track " + track.name() + " may be merged");
    }
    if (!info.counter && track.child_ordering() != pb::TrackDescriptor::EXPLICIT)
      problem("children of " + track.name() + " have no order");
    const std::string key = info.is_process ? info.process : info.process + "/" + info.path;
    if (!view_.uuids.emplace(key, track.uuid()).second) problem("two tracks " + key);
    view_.positions[key] = track.sibling_order_rank();
    if (!tracks_.emplace(track.uuid(), info).second) problem("track number twice: " + key);
  }

  void accept(std::uint64_t time, const pb::TrackEvent& event) {
    const auto found = tracks_.find(event.track_uuid());
    if (found == tracks_.end()) {
      problem("an event before its track");
      return;
    }
    TrackInfo& track = found->second;
    if (track.counter != (event.type() == pb::TrackEvent::COUNTER))
      problem("wrong event on " + track.path);
    if (track.is_process) problem("an event on the process " + track.process);
    if (time < track.last) problem("time goes back on " + track.path);
    track.last = time;
    resolve(event);
    events_.push_back({time, &event});
  }

  /// Everything interned is known by now.
  void resolve(const pb::TrackEvent& event) {
    if (event.has_name_iid() && names_.count(event.name_iid()) == 0) problem("unknown name");
    if (event.type() == pb::TrackEvent::SLICE_BEGIN && !event.has_name_iid()) problem("no name");
    for (const std::uint64_t iid : event.category_iids()) {
      if (categories_.count(iid) == 0) problem("unknown category");
    }
    for (const auto& arg : event.debug_annotations()) {
      if (arg.has_name_iid() && arg_names_.count(arg.name_iid()) == 0) problem("unknown argument");
      if (arg.has_string_value_iid() && texts_.count(arg.string_value_iid()) == 0)
        problem("unknown text");
    }
  }

  void play(const Event& at) {
    const pb::TrackEvent& event = *at.event;
    const TrackInfo& track = tracks_[event.track_uuid()];
    if (event.type() == pb::TrackEvent::COUNTER) {
      const auto [known, added] = counters_.try_emplace(event.track_uuid(), view_.counters.size());
      if (added) view_.counters.push_back({track.process, track.name, {}});
      view_.counters[known->second].points.emplace_back(at.time, event.counter_value());
      return;
    }
    std::vector<std::size_t>& open = open_[event.track_uuid()];
    if (event.type() == pb::TrackEvent::SLICE_BEGIN) {
      Slice slice;
      slice.process = track.process;
      slice.track = track.path;
      slice.name = names_[event.name_iid()];
      if (event.category_iids_size() == 1) slice.category = categories_[event.category_iids(0)];
      slice.start = slice.end = at.time;
      slice.depth = open.size();
      slice.correlation = event.correlation_id();
      for (const auto& arg : event.debug_annotations()) add_arg(slice, arg);
      open.push_back(view_.slices.size());
      view_.slices.push_back(std::move(slice));
      flows(event, open.back());
    } else if (event.type() == pb::TrackEvent::SLICE_END) {
      if (open.empty()) {
        problem("an end without beginning on " + track.path);
        return;
      }
      view_.slices[open.back()].end = at.time;
      flows(event, open.back());
      open.pop_back();
    } else {
      problem("an event of another type");
    }
  }

  void add_arg(Slice& slice, const pb::DebugAnnotation& arg) {
    const std::string name = arg.has_name_iid() ? arg_names_[arg.name_iid()] : arg.name();
    ArgValue value = arg.string_value();
    if (arg.has_bool_value()) value = arg.bool_value();
    if (arg.has_int_value()) value = arg.int_value();
    if (arg.has_double_value()) value = arg.double_value();
    if (arg.has_string_value_iid()) value = texts_[arg.string_value_iid()];
    if (!slice.args.emplace(name, std::move(value)).second) problem("argument twice: " + name);
  }

  void flows(const pb::TrackEvent& event, std::size_t slice) {
    for (const std::uint64_t id : event.flow_ids()) {
      if (!active_.emplace(id, slice).second) problem("a flow begins twice");
      if (!used_.insert(id).second) problem("a flow's number is used again");
    }
    for (const std::uint64_t id : event.terminating_flow_ids()) {
      const auto found = active_.find(id);
      if (found == active_.end()) {
        problem("a flow ends before it begins");
        continue;
      }
      view_.flows.push_back({id, found->second, slice});
      active_.erase(found);
    }
  }

  pb::Trace trace_;
  View view_;
  Table categories_, names_, arg_names_, texts_;
  std::map<std::uint64_t, TrackInfo> tracks_;
  std::set<std::int32_t> pids_;
  std::vector<Event> events_;
  std::map<std::uint64_t, std::vector<std::size_t>> open_;  // by track
  std::map<std::uint64_t, std::size_t> counters_;           // by track
  std::map<std::uint64_t, std::size_t> active_;             // flow → slice
  std::set<std::uint64_t> used_;
};

}  // namespace

View view(std::string_view bytes) { return Reader().read(bytes); }

}  // namespace orrery::oracle
