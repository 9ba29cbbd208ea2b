// SPDX-License-Identifier: Apache-2.0
//
// What the recorded arguments of a communication mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/profile/comm.h"
#include "orrery/trace/pytorch/raw_node.h"

namespace orrery::trace::pytorch {

inline constexpr std::size_t kMaximumArguments = 4200;  // the recorder cuts lists at 4097

/// As profile::comm_kind_named, but "allreduce_coalesced" is an all-reduce (of several tensors).
[[nodiscard]] profile::CommKind comm_kind_named(std::string_view name);
/// Whether all ranks do the same, so that the rank in a record is its own and no root or peer.
[[nodiscard]] bool is_symmetric(profile::CommKind kind);
[[nodiscard]] bool is_rooted(profile::CommKind kind);
[[nodiscard]] bool is_point_to_point(profile::CommKind kind);

/// `number` if it can be a rank or a number of ranks, else -1.
[[nodiscard]] std::int32_t rank_or_none(std::int64_t number);

/// Of some tensors together. Where they differ in width, elements are bytes.
struct Amount {
  std::int64_t elements = -1;
  std::int32_t width = 0;
};
/// The tensors among the arguments from `first` on, before `end`.
[[nodiscard]] Amount amount(const RawNode::Side& side, std::size_t first, std::size_t end);

/// The element type of the first tensor: "float" of "GenericList[Tensor(float)]".
[[nodiscard]] std::string_view dtype_of(const RawNode::Side& side);

/// A string that is not a stand-in for something else ("<None>").
[[nodiscard]] bool is_word(std::string_view argument);

/// A record's arguments: tensors…, sequence, group, rank, name, in splits, out splits, then the
/// group's size, or first rank, stride and size, and whether it is asynchronous.
struct RecordArguments {
  std::vector<std::string_view> all;
  std::size_t name = 0;     ///< all.size() = there is none
  std::size_t tensors = 0;  ///< how many are tensors, or lists of them
  std::int64_t sequence = -1, rank = -1;
  std::string_view group;  ///< an address, or a list of two strings
  std::string_view in_split, out_split;
  std::int64_t start = -1, stride = -1, size = -1;
  bool asynchronous = false;

  explicit RecordArguments(std::string_view values);

 private:
  void before(std::size_t end);
  void after(std::size_t at);
};

}  // namespace orrery::trace::pytorch
