// SPDX-License-Identifier: Apache-2.0
//
// What each attribute does to a node.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "orrery/trace/chakra/attribute.h"

namespace orrery::trace::chakra {
namespace {

using graph::NodeSpec;
using Kind = Scalar::Kind;

constexpr std::int64_t kMaxAmount = std::int64_t{1} << 62;
constexpr std::int64_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxTag = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxDims = 32;

/// A tensor's size: digits, usually followed by ".0".
std::optional<std::int64_t> size_of(std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 2 && digits.substr(digits.size() - 2) == ".0") digits.remove_suffix(2);
  std::int64_t whole = 0;
  const char* end = digits.data() + digits.size();
  if (const auto [stop, error] = std::from_chars(digits.data(), end, whole);
      error == std::errc{} && stop == end && whole >= 0 && whole <= kMaxAmount) {
    return whole;
  }
  double size = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || stop != text.data() + text.size() || !(size >= 0 && size < 4.6e18))
    return std::nullopt;
  return static_cast<std::int64_t>(std::floor(size));
}

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

/// As writers in several languages spell it.
bool says_true(std::string_view text) { return text == "true" || text == "True" || text == "1"; }

}  // namespace

void Decoding::apply(AttrId id, const Scalar& value, NodeSpec& node) {
  const std::uint64_t bit = 1ull << static_cast<unsigned>(id);
  if ((seen_ & bit) != 0) return;
  seen_ |= bit;
  if (value.kind == Kind::none) {  // no member set: an empty list, or as good as not there
    if (id == AttrId::inputs) tensor_lists_ |= 1;
    if (id == AttrId::outputs) tensor_lists_ |= 2;
    return;
  }
  switch (id) {
    case AttrId::other:
      return;
    case AttrId::is_cpu_op:
      node.flags |= graph::kHasCpuAttr;
      if (value.kind == Kind::text ? says_true(value.text)
                                   : integer(id, value, kLowest, kHighest) != 0)
        node.flags |= graph::kIsCpu;
      return;
    case AttrId::is_copy:
    case AttrId::is_comm:
    case AttrId::is_wait:
      if (integer(id, value, 0, 1) != 0)
        node.flags |= id == AttrId::is_copy   ? graph::kIsCopy
                      : id == AttrId::is_comm ? graph::kIsComm
                                              : graph::kIsWait;
      return;
    case AttrId::num_ops:
      node.work.num_ops = integer(id, value, 0, kMaxAmount);
      node.flags |= graph::kHasNumOps;
      return;
    case AttrId::tensor_size:
      node.work.tensor_size = Bytes(integer(id, value, 0, kMaxAmount));
      node.flags |= graph::kHasTensorSize;
      return;
    case AttrId::comm_type: {
      const std::int64_t type = integer(id, value, kLowest, kHighest);
      const bool known =
          type >= 0 && type < static_cast<std::int64_t>(graph::CollectiveType::unknown);
      node.collective.type =
          known ? static_cast<graph::CollectiveType>(type) : graph::CollectiveType::unknown;
      node.flags |= graph::kHasCommType;
      return;
    }
    case AttrId::pg_name:
      set_group(value, node);
      return;
    case AttrId::comm_group:
      if ((seen_ & (1ull << static_cast<unsigned>(AttrId::pg_name))) == 0) set_group(value, node);
      return;
    case AttrId::involved_dim:
      set_dims(value, node);
      return;
    case AttrId::inputs:
    case AttrId::outputs:
      set_tensors(id == AttrId::outputs, value, node);
      return;
    case AttrId::runtime:
      if (node.duration == Time{})
        set_duration(static_cast<std::uint64_t>(integer(id, value, 0, kMaxAmount)), node);
      return;
    case AttrId::duration_ps:  // exact, where whole microseconds are not
      node.duration = Time(integer(id, value, 0, kMaxAmount));
      return;
    case AttrId::stream:
    case AttrId::tid:
    case AttrId::device:
    case AttrId::stream_row:
      return set_lane(id, value);
    case AttrId::dep_kinds:
    case AttrId::dep_lags_ps:
      return set_dep_list(id, value);
    case AttrId::kernel:
      return set_kernel(value, node);
    case AttrId::experts:
      return set_experts(value, node);
    case AttrId::comm_dtype:
      return set_numbers(value, node);
    case AttrId::op_schema:
      schema_ = value.text;
      return;
    case AttrId::in_phase:
      return set_phase(value, node);
    default:
      return apply_number(id, value, node);
  }
}

void Decoding::set_dep_list(AttrId id, const Scalar& value) {
  if (id == AttrId::dep_lags_ps && value.kind == Kind::numbers) {
    for (const std::uint64_t number : value.numbers)
      dep_lags_.push_back(Time(static_cast<std::int64_t>(number)));
  } else if (id == AttrId::dep_kinds && value.kind == Kind::texts) {
    for (std::string_view text : value.texts) {
      if (text.ends_with('?')) text.remove_suffix(1);  // inferred
      dep_kinds_.push_back(dependency_kind(text));
    }
  } else {
    note(FindingCode::attr_ignored);
  }
}

void Decoding::set_kernel(const Scalar& value, NodeSpec& node) {
  if (kernels_ == nullptr) return;
  if (value.kind == Kind::text) {
    if (const auto kernel = graph::parse_kernel(value.text))
      node.kernel = kernels_->intern(*kernel);
  } else if (value.kind == Kind::integer || value.kind == Kind::natural) {
    const std::int64_t number = integer(AttrId::kernel, value, 0, kMaxInt);
    if (number < static_cast<std::int64_t>(kernel_numbers_.size()))
      node.kernel = kernel_numbers_[static_cast<std::size_t>(number)];
  }
  if (node.kernel == graph::kNoKernel) note(FindingCode::attr_ignored);
}

void Decoding::set_experts(const Scalar& value, NodeSpec& node) {
  const auto exchange =
      value.kind == Kind::text ? graph::parse_expert_exchange(value.text) : std::nullopt;
  if (exchange) {
    node.collective.exchange = *exchange;
  } else {
    note(FindingCode::attr_ignored);
  }
}

void Decoding::set_numbers(const Scalar& value, NodeSpec& node) {
  const auto numbers = value.kind == Kind::text ? graph::format_of(value.text) : std::nullopt;
  if (numbers) {
    node.collective.numbers = *numbers;
  } else {
    note(FindingCode::attr_ignored);
  }
}

void Decoding::set_phase(const Scalar& value, NodeSpec& node) {
  node.scope.phase = value.kind == Kind::text ? parse_phase(value.text) : StepPhase::unsaid;
  if (node.scope.phase == StepPhase::unsaid) note(FindingCode::attr_ignored);
}

void Decoding::add_lane(NodeSpec& node) const {
  if (node.kind == graph::NodeKind::invalid || node.kind == graph::NodeKind::metadata) return;
  const bool host = (node.flags & graph::kIsCpu) != 0;
  if (host ? !lane_.has_thread : !lane_.has_stream) return;
  graph::Lane& lane = node.lane.emplace();
  lane.host = host;
  lane.id = host ? lane_.thread : lane_.stream;
  if (host) return;
  lane.device = static_cast<std::int32_t>(std::clamp(lane_.device, kMinInt, kMaxInt));
  lane.row = static_cast<std::uint16_t>(std::clamp<std::int64_t>(lane_.row, 0, 0xFFFF));
}

// Messages of custom collectives may say their size in chunks; where they say bytes, those count.
void Decoding::add_share(NodeSpec& node) const {
  const bool message = node.kind == graph::NodeKind::send || node.kind == graph::NodeKind::recv;
  if (!message || share_.all == 0 || (node.flags & graph::kHasCommSize) != 0) return;
  node.message.set_share(static_cast<std::uint32_t>(share_.first),
                         static_cast<std::uint32_t>(share_.count),
                         static_cast<std::uint32_t>(share_.all));
}

void Decoding::add_notes(NodeSpec& node, std::size_t first, std::size_t count) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == count; };
  if (!fits(dep_kinds_.size()) || !fits(dep_lags_.size())) return note(FindingCode::attr_ignored);
  for (std::size_t i = 0; i < count; ++i) {
    graph::EdgeNote one{.dep = node.deps[first + i]};
    if (!dep_kinds_.empty()) one.kind = dep_kinds_[i];
    if (!dep_lags_.empty()) one.lag = dep_lags_[i];
    if (one.lag < Time{} || one.lag.count() > kMaxAmount) {
      damaged(FindingCode::value_clamped, Errc::input_range, [&] {
        return fmt::format("attribute dep_lags_ps has {}, outside 0 to {}", one.lag.count(),
                           kMaxAmount);
      });
      one.lag = Time{};
    }
    if (one.lag > Time{} || one.kind != DependencyKind::unsaid) node.notes.push_back(one);
  }
}

void Decoding::apply_number(AttrId id, const Scalar& value, NodeSpec& node) {
  switch (id) {
    case AttrId::comm_size:
      node.collective.size = node.message.size = Bytes(integer(id, value, 0, kMaxAmount));
      node.flags |= graph::kHasCommSize;
      return;
    case AttrId::comm_src:
      node.message.src = static_cast<std::int32_t>(integer(id, value, 0, kMaxInt));
      node.flags |= graph::kHasSrc;
      return;
    case AttrId::comm_dst:
      node.message.dst = static_cast<std::int32_t>(integer(id, value, 0, kMaxInt));
      node.flags |= graph::kHasDst;
      return;
    case AttrId::comm_tag:  // signed in most writers, unsigned in the reader: negative tags wrap
      node.message.tag = static_cast<std::uint32_t>(integer(id, value, kMinInt, kMaxTag));
      node.flags |= graph::kHasTag;
      return;
    case AttrId::comm_priority:  // older writers store it unsigned
      node.collective.priority = static_cast<std::int32_t>(integer(id, value, kMinInt, kMaxInt));
      node.flags |= graph::kHasPriority;
      return;
    case AttrId::msg_chunk_cnt:
      share_.count = integer(id, value, 0, kMaxInt);
      return;
    case AttrId::msg_chunk_idx:
      share_.first = integer(id, value, 0, kMaxInt);
      return;
    case AttrId::total_chunk_cnt:
      share_.all = integer(id, value, 0, kMaxInt);
      return;
    case AttrId::in_step:
      node.scope.step = static_cast<std::int32_t>(integer(id, value, 0, kMaxInt));
      return;
    case AttrId::in_layer:
      node.scope.layer = static_cast<std::int32_t>(integer(id, value, 0, kMaxInt));
      return;
    case AttrId::root:
      node.collective.root = static_cast<std::int32_t>(integer(id, value, kMinInt, kMaxInt));
      return;
    default:
      return;
  }
}

void Decoding::set_group(const Scalar& value, NodeSpec& node) {
  if (value.kind == Kind::text) {
    node.collective.group = intern(value.text);
  } else {
    node.collective.group =
        intern(std::to_string(integer(AttrId::comm_group, value, kLowest, kHighest)));
  }
}

void Decoding::set_dims(const Scalar& value, NodeSpec& node) {
  if (value.kind != Kind::numbers) {
    note(FindingCode::attr_ignored);
    return;
  }
  std::size_t count = value.numbers.size();
  if (count > kMaxDims) {
    damaged(FindingCode::value_clamped, Errc::input_range, [&] {
      return fmt::format("attribute involved_dim lists {} dimensions; at most {} can be", count,
                         kMaxDims);
    });
    count = kMaxDims;
  }
  node.collective.dims_mask = 0;
  for (std::size_t d = 0; d < count; ++d)
    node.collective.dims_mask |= value.numbers[d] != 0 ? 1u << d : 0u;
  node.collective.dims_count = static_cast<std::uint8_t>(count);
  node.flags |= graph::kHasDims;
}

void Decoding::set_tensors(bool output, const Scalar& value, NodeSpec& node) {
  // A flat list name, size, name, size …; other tools use the same attribute names for other
  // things.
  const std::size_t first = node.tensors.size();
  bool makes_sense = value.kind == Kind::texts && value.texts.size() % 2 == 0;
  makes_sense = makes_sense || (value.kind == Kind::numbers && value.numbers.empty());
  for (std::size_t i = 0; makes_sense && i + 1 < value.texts.size(); i += 2) {
    const auto size = size_of(value.texts[i + 1]);
    if (size) {
      node.tensors.push_back(
          {.size = Bytes(*size), .name = intern(value.texts[i]), .output = output});
    } else {
      makes_sense = false;
    }
  }
  if (makes_sense) {
    tensor_lists_ |= output ? 2 : 1;
  } else {
    node.tensors.resize(first);
    note(FindingCode::attr_ignored);
  }
}

}  // namespace orrery::trace::chakra
