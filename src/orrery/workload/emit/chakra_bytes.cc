// SPDX-License-Identifier: Apache-2.0
//
// Protobuf by hand: these few messages, written once per role, are most of what generating costs.
#include "orrery/workload/emit/chakra_bytes.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/trace/chakra/record.h"
#include "orrery/trace/chakra/writer.h"

namespace orrery::workload {
namespace {

/// Digits that a number needs: 7 bits each.
std::size_t varint_size(std::uint64_t value) {
  std::size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

char* put_varint(char* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>((value & 0x7F) | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}

void append_varint(std::string& out, std::uint64_t value) {
  char bytes[10];
  out.append(bytes, static_cast<std::size_t>(put_varint(bytes, value) - bytes));
}

/// An attribute up to its value: name (field 1) and the value's tag. See record.h.
struct Head {
  char bytes[24] = {};
  std::size_t size = 0;

  constexpr Head(std::string_view name, trace::chakra::Member member, std::uint32_t wire) {
    bytes[size++] = 0x0A;
    bytes[size++] = static_cast<char>(name.size());
    for (const char letter : name) bytes[size++] = letter;
    std::uint32_t tag = static_cast<std::uint32_t>(member) << 3 | wire;
    for (; tag >= 0x80; tag >>= 7) bytes[size++] = static_cast<char>((tag & 0x7F) | 0x80);
    bytes[size++] = static_cast<char>(tag);
  }
  [[nodiscard]] std::string_view view() const { return {bytes, size}; }
};

using trace::chakra::Member;
constexpr Head kIsCpu("is_cpu_op", Member::bool_val, 0);
constexpr Head kNumOps("num_ops", Member::int64_val, 0);
constexpr Head kTensorSize("tensor_size", Member::uint64_val, 0);
constexpr Head kCommType("comm_type", Member::int64_val, 0);
constexpr Head kCommSize("comm_size", Member::int64_val, 0);
constexpr Head kGroup("pg_name", Member::string_val, 2);
constexpr Head kSource("comm_src", Member::int32_val, 0);
constexpr Head kTarget("comm_dst", Member::int32_val, 0);
constexpr Head kTag("comm_tag", Member::int32_val, 0);
constexpr char kAttribute = 10 << 3 | 2;  // Node's field 10

/// One attribute with a number. Its length takes one byte: names are short.
void append_number(std::string& out, const Head& head, std::uint64_t value) {
  out += kAttribute;
  out += static_cast<char>(head.size + varint_size(value));
  out += head.view();
  append_varint(out, value);
}

/// Calls `use(rank)` for the first rank of each group.
template <class Use>
void for_each_first(const graph::GroupAxis& axis, std::uint32_t ranks, Use use) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (axis.has(rank) && axis.first(rank) == rank) use(rank);
  }
}

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

GroupNumbers::GroupNumbers(const Mesh& mesh, const std::array<bool, kAxes>& used) : mesh_(mesh) {
  std::vector<Axis> axes;
  for (std::size_t a = 0; a < kAxes; ++a) {
    if (used[a] && mesh.extent(static_cast<Axis>(a)) > 1) axes.push_back(static_cast<Axis>(a));
  }
  // Numbers of one axis differ from those of another modulo `step`, a divisor of 500.
  std::uint64_t step = 1;
  for (const std::uint64_t divisor : {20, 10, 5, 4, 2, 1}) {
    if (divisor >= axes.size()) step = divisor;
  }
  const auto ranks = static_cast<std::uint32_t>(mesh.world());
  std::uint64_t most = 0;
  for (const Axis axis : axes) {
    std::uint64_t groups = 0;
    for_each_first(mesh.axis(axis), ranks, [&](std::uint32_t) { ++groups; });
    most = std::max(most, groups * step - 1);
    count_ += groups;
  }
  // Begin at 1, 10, 100 … so that all have as many digits as the largest.
  std::uint64_t begin = 1;
  for (; begin + most >= 10 * begin; begin *= 10) ++digits_;
  ORRERY_CHECK(begin + most < 1u << 31);
  for (std::size_t slot = 0; slot < axes.size(); ++slot) {
    std::vector<std::uint32_t>& by_first = by_first_[static_cast<std::size_t>(axes[slot])];
    by_first.resize(ranks, 0);
    std::uint64_t number = begin + slot;
    for_each_first(mesh.axis(axes[slot]), ranks, [&](std::uint32_t rank) {
      by_first[rank] = static_cast<std::uint32_t>(number);
      number += step;
    });
  }
}

std::vector<GroupNumbers::Group> GroupNumbers::all() const {
  std::vector<Group> groups;
  groups.reserve(count_);
  for (std::size_t a = 0; a < kAxes; ++a) {
    for (std::uint32_t rank = 0; rank < by_first_[a].size(); ++rank) {
      if (by_first_[a][rank] == 0) continue;
      groups.push_back({by_first_[a][rank], static_cast<Axis>(a), rank});
    }
  }
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.number < b.number; });
  return groups;
}

ChakraBytes::ChakraBytes(const GroupNumbers& groups, const StringPool& pool, std::uint32_t rank)
    : groups_(groups), pool_(pool), rank_(rank) {
  trace::chakra::MetadataRecord metadata;
  metadata.version = trace::chakra::kVersion;
  append_framed(bytes_, metadata);
}

void ChakraBytes::clear() {
  bytes_.clear();
  group_patches_.clear();
  rank_patches_.clear();
}

void ChakraBytes::add(const graph::NodeSpec& node) {
  // The length comes first: nearly always two bytes.
  const std::size_t begin = bytes_.size();
  const std::size_t groups = group_patches_.size(), ranks = rank_patches_.size();
  bytes_.append(2, '\0');
  if (node.id != 0) {
    bytes_ += char{1 << 3};
    append_varint(bytes_, node.id);
  }
  const std::string_view name = pool_.view(node.name);
  if (!name.empty()) {
    bytes_ += char{2 << 3 | 2};
    append_varint(bytes_, name.size());
    bytes_ += name;
  }
  bytes_ += char{3 << 3};
  append_varint(bytes_, static_cast<std::uint64_t>(node.kind));
  add_dependencies(node.deps);
  append_number(bytes_, kIsCpu, 0);
  switch (node.kind) {
    case graph::NodeKind::coll:
      add_collective(node);
      break;
    case graph::NodeKind::send:
    case graph::NodeKind::recv:
      add_message(node);
      break;
    default:
      append_number(bytes_, kNumOps, bits(node.work.num_ops));
      append_number(bytes_, kTensorSize, bits(node.work.tensor_size.count()));
      break;
  }
  const std::size_t length = bytes_.size() - begin - 2;
  const std::size_t room = varint_size(length);
  if (room != 2) {
    bytes_.erase(begin, 2);
    bytes_.insert(begin, room, '\0');
    for (std::size_t i = groups; i < group_patches_.size(); ++i) group_patches_[i].at += room - 2;
    for (std::size_t i = ranks; i < rank_patches_.size(); ++i) rank_patches_[i].at += room - 2;
  }
  put_varint(&bytes_[begin], length);
}

void ChakraBytes::add_dependencies(const std::vector<std::uint64_t>& deps) {
  if (deps.empty()) return;
  sorted_ = deps;
  std::sort(sorted_.begin(), sorted_.end());
  std::size_t size = 0;
  for (const std::uint64_t id : sorted_) size += varint_size(id);
  bytes_ += char{5 << 3 | 2};
  append_varint(bytes_, size);
  for (const std::uint64_t id : sorted_) append_varint(bytes_, id);
}

void ChakraBytes::add_collective(const graph::NodeSpec& node) {
  append_number(bytes_, kCommType, static_cast<std::uint64_t>(node.collective.type));
  append_number(bytes_, kCommSize, bits(node.collective.size.count()));
  const Axis axis = axis_of(node.collective.group);
  const std::uint32_t digits = groups_.digits();
  bytes_ += kAttribute;
  bytes_ += static_cast<char>(kGroup.size + 1 + digits);
  bytes_ += kGroup.view();
  bytes_ += static_cast<char>(digits);
  group_patches_.push_back({bytes_.size(), axis});
  bytes_ += group_texts_[static_cast<std::size_t>(axis)];
}

void ChakraBytes::add_message(const graph::NodeSpec& node) {
  ORRERY_CHECK((node.flags & graph::kPeerRelative) != 0);
  append_number(bytes_, kCommSize, bits(node.message.size.count()));
  add_peer(kSource.view(), node.message.src);
  add_peer(kTarget.view(), node.message.dst);
  append_number(bytes_, kTag, bits(static_cast<std::int32_t>(node.message.tag)));
}

void ChakraBytes::add_peer(std::string_view head, std::int32_t distance) {
  const std::uint64_t peer = peer_at(rank_, distance);
  bytes_ += kAttribute;
  bytes_ += static_cast<char>(head.size() + varint_size(peer));
  bytes_ += head;
  rank_patches_.push_back({bytes_.size(), distance});
  append_varint(bytes_, peer);
  if (std::find(distances_.begin(), distances_.end(), distance) == distances_.end())
    distances_.push_back(distance);
}

std::uint64_t ChakraBytes::peer_at(std::uint32_t rank, std::int32_t distance) {
  const std::int64_t peer = std::int64_t{rank} + distance;
  ORRERY_CHECK(peer >= 0);
  return static_cast<std::uint64_t>(peer);
}

Axis ChakraBytes::axis_of(StringId group) {
  for (const auto& [known, axis] : axes_) {
    if (known == group) return axis;
  }
  for (std::size_t a = 0; a < kAxes; ++a) {
    if (name(static_cast<Axis>(a)) != pool_.view(group)) continue;
    const auto axis = static_cast<Axis>(a);
    axes_.emplace_back(group, axis);
    group_texts_[a] = std::to_string(groups_.of(axis, rank_));
    return axis;
  }
  ORRERY_CHECK(!"an axis");
  return Axis::tp;
}

bool ChakraBytes::fits(std::uint32_t rank) const {
  return std::all_of(distances_.begin(), distances_.end(), [&](std::int32_t distance) {
    return varint_size(peer_at(rank, distance)) == varint_size(peer_at(rank_, distance));
  });
}

void ChakraBytes::turn_into(std::uint32_t rank) {
  rank_ = rank;
  for (const auto& [group, axis] : axes_) {
    group_texts_[static_cast<std::size_t>(axis)] = std::to_string(groups_.of(axis, rank));
  }
  for (const GroupPatch& patch : group_patches_) {
    const std::string& text = group_texts_[static_cast<std::size_t>(patch.axis)];
    text.copy(&bytes_[patch.at], text.size());
  }
  for (const RankPatch& patch : rank_patches_) {
    put_varint(&bytes_[patch.at], peer_at(rank, patch.distance));
  }
}

}  // namespace orrery::workload
