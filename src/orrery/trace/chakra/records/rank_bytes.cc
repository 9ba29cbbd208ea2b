// SPDX-License-Identifier: Apache-2.0
//
// Encodes protobuf by hand, because these few messages dominate the cost of generating workloads.
#include "orrery/trace/chakra/records/rank_bytes.h"

#include <algorithm>
#include <protozero/varint.hpp>

#include "orrery/core/check.h"
#include "orrery/trace/chakra/records/kernel_attributes.h"
#include "orrery/trace/chakra/records/record.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::trace::chakra {
namespace {

std::size_t varint_size(std::uint64_t value) {
  return static_cast<std::size_t>(protozero::length_of_varint(value));
}

void add_varint(std::string& out, std::uint64_t value) {
  char bytes[protozero::max_varint_length];
  out.append(bytes, static_cast<std::size_t>(protozero::add_varint_to_buffer(bytes, value)));
}

/// The beginning of an attribute up to its value: name (field 1) and the value's tag. See record.h.
struct AttributeHead {
  char bytes[24] = {};
  std::size_t size = 0;

  constexpr AttributeHead(std::string_view name, Member member, std::uint32_t wire) {
    bytes[size++] = 0x0A;
    bytes[size++] = static_cast<char>(name.size());
    for (const char letter : name) bytes[size++] = letter;
    std::uint32_t tag = static_cast<std::uint32_t>(member) << 3 | wire;
    for (; tag >= 0x80; tag >>= 7) bytes[size++] = static_cast<char>((tag & 0x7F) | 0x80);
    bytes[size++] = static_cast<char>(tag);
  }
  [[nodiscard]] std::string_view view() const { return {bytes, size}; }
};

constexpr AttributeHead kIsCpu("is_cpu_op", Member::bool_val, 0);
constexpr AttributeHead kNumOps("num_ops", Member::int64_val, 0);
constexpr AttributeHead kTensorSize("tensor_size", Member::uint64_val, 0);
constexpr AttributeHead kKernel("kernel", Member::int64_val, 0);
constexpr AttributeHead kCommType("comm_type", Member::int64_val, 0);
constexpr AttributeHead kCommSize("comm_size", Member::int64_val, 0);
constexpr AttributeHead kGroup("pg_name", Member::string_val, 2);
constexpr AttributeHead kExperts("experts", Member::string_val, 2);
constexpr AttributeHead kNumbers("comm_dtype", Member::string_val, 2);
constexpr AttributeHead kSource("comm_src", Member::int32_val, 0);
constexpr AttributeHead kTarget("comm_dst", Member::int32_val, 0);
constexpr AttributeHead kTag("comm_tag", Member::int32_val, 0);
constexpr char kAttribute = 10 << 3 | 2;  // Node's field 10

/// Appends an attribute with a number. Its length fits into one byte, because names are short.
void add_attribute(std::string& out, const AttributeHead& head, std::uint64_t value) {
  out += kAttribute;
  out += static_cast<char>(head.size + varint_size(value));
  out += head.view();
  add_varint(out, value);
}

std::uint64_t unsigned_bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

RankBytes::RankBytes(const GroupNumbers& groups, const StringPool& pool,
                     const graph::KernelTable& kernels, std::uint32_t rank)
    : groups_(groups), pool_(pool), rank_(rank), group_texts_(groups.axes().size()) {
  MetadataRecord metadata;
  metadata.version = kVersion;
  add_kernels(kernels, metadata.attributes);
  append_framed(bytes_, metadata);
}

void RankBytes::clear() {
  bytes_.clear();
  group_patches_.clear();
  rank_patches_.clear();
}

void RankBytes::add(const graph::NodeSpec& node) {
  // Reserves two bytes for the length, which is nearly always sufficient.
  const std::size_t begin = bytes_.size();
  const std::size_t groups = group_patches_.size(), ranks = rank_patches_.size();
  bytes_.append(2, '\0');
  if (node.id != 0) {
    bytes_ += char{1 << 3};
    add_varint(bytes_, node.id);
  }
  const std::string_view name = pool_.view(node.name);
  if (!name.empty()) {
    bytes_ += char{2 << 3 | 2};
    add_varint(bytes_, name.size());
    bytes_ += name;
  }
  bytes_ += char{3 << 3};
  add_varint(bytes_, static_cast<std::uint64_t>(node.kind));
  add_dependencies(node.deps);
  add_attribute(bytes_, kIsCpu, 0);
  switch (node.kind) {
    case graph::NodeKind::coll:
      add_collective(node);
      break;
    case graph::NodeKind::send:
    case graph::NodeKind::recv:
      add_message(node);
      break;
    default:
      add_attribute(bytes_, kNumOps, unsigned_bits(node.work.num_ops));
      add_attribute(bytes_, kTensorSize, unsigned_bits(node.work.tensor_size.count()));
      if (node.kernel != graph::kNoKernel) add_attribute(bytes_, kKernel, node.kernel);
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
  protozero::add_varint_to_buffer(&bytes_[begin], length);
}

void RankBytes::add_dependencies(const std::vector<std::uint64_t>& deps) {
  if (deps.empty()) return;
  sorted_ = deps;
  std::sort(sorted_.begin(), sorted_.end());
  std::size_t size = 0;
  for (const std::uint64_t id : sorted_) size += varint_size(id);
  bytes_ += char{5 << 3 | 2};
  add_varint(bytes_, size);
  for (const std::uint64_t id : sorted_) add_varint(bytes_, id);
}

void RankBytes::add_collective(const graph::NodeSpec& node) {
  add_attribute(bytes_, kCommType, static_cast<std::uint64_t>(node.collective.type));
  add_attribute(bytes_, kCommSize, unsigned_bits(node.collective.size.count()));
  const std::size_t axis = axis_of(node.collective.group);
  const std::uint32_t digits = groups_.digits();
  bytes_ += kAttribute;
  bytes_ += static_cast<char>(kGroup.size + 1 + digits);
  bytes_ += kGroup.view();
  bytes_ += static_cast<char>(digits);
  group_patches_.push_back({bytes_.size(), axis});
  bytes_ += group_texts_[axis];
  const auto add_text = [&](const AttributeHead& head, std::string_view text) {
    bytes_ += kAttribute;
    bytes_ += static_cast<char>(head.size + varint_size(text.size()) + text.size());
    bytes_ += head.view();
    add_varint(bytes_, text.size());
    bytes_ += text;
  };
  if (node.collective.exchange) add_text(kExperts, graph::to_text(node.collective.exchange));
  if (node.collective.format != graph::Format::unsaid)
    add_text(kNumbers, graph::name(node.collective.format));
}

void RankBytes::add_message(const graph::NodeSpec& node) {
  ORRERY_CHECK((node.flags & graph::kPeerRelative) != 0);
  add_attribute(bytes_, kCommSize, unsigned_bits(node.message.size.count()));
  add_peer(kSource.view(), node.message.src);
  add_peer(kTarget.view(), node.message.dst);
  add_attribute(bytes_, kTag, unsigned_bits(static_cast<std::int32_t>(node.message.tag)));
}

void RankBytes::add_peer(std::string_view head, std::int32_t distance) {
  const std::uint64_t peer = peer_at(rank_, distance);
  bytes_ += kAttribute;
  bytes_ += static_cast<char>(head.size() + varint_size(peer));
  bytes_ += head;
  rank_patches_.push_back({bytes_.size(), distance});
  add_varint(bytes_, peer);
  if (std::find(distances_.begin(), distances_.end(), distance) == distances_.end())
    distances_.push_back(distance);
}

std::uint64_t RankBytes::peer_at(std::uint32_t rank, std::int32_t distance) {
  const std::int64_t peer = std::int64_t{rank} + distance;
  ORRERY_CHECK(peer >= 0);
  return static_cast<std::uint64_t>(peer);
}

std::size_t RankBytes::axis_of(StringId group) {
  for (const auto& [known, axis] : axes_) {
    if (known == group) return axis;
  }
  const std::vector<graph::GroupAxis>& axes = groups_.axes();
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const graph::GroupAxis& axis) {
    return axis.name == pool_.view(group);
  });
  ORRERY_CHECK(found != axes.end());
  const auto axis = static_cast<std::size_t>(found - axes.begin());
  axes_.emplace_back(group, axis);
  group_texts_[axis] = std::to_string(groups_.of(axis, rank_));
  return axis;
}

bool RankBytes::can_patch_for(std::uint32_t rank) const {
  return std::all_of(distances_.begin(), distances_.end(), [&](std::int32_t distance) {
    return varint_size(peer_at(rank, distance)) == varint_size(peer_at(rank_, distance));
  });
}

void RankBytes::patch_for(std::uint32_t rank) {
  rank_ = rank;
  for (const auto& [group, axis] : axes_) {
    group_texts_[axis] = std::to_string(groups_.of(axis, rank));
  }
  for (const GroupPatch& patch : group_patches_) {
    const std::string& text = group_texts_[patch.axis];
    text.copy(&bytes_[patch.at], text.size());
  }
  for (const RankPatch& patch : rank_patches_) {
    protozero::add_varint_to_buffer(&bytes_[patch.at], peer_at(rank, patch.distance));
  }
}

}  // namespace orrery::trace::chakra
