// SPDX-License-Identifier: Apache-2.0
//
// Interprets the recorded arguments of a communication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/profile/comm.h"
#include "orrery/trace/pytorch/raw_node.h"

namespace orrery::trace::pytorch {

inline constexpr std::size_t kMaximumArguments = 4200;  // the recorder cuts lists at 4097

/// As profile::comm_kind_of_name, but "allreduce_coalesced" is an all-reduce (of several tensors).
[[nodiscard]] profile::CommKind comm_kind_of_name(std::string_view name);

/// `number` if it can be a rank or a number of ranks, else -1.
[[nodiscard]] std::int32_t rank_or_none(std::int64_t number);

/// Total size of some tensors. If their widths differ, `elements` counts bytes.
struct Amount {
  std::int64_t elements = -1;
  std::int32_t width = 0;
};
/// Total size of the tensors among the arguments from `first` up to `end` (exclusive).
[[nodiscard]] Amount amount(const RawNode::IoTexts& side, std::size_t first, std::size_t end);

/// The element type of the first tensor: "float" of "GenericList[Tensor(float)]".
[[nodiscard]] std::string_view dtype_of(const RawNode::IoTexts& side);

/// True for a string that is not a placeholder ("<None>").
[[nodiscard]] bool is_word(std::string_view argument);

/// The arguments of a record: tensors…, sequence, group, rank, name, in splits, out splits; then
/// the size of the group, or first rank, stride and size; then whether it is asynchronous.
struct RecordArguments {
  std::vector<std::string_view> all;
  std::size_t name = 0;     ///< index; all.size(): there is none
  std::size_t tensors = 0;  ///< number of arguments that are tensors or lists of tensors
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
