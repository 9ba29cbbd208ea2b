// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/comms.h"

#include <algorithm>

#include "orrery/core/limits.h"
#include "orrery/profile/comm_names.h"
#include "orrery/trace/json/json_list.h"
#include "orrery/trace/json/unescape.h"
#include "orrery/trace/kineto/raw_numbers.h"

namespace orrery::trace::kineto {
namespace {

using profile::Comm;
using profile::CommKind;
using profile::Group;
using profile::kNone;

// Maximum, over all groups whose ranks are given only by start and stride.
constexpr std::int64_t kMaxRanks = 1 << 22;

std::int32_t rank_or_none(std::string_view raw) {
  const std::int64_t value = integer_or(raw, -1);
  return value < 0 || value > static_cast<std::int64_t>(limits::kRanks)
             ? -1
             : static_cast<std::int32_t>(value);
}

/// The peer of a send or receive, or the root of a rooted collective.
std::int32_t peer_of(CommKind kind, const Record& record, const Group* group) {
  // record_param_comms also has it as its fourth input.
  std::string_view rank = record[Arg::rank];
  if (rank.empty() && record.has(Arg::concrete) && record.has(Arg::collective)) {
    const auto inputs = json::elements_of(record[Arg::concrete], 4);
    if (inputs.size() == 4) rank = inputs.back();
  }
  if (is_rooted(kind))
    return rank_or_none(record.has(Arg::root_rank) ? record[Arg::root_rank] : rank);
  if (!is_message(kind)) return -1;
  const Arg side = kind == CommKind::send ? Arg::destination_rank : Arg::source_rank;
  if (record.has(side)) return rank_or_none(record[side]);
  const std::int32_t in_group = rank_or_none(rank);
  if (in_group < 0 || group == nullptr) return in_group;
  const auto place = static_cast<std::size_t>(in_group);
  return place < group->ranks.size() ? static_cast<std::int32_t>(group->ranks[place]) : in_group;
}

/// The peer in "send 0->1", "recv 1<-0".
std::int32_t peer_in(std::string_view what) {
  for (const std::string_view arrow : {"->", "<-"}) {
    const std::size_t at = what.find(arrow);
    if (at != std::string_view::npos) return rank_or_none(what.substr(at + 2));
  }
  return -1;
}

/// The first type of a tensor's elements.
std::string_view element_type(std::string_view types) {
  for (const std::string_view type : json::elements_of(types, 64))
    if (profile::element_bytes(unquoted(type)) > 0) return unquoted(type);
  return {};
}

}  // namespace

std::vector<std::uint32_t> parse_ranks(std::string_view text) {
  text = unquoted(text);
  std::vector<std::uint32_t> out;
  if (text.find("...") != std::string_view::npos) return out;
  std::uint64_t value = 0;
  bool digits = false;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(c - '0'),
                                      std::uint64_t{1} << 40);
      digits = true;
      continue;
    }
    if (c != ',' && c != ']' && c != '[' && c != ' ' && c != '\n') return {};
    if (digits && value > limits::kRanks) return {};
    if (digits) out.push_back(static_cast<std::uint32_t>(value));
    digits = false;
    value = 0;
  }
  return digits ? std::vector<std::uint32_t>{} : out;
}

std::int64_t count_elements(std::string_view dims) {
  std::int64_t total = 0, product = 1;
  bool number = false, any = false, filled = false;
  std::int64_t value = 0;
  for (const char c : dims) {
    if (c >= '0' && c <= '9') {
      if (value > (std::int64_t{1} << 56)) return -1;
      value = value * 10 + (c - '0');
      number = true;
      continue;
    }
    if (number) {
      if (__builtin_mul_overflow(product, value, &product)) return -1;
      filled = true;
    }
    number = false;
    value = 0;
    if (c == '[') {
      product = 1;
      filled = false;
    } else if (c == ']' && filled) {
      if (__builtin_add_overflow(total, product, &total)) return -1;
      any = true;
      filled = false;
    }
  }
  return any ? total : -1;
}

std::uint32_t Comms::add(const Record& record) {
  Comm comm;
  const std::string_view collective = unquoted(record[Arg::collective]);
  comm.kind = profile::comm_kind_of_name(collective);
  comm.name = interner_.string(record[Arg::collective]);
  comm.dtype = interner_.string(record[Arg::dtype]);
  comm.element_bytes = profile::element_bytes(unquoted(record[Arg::dtype]));
  comm.in_elements = integer_or(record[Arg::in_elements], -1);
  comm.out_elements = integer_or(record[Arg::out_elements], -1);
  comm.sequence = integer_or(record[Arg::comm_sequence], -1);
  comm.asynchronous = unquoted(record[Arg::asynchronous]) == "true" ||
                      unquoted(record[Arg::asynchronous]) == "True" ||
                      record[Arg::asynchronous] == "1";
  const auto split = [&](Arg arg) {
    const std::string_view text = unquoted(record[arg]);
    return text.empty() || text == "[]" ? StringId::empty : interner_.json(record[arg]);
  };
  comm.in_split = split(Arg::in_split);
  comm.out_split = split(Arg::out_split);
  comm.group = group_of(record);
  const Group* group = comm.group == kNone ? nullptr : &profile_.groups[comm.group];
  if (comm.kind != CommKind::wait) comm.group_size = rank_or_none(record[Arg::group_size]);
  comm.peer = peer_of(comm.kind, record, group);
  profile_.comms.push_back(comm);
  return static_cast<std::uint32_t>(profile_.comms.size() - 1);
}

std::uint32_t Comms::add_named(std::string_view name, const Record& record) {
  const std::string_view what = profile::library_range_operation(name);
  if (what.empty()) return kNone;
  Comm comm;
  comm.kind = profile::comm_kind_of_name(what);
  comm.name = interner_.text(what);
  const std::string_view type = element_type(record[Arg::types]);
  comm.dtype = interner_.text(type);
  comm.element_bytes = profile::element_bytes(type);
  if (comm.element_bytes > 0) comm.in_elements = count_elements(record[Arg::dims]);
  if (is_message(comm.kind)) comm.peer = peer_in(what);
  if (comm.kind == CommKind::all_reduce || comm.kind == CommKind::broadcast)
    comm.out_elements = comm.in_elements;
  profile_.comms.push_back(comm);
  return static_cast<std::uint32_t>(profile_.comms.size() - 1);
}

std::uint32_t Comms::group_of(const Record& record) {
  std::string_view raw = record[Arg::group_name];
  if (raw.empty()) raw = record[Arg::group_id];  // name of the field in early 2024
  std::string_view ranks = unquoted(record[Arg::group_ranks]);
  if (ranks == "[]") ranks = {};
  if (raw.empty() && ranks.empty()) return kNone;
  if (!raw.empty() && raw == last_name_) {
    complete(profile_.groups[last_group_], record);
    return last_group_;
  }
  std::string name;
  json::unescape(unquoted(raw), name);
  const std::string key = raw.empty() ? "\n" + std::string(ranks.substr(0, 4096)) : name;
  auto found = by_name_.find(key);
  if (found == by_name_.end()) {
    found = by_name_.emplace(key, static_cast<std::uint32_t>(profile_.groups.size())).first;
    Group group;
    group.name = name;
    profile_.groups.push_back(group);
  }
  if (!raw.empty()) {
    last_name_ = raw;
    last_group_ = found->second;
  }
  complete(profile_.groups[found->second], record);
  return found->second;
}

/// Waits give the name of their group, but describe another one: of size 1, without ranks.
void Comms::complete(Group& group, const Record& record) {
  if (group.description.empty() && record.has(Arg::group_description))
    json::unescape(unquoted(record[Arg::group_description]), group.description);
  if (!group.ranks.empty() ||
      profile::comm_kind_of_name(unquoted(record[Arg::collective])) == CommKind::wait)
    return;
  const std::int32_t size = rank_or_none(record[Arg::group_size]);
  if (size > 0) group.size = size;
  group.ranks = parse_ranks(record[Arg::group_ranks]);
  const std::int64_t start = integer_or(record[Arg::rank_start], -1);
  const std::int64_t stride = integer_or(record[Arg::rank_stride], -1);
  if (!group.ranks.empty() || start < 0 || stride <= 0 || size <= 0) return;
  const auto max_rank = static_cast<std::int64_t>(limits::kRanks);
  if (start > max_rank || stride > max_rank || start + stride * (size - 1) > max_rank) return;
  if (derived_ranks_ + size > kMaxRanks) return;
  derived_ranks_ += size;
  for (std::int64_t i = 0; i < size; ++i)
    group.ranks.push_back(static_cast<std::uint32_t>(start + stride * i));
}

void Comms::add_group(Group group) { header_groups_.push_back(std::move(group)); }

void Comms::finish() {
  for (Group& described : header_groups_) {
    const auto found = by_name_.find(described.name);
    if (found == by_name_.end()) {
      by_name_.emplace(described.name, static_cast<std::uint32_t>(profile_.groups.size()));
      profile_.groups.push_back(std::move(described));
      continue;
    }
    Group& group = profile_.groups[found->second];
    if (group.ranks.empty() || !described.ranks.empty()) group.ranks = std::move(described.ranks);
    if (group.description.empty()) group.description = std::move(described.description);
    if (group.backend.empty()) group.backend = std::move(described.backend);
    if (described.size > 0) group.size = described.size;
  }
  header_groups_.clear();
  for (Group& group : profile_.groups)
    if (!group.ranks.empty()) group.size = static_cast<std::int32_t>(group.ranks.size());
}

}  // namespace orrery::trace::kineto
