// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/comms.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "orrery/profile/comm_names.h"
#include "orrery/trace/json/json_list.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/pytorch/comm_arguments.h"
#include "orrery/trace/pytorch/json_scalar.h"

namespace orrery::trace::pytorch {

namespace {

using profile::Comm;
using profile::CommKind;
using profile::EventId;
using profile::kNoEvent;
using profile::kNone;

/// A list of splits, if it is neither empty nor shortened.
std::string_view split_of(std::string_view attribute, std::string_view argument) {
  attribute = json::trim(attribute);
  if (attribute.empty() || attribute.find("...") != std::string_view::npos) attribute = argument;
  return attribute == "[]" ? std::string_view{} : attribute;
}

}  // namespace

CommLayer comm_layer_of(std::string_view name) {
  if (name == "record_param_comms") return CommLayer::record;
  const bool framework = profile::is_framework_communication(name);
  if ((!framework && !profile::is_library_range(name)) ||
      comm_kind_of_name(name) == CommKind::unknown)
    return CommLayer::none;
  return framework ? CommLayer::framework : CommLayer::library;
}

bool Comms::describe_groups(const RawNode& node, std::uint64_t& ignored) {
  const auto arguments = json::elements_of(node.in.values, 1);
  if (arguments.empty()) return false;
  const bool direct = !arguments.front().starts_with('"');
  return groups_.describe(direct ? node.in.values : string_value(arguments.front()), ignored);
}

std::uint32_t Comms::add(const RawNode& node) {
  switch (comm_layer_of(node.name)) {
    case CommLayer::none:
      return node.comm_name.empty() ? kNone : add_record(node);
    case CommLayer::framework:
      return add_framework_call(node);
    case CommLayer::record:
      return add_record(node);
    case CommLayer::library:
      return add_library_range(node);
  }
  return kNone;
}

std::uint32_t Comms::add_comm(const RawNode& node, Comm comm) {
  if (comm.dtype == StringId::empty) {
    const RawNode::IoTexts& side = dtype_of(node.in).empty() ? node.out : node.in;
    comm.dtype = profile_.strings->intern(dtype_of(side));
  }
  profile_.comms.push_back(comm);
  return static_cast<std::uint32_t>(profile_.comms.size() - 1);
}

std::uint32_t Comms::group_of(const RawNode& node, const RecordArguments& arguments,
                              std::int64_t size) {
  if (!node.comm_group.empty())
    return groups_.named(node.comm_group, node.comm_group_description, size);
  if (arguments.group.starts_with('[')) {
    const auto names = json::elements_of(arguments.group, 2);
    return groups_.named(string_value(names.empty() ? "" : names[0]),
                         string_value(names.size() < 2 ? "" : names[1]), size);
  }
  if (is_word(arguments.group)) return groups_.named(string_value(arguments.group), {}, size);
  return groups_.at_address(integer(arguments.group).value_or(0), size);
}

/// Sets the sizes of a record: from its attributes, else from its tensors.
void set_amounts(const RawNode& node, const RecordArguments& arguments, Comm& comm) {
  const Amount in = amount(node.in, 0, arguments.tensors);
  const Amount out = amount(node.out, 0, kMaximumArguments);
  const std::int32_t width = in.width != 0 ? in.width : out.width;
  if (node.comm_in_elements >= 0 || node.comm_out_elements >= 0) {
    comm.in_elements = node.comm_in_elements;
    comm.out_elements = node.comm_out_elements;
    comm.element_bytes = profile::element_bytes(node.comm_dtype);
    if (comm.element_bytes == 0) comm.element_bytes = width;
    return;
  }
  comm.in_elements = in.elements;
  comm.out_elements = out.elements;
  comm.element_bytes = width;
  if (in.width == 0 || out.width == 0 || in.width == out.width) return;
  comm.in_elements *= in.width;  // different widths: both in bytes
  comm.out_elements *= out.width;
  comm.element_bytes = 1;
}

std::uint32_t Comms::add_record(const RawNode& node) {
  const RecordArguments arguments(node.in.values);
  StringPool& strings = *profile_.strings;
  const std::string name = node.comm_name.empty() && arguments.name < arguments.all.size()
                               ? string_value(arguments.all[arguments.name])
                               : std::string(node.comm_name);
  if (name == "init") return kNone;  // the creation of a communicator
  Comm comm;
  comm.kind = comm_kind_of_name(name);
  comm.name = strings.intern(name);
  comm.dtype = strings.intern(node.comm_dtype);
  set_amounts(node, arguments, comm);
  comm.sequence = arguments.sequence;
  comm.in_split = strings.intern(split_of(node.comm_in_split, arguments.in_split));
  comm.out_split = strings.intern(split_of(node.comm_out_split, arguments.out_split));
  comm.asynchronous = node.comm_asynchronous || arguments.asynchronous;
  const std::int64_t size = node.comm_group_size >= 0 ? node.comm_group_size : arguments.size;
  comm.group = group_of(node, arguments, size);
  if (comm.group != ~0u) comm.group_size = rank_or_none(size);
  if (is_rooted(comm.kind)) comm.peer = rank_or_none(arguments.rank);
  const std::uint32_t at = add_comm(node, comm);
  const bool strided = node.comm_rank_stride >= 0;
  note_rank(at, arguments.rank, strided ? node.comm_rank_start : arguments.start,
            strided ? node.comm_rank_stride : arguments.stride);
  return at;
}

void Comms::note_rank(std::uint32_t comm, std::int64_t in_group, std::int64_t start,
                      std::int64_t stride) {
  if (rank_or_none(in_group) < 0) return;
  if (rank_or_none(start) < 0 || rank_or_none(stride) <= 0) start = stride = -1;
  const Comm& what = profile_.comms[comm];
  if (is_message(what.kind)) peers_.push_back({comm, in_group, start, stride});
  // Only then is the rank in a record the rank itself, not a root or peer.
  if (!is_symmetric(what.kind) || what.group == ~0u || own_ranks_.size() >= 64) return;
  for (const OwnRank& known : own_ranks_) {
    if (known.group == what.group && known.in_group == in_group) return;
  }
  own_ranks_.push_back({what.group, in_group, start, stride});
}

std::uint32_t Comms::add_framework_call(const RawNode& node) {
  Comm comm;
  comm.kind = comm_kind_of_name(node.name);
  comm.name = profile_.strings->intern(node.name);
  // c10d's collectives with two buffers have the output first; functional ones return it.
  const bool output_first = node.name.starts_with("c10d::") && !is_message(comm.kind) &&
                            comm.kind != CommKind::all_reduce && comm.kind != CommKind::broadcast &&
                            comm.kind != CommKind::reduce && comm.kind != CommKind::barrier &&
                            comm.kind != CommKind::wait;
  const Amount in = amount(node.in, output_first ? 1 : 0, output_first ? 2 : 1);
  const Amount out = output_first ? amount(node.in, 0, 1) : amount(node.out, 0, kMaximumArguments);
  comm.in_elements = in.elements;
  comm.element_bytes = in.width != 0 ? in.width : out.width;
  if (out.width == comm.element_bytes) comm.out_elements = out.elements;
  std::int64_t number = -1;
  std::string_view word;
  for (const std::string_view argument : json::elements_of(node.in.values, 16)) {
    const auto value = is_word(argument) ? std::nullopt : integer(argument);
    if (number < 0 && value) number = *value;
    if (is_word(argument)) word = argument;
  }
  // The last string argument of a functional collective is its group.
  if (!node.name.starts_with("c10d::")) comm.group = groups_.named(string_value(word), {}, -1);
  if (is_rooted(comm.kind) || is_message(comm.kind)) comm.peer = rank_or_none(number);
  const std::uint32_t at = add_comm(node, comm);
  if (is_message(comm.kind)) note_rank(at, number, -1, -1);
  return at;
}

std::uint32_t Comms::add_library_range(const RawNode& node) {
  Comm comm;
  comm.kind = comm_kind_of_name(node.name);
  comm.name = profile_.strings->intern(node.name);
  const Amount in = amount(node.in, 0, kMaximumArguments);
  comm.in_elements = in.elements;
  comm.element_bytes = in.width;
  const std::uint32_t at = add_comm(node, comm);
  // "nccl:send 0->1", "nccl:recv 1<-0": this rank is first
  const std::size_t arrow = node.name.find_first_of("<>");
  if (is_message(comm.kind) && arrow != std::string_view::npos) {
    const auto peer = integer(
        node.name.substr(std::min(node.name.find_first_of("0123456789", arrow), node.name.size())));
    if (peer) {
      profile_.comms[at].peer = rank_or_none(*peer);
      note_rank(at, *peer, -1, -1);
    }
  }
  return at;
}

namespace {

/// Merges the values of two layers of one communication: `detailed` has priority, `general` fills
/// the gaps.
Comm merged_layers(Comm detailed, const Comm& general) {
  const auto fill = [](auto& into, const auto& from, auto silent) {
    if (into == silent) into = from;
  };
  fill(detailed.kind, general.kind, CommKind::unknown);
  if (detailed.in_elements < 0 && detailed.out_elements < 0)
    detailed.element_bytes = general.element_bytes;
  if (detailed.element_bytes == general.element_bytes || detailed.element_bytes == 0) {
    detailed.element_bytes = general.element_bytes;
    fill(detailed.in_elements, general.in_elements, -1);
    fill(detailed.out_elements, general.out_elements, -1);
  }
  fill(detailed.sequence, general.sequence, -1);
  fill(detailed.peer, general.peer, -1);
  fill(detailed.group_size, general.group_size, -1);
  fill(detailed.group, general.group, ~0u);
  fill(detailed.name, general.name, StringId::empty);
  fill(detailed.dtype, general.dtype, StringId::empty);
  fill(detailed.in_split, general.in_split, StringId::empty);
  fill(detailed.out_split, general.out_split, StringId::empty);
  detailed.asynchronous |= general.asynchronous;
  return detailed;
}

bool can_be_same(const Comm& a, const Comm& b) {
  return a.kind == b.kind || a.kind == CommKind::unknown || b.kind == CommKind::unknown;
}

/// Index of a host event's communication, or kNone.
std::uint32_t& comm_of(profile::Profile& profile, EventId event) {
  return profile.ops[profile.events[event].detail].comm;
}

bool has_op(const profile::Event& event) {
  return event.kind == profile::Kind::op || event.kind == profile::Kind::annotation;
}

}  // namespace

EventId Comms::enclosing(EventId event, CommLayer layer) const {
  EventId around = profile_.events[event].parent;
  for (int steps = 0; steps < 8 && around != kNoEvent; ++steps) {
    if (has_op(profile_.events[around]) && comm_of(profile_, around) != kNone &&
        comm_layer_of(profile_.name(around)) < layer)
      return around;
    around = profile_.events[around].parent;
  }
  return kNoEvent;
}

void Comms::share_comms(std::uint32_t lane, std::vector<CommLayer>& deepest) {
  EventId before = kNoEvent;  // the previous event with a communication
  for (const EventId e : profile_.in_order(lane)) {
    if (!has_op(profile_.events[e]) || comm_of(profile_, e) == kNone) continue;
    const CommLayer layer = comm_layer_of(profile_.name(e));
    Comm& own = profile_.comms[comm_of(profile_, e)];
    deepest[comm_of(profile_, e)] = layer;
    EventId outer = enclosing(e, layer);
    // Some libraries annotate only after the framework's operator has returned.
    const bool inside = outer != kNoEvent;
    if (!inside && before != kNoEvent &&
        profile_.comms[comm_of(profile_, before)].in_elements == own.in_elements)
      outer = before;
    before = e;
    if (outer == kNoEvent) continue;
    const std::uint32_t theirs = comm_of(profile_, outer);
    Comm& other = profile_.comms[theirs];
    if (deepest[theirs] < layer && can_be_same(other, own)) {
      other = layer == CommLayer::record ? merged_layers(own, other) : merged_layers(other, own);
      deepest[theirs] = layer;
      comm_of(profile_, e) = theirs;
    } else if (inside && own.group == ~0u) {  // one of several in the record of a group
      own.group = other.group;
      own.group_size = other.group_size;
    }
  }
}

void Comms::resolve_peers() {
  for (const Peer& peer : peers_) {
    Comm& comm = profile_.comms[peer.comm];
    const std::vector<std::uint32_t>* ranks =
        comm.group == ~0u ? nullptr : &profile_.groups[comm.group].ranks;
    std::int64_t global = peer.in_group;
    if (ranks != nullptr && !ranks->empty()) {
      global = static_cast<std::size_t>(global) < ranks->size()
                   ? (*ranks)[static_cast<std::size_t>(global)]
                   : -1;
    } else if (peer.stride > 0) {
      global = peer.start + peer.in_group * peer.stride;
    }
    comm.peer = rank_or_none(global);
  }
}

void Comms::resolve_ranks() {
  const auto world = groups_.world();
  if (world && profile_.groups[*world].size > 0) {
    profile_.world_size = static_cast<std::uint32_t>(profile_.groups[*world].size);
    profile_.backend = library_of_backend(profile_.groups[*world].backend);
  }
  std::vector<std::uint32_t> found;
  for (const OwnRank& own : own_ranks_) {
    const std::vector<std::uint32_t>& ranks = profile_.groups[own.group].ranks;
    if (!ranks.empty()) {
      if (static_cast<std::size_t>(own.in_group) < ranks.size())
        found.push_back(ranks[static_cast<std::size_t>(own.in_group)]);
    } else if (own.stride > 0) {
      const std::int32_t rank = rank_or_none(own.start + own.in_group * own.stride);
      if (rank >= 0) found.push_back(static_cast<std::uint32_t>(rank));
    } else if (world == own.group) {
      found.push_back(static_cast<std::uint32_t>(own.in_group));
    }
  }
  // Only if all communications agree.
  if (found.empty() ||
      std::adjacent_find(found.begin(), found.end(), std::not_equal_to<>()) != found.end())
    return;
  if (!profile_.world_size || found.front() < *profile_.world_size) profile_.rank = found.front();
}

void Comms::finish() {
  resolve_peers();
  resolve_ranks();
  std::vector<CommLayer> deepest(profile_.comms.size(), CommLayer::none);
  for (std::uint32_t lane = 0; lane < profile_.lanes.size(); ++lane) {
    if (!profile_.lanes[lane].device) share_comms(lane, deepest);
  }
}

void Comms::drop_unused() {
  std::vector<std::uint32_t> now(profile_.comms.size(), kNone);
  std::vector<Comm> retained;
  const auto keep = [&](std::uint32_t& comm) {
    if (comm == kNone) return;
    if (now[comm] == kNone) {
      now[comm] = static_cast<std::uint32_t>(retained.size());
      retained.push_back(profile_.comms[comm]);
    }
    comm = now[comm];
  };
  for (std::size_t i = 0; i < profile_.ops.size(); ++i) keep(profile_.ops[i].comm);
  for (std::size_t i = 0; i < profile_.works.size(); ++i) keep(profile_.works[i].comm);
  profile_.comms = std::move(retained);
}

}  // namespace orrery::trace::pytorch
