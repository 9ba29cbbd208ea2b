// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/comm_arguments.h"

#include <string>

#include "orrery/core/limits.h"
#include "orrery/profile/tensors.h"
#include "orrery/trace/json/json_list.h"
#include "orrery/trace/pytorch/json_scalar.h"

namespace orrery::trace::pytorch {
namespace {

using profile::CommKind;

class AmountSum {
 public:
  void add(const profile::Tensor& tensor) {
    std::uint64_t bytes = 0;
    bad_ |= __builtin_mul_overflow(tensor.elements, tensor.width, &bytes) ||
            __builtin_add_overflow(bytes_, bytes, &bytes_) || bytes_ >> 62 != 0 ||
            tensor.width > 1024;
    if (bad_) return;
    any_ = true;
    if (width_ == 0) width_ = tensor.width;
    if (tensor.elements == 0) return;
    elements_ += tensor.elements;
    mixed_ |= width_ != tensor.width;
  }
  [[nodiscard]] Amount sum() const {
    if (bad_ || !any_) return {};
    if (mixed_) return {static_cast<std::int64_t>(bytes_), 1};
    return {static_cast<std::int64_t>(elements_), static_cast<std::int32_t>(width_)};
  }

 private:
  std::uint64_t elements_ = 0, bytes_ = 0, width_ = 0;
  bool any_ = false, mixed_ = false, bad_ = false;
};

}  // namespace

CommKind comm_kind_of_name(std::string_view name) {
  const CommKind kind = profile::comm_kind_of_name(name);
  return kind == CommKind::coalesced ? profile::coalesced_kind(name) : kind;
}

std::int32_t rank_or_none(std::int64_t number) {
  return number >= 0 && number < static_cast<std::int64_t>(limits::kRanks)
             ? static_cast<std::int32_t>(number)
             : -1;
}

Amount amount(const RawNode::IoTexts& side, std::size_t first, std::size_t end) {
  AmountSum sum;
  profile::Tensors tensors(side.values, side.types);
  for (profile::Tensor tensor; tensors.next(tensor) && tensors.argument() < end;) {
    if (tensors.argument() >= first) sum.add(tensor);
  }
  return sum.sum();
}

std::string_view dtype_of(const RawNode::IoTexts& side) {
  const std::size_t at = side.types.find("Tensor(");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = side.types.substr(at + 7);
  return rest.substr(0, rest.find(')'));
}

bool is_word(std::string_view argument) {
  return argument.starts_with('"') && !argument.starts_with("\"<");
}

RecordArguments::RecordArguments(std::string_view values)
    : all(json::elements_of(values, kMaximumArguments)) {
  name = all.size();
  while (name > 0 && !is_word(all[name - 1])) --name;
  if (name == 0) {
    name = all.size();
    return;
  }
  before(--name);
  after(name + 1);
}

void RecordArguments::before(std::size_t end) {
  tensors = end;
  if (end == 0 || all[end - 1].starts_with('[')) return;
  rank = integer(all[--end]).value_or(-1);
  tensors = end;
  if (end == 0) return;
  const std::string_view place = all[end - 1];
  if (place.starts_with("[") && !place.starts_with("[\"")) return;  // a tensor: schema 1.0.0
  group = place;
  tensors = --end;
  if (end == 0) return;
  // [number, whether it is point-to-point] in later versions
  std::string_view number = all[end - 1];
  if (number.ends_with("true]") || number.ends_with("false]")) {
    const auto elements = json::elements_of(number, 1);
    number = elements.empty() ? std::string_view() : elements.front();
  }
  if (const auto value = integer(number)) {
    sequence = *value;
    tensors = end - 1;
  }
}
void RecordArguments::after(std::size_t at) {
  if (at < all.size() && all[at].starts_with('[')) in_split = all[at++];
  if (at < all.size() && all[at].starts_with('[')) out_split = all[at++];
  std::vector<std::int64_t> numbers;
  for (; at < all.size(); ++at) {
    if (const auto number = integer(all[at])) numbers.push_back(*number);
    asynchronous |= all[at] == "true";
  }
  if (numbers.size() == 1) size = numbers[0];
  if (numbers.size() < 3) return;
  start = numbers[0];
  stride = numbers[1];
  size = numbers[2];
}

}  // namespace orrery::trace::pytorch
