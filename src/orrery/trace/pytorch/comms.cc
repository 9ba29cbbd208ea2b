// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/comms.h"

#include <algorithm>
#include <array>
#include <string>

#include "orrery/trace/json/list.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/pytorch/comm_arguments.h"
#include "orrery/trace/pytorch/scalar.h"

namespace orrery::trace::pytorch {
namespace {

using profile::Comm;
using profile::CommKind;
using profile::kNone;

/// A list of splits worth keeping: not empty, not shortened.
std::string_view split_of(std::string_view attribute, std::string_view argument) {
  attribute = json::trim(attribute);
  if (attribute.empty() || attribute.find("...") != std::string_view::npos) attribute = argument;
  return attribute == "[]" ? std::string_view{} : attribute;
}

}  // namespace

CommLayer comm_layer_of(std::string_view name) {
  if (name == "record_param_comms") return CommLayer::record;
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return CommLayer::none;
  const std::string_view prefix = name.substr(0, colon);
  constexpr std::array<std::string_view, 4> kFrameworks = {
      "c10d", "_c10d_functional", "c10d_functional", "_c10d_functional_autograd"};
  constexpr std::array<std::string_view, 12> kLibraries = {
      "nccl", "gloo", "mpi", "ucc", "rccl", "xccl", "hccl", "cncl", "mccl", "eccl", "ccl", "tccl"};
  const bool twice = name.substr(colon).starts_with("::");
  const auto is = [&](std::string_view known) { return known == prefix; };
  const bool known = twice ? std::any_of(kFrameworks.begin(), kFrameworks.end(), is)
                           : std::any_of(kLibraries.begin(), kLibraries.end(), is);
  if (!known || comm_kind_of(name) == CommKind::unknown) return CommLayer::none;
  return twice ? CommLayer::framework : CommLayer::library;
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
      return node.comm_name.empty() ? kNone : record(node);
    case CommLayer::framework:
      return framework(node);
    case CommLayer::record:
      return record(node);
    case CommLayer::library:
      return library(node);
  }
  return kNone;
}

std::uint32_t Comms::keep(const RawNode& node, Comm comm) {
  if (comm.dtype == StringId::empty) {
    const RawNode::Side& side = dtype_of(node.in).empty() ? node.out : node.in;
    comm.dtype = profile_.strings->intern(dtype_of(side));
  }
  profile_.comms.push_back(comm);
  return static_cast<std::uint32_t>(profile_.comms.size() - 1);
}

std::uint32_t Comms::group_of(const RawNode& node, const RecordArguments& said, std::int64_t size) {
  if (!node.comm_group.empty())
    return groups_.named(node.comm_group, node.comm_group_description, size);
  if (said.group.starts_with('[')) {
    const auto names = json::elements_of(said.group, 2);
    return groups_.named(string_value(names.empty() ? "" : names[0]),
                         string_value(names.size() < 2 ? "" : names[1]), size);
  }
  if (is_word(said.group)) return groups_.named(string_value(said.group), {}, size);
  return groups_.at_address(integer(said.group).value_or(0), size);
}

/// How much a record moves: by its attributes, else by its tensors.
void set_amounts(const RawNode& node, const RecordArguments& said, Comm& comm) {
  const Amount in = amount(node.in, 0, said.tensors);
  const Amount out = amount(node.out, 0, kMostArguments);
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
  comm.in_elements *= in.width;  // of different width: both in bytes
  comm.out_elements *= out.width;
  comm.element_bytes = 1;
}

std::uint32_t Comms::record(const RawNode& node) {
  const RecordArguments said(node.in.values);
  StringPool& strings = *profile_.strings;
  const std::string name = node.comm_name.empty() && said.name < said.all.size()
                               ? string_value(said.all[said.name])
                               : std::string(node.comm_name);
  if (name == "init") return kNone;  // the making of a communicator
  Comm comm;
  comm.kind = comm_kind_of(name);
  comm.name = strings.intern(name);
  comm.dtype = strings.intern(node.comm_dtype);
  set_amounts(node, said, comm);
  comm.sequence = said.sequence;
  comm.in_split = strings.intern(split_of(node.comm_in_split, said.in_split));
  comm.out_split = strings.intern(split_of(node.comm_out_split, said.out_split));
  comm.asynchronous = node.comm_asynchronous || said.asynchronous;
  const std::int64_t size = node.comm_group_size >= 0 ? node.comm_group_size : said.size;
  comm.group = group_of(node, said, size);
  if (comm.group != ~0u) comm.group_size = rank_or_none(size);
  if (is_rooted(comm.kind)) comm.peer = rank_or_none(said.rank);
  const std::uint32_t at = keep(node, comm);
  const bool strided = node.comm_rank_stride >= 0;
  note_rank(at, said.rank, strided ? node.comm_rank_start : said.start,
            strided ? node.comm_rank_stride : said.stride);
  return at;
}

void Comms::note_rank(std::uint32_t comm, std::int64_t in_group, std::int64_t start,
                      std::int64_t stride) {
  if (rank_or_none(in_group) < 0) return;
  if (rank_or_none(start) < 0 || rank_or_none(stride) <= 0) start = stride = -1;
  const Comm& what = profile_.comms[comm];
  if (is_point_to_point(what.kind)) peers_.push_back({comm, in_group, start, stride});
  if (!is_symmetric(what.kind) || what.group == ~0u || own_ranks_.size() >= 64) return;
  for (const OwnRank& known : own_ranks_) {
    if (known.group == what.group && known.in_group == in_group) return;
  }
  own_ranks_.push_back({what.group, in_group, start, stride});
}

std::uint32_t Comms::framework(const RawNode& node) {
  Comm comm;
  comm.kind = comm_kind_of(node.name);
  comm.name = profile_.strings->intern(node.name);
  // c10d's collectives with two buffers have the output first, the functional ones return it.
  const bool output_first = node.name.starts_with("c10d::") && !is_point_to_point(comm.kind) &&
                            comm.kind != CommKind::all_reduce && comm.kind != CommKind::broadcast &&
                            comm.kind != CommKind::reduce && comm.kind != CommKind::barrier &&
                            comm.kind != CommKind::wait;
  const Amount in = amount(node.in, output_first ? 1 : 0, output_first ? 2 : 1);
  const Amount out = output_first ? amount(node.in, 0, 1) : amount(node.out, 0, kMostArguments);
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
  // A functional collective's last word is its group.
  if (!node.name.starts_with("c10d::")) comm.group = groups_.named(string_value(word), {}, -1);
  if (is_rooted(comm.kind) || is_point_to_point(comm.kind)) comm.peer = rank_or_none(number);
  const std::uint32_t at = keep(node, comm);
  if (is_point_to_point(comm.kind)) note_rank(at, number, -1, -1);
  return at;
}

std::uint32_t Comms::library(const RawNode& node) {
  Comm comm;
  comm.kind = comm_kind_of(node.name);
  comm.name = profile_.strings->intern(node.name);
  const Amount in = amount(node.in, 0, kMostArguments);
  comm.in_elements = in.elements;
  comm.element_bytes = in.width;
  const std::uint32_t at = keep(node, comm);
  // "nccl:send 0->1", "nccl:recv 1<-0": from this rank's point of view
  const std::size_t arrow = node.name.find_first_of("<>");
  if (is_point_to_point(comm.kind) && arrow != std::string_view::npos) {
    const auto peer = integer(
        node.name.substr(std::min(node.name.find_first_of("0123456789", arrow), node.name.size())));
    if (peer) {
      profile_.comms[at].peer = rank_or_none(*peer);
      note_rank(at, *peer, -1, -1);
    }
  }
  return at;
}

}  // namespace orrery::trace::pytorch
