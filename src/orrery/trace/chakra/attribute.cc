// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "orrery/core/text/text.h"

namespace orrery::trace::chakra {

namespace {

using graph::NodeSpec;
using Kind = Scalar::Kind;

constexpr std::int64_t kMax = std::int64_t{1}
                              << 62;  // largest byte count, FLOP count or picoseconds of one node
constexpr std::array<std::string_view, 37> kNames = {
    "other",      "is_cpu_op",     "num_ops",       "tensor_size",     "comm_type",
    "comm_size",  "comm_src",      "comm_dst",      "comm_tag",        "comm_priority",
    "pg_name",    "comm_group",    "involved_dim",  "inputs",          "outputs",
    "root",       "runtime",       "duration_ps",   "stream",          "tid",
    "device",     "stream_row",    "dep_kinds",     "dep_lags_ps",     "is_copy",
    "is_comm",    "is_wait",       "kernel",        "op_schema",       "experts",
    "comm_dtype", "msg_chunk_cnt", "msg_chunk_idx", "total_chunk_cnt", "in_step",
    "in_layer",   "in_phase"};

/// A whole number out of any scalar; `exact` says whether it was one.
struct Whole {
  std::int64_t value = 0;
  bool exact = true;   // false: below or above what an int64 holds; value is the nearer end
  bool number = true;  // false: not a whole number at all
};

Whole whole(double real) {
  if (!(std::abs(real) < 9.2e18)) {
    return {real > 0 ? std::numeric_limits<std::int64_t>::max()
                     : std::numeric_limits<std::int64_t>::min(),
            false, !std::isnan(real)};
  }
  const double floor = std::floor(real);
  return {static_cast<std::int64_t>(floor), true, floor == real};
}

Whole whole(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  if (const auto [stop, error] = std::from_chars(text.data(), end, value);
      error == std::errc{} && stop == end) {
    return {value, true, true};
  }
  double real = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, real);
      error == std::errc{} && stop == end) {
    return whole(real);
  }
  return {0, true, false};
}

Whole whole(const Scalar& value) {
  switch (value.kind) {
    case Kind::integer:
    case Kind::boolean:
      return {value.integer, true, true};
    case Kind::natural:
      if (value.natural > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return {std::numeric_limits<std::int64_t>::max(), false, true};
      }
      return {static_cast<std::int64_t>(value.natural), true, true};
    case Kind::real:
      return whole(value.real);
    case Kind::text:
      return whole(value.text);
    case Kind::none:
    case Kind::numbers:
    case Kind::texts:
      return {0, true, false};
  }
  return {0, true, false};
}

std::string shown(const Scalar& value) {
  switch (value.kind) {
    case Kind::integer:
    case Kind::boolean:
      return std::to_string(value.integer);
    case Kind::natural:
      return std::to_string(value.natural);
    case Kind::real:
      return fmt::format("{}", value.real);
    case Kind::text:
      return fmt::format("\"{}\"", printable(value.text, kShownBytes));
    case Kind::none:
      return "nothing";
    case Kind::numbers:
    case Kind::texts:
      return "a list";
  }
  return "nothing";
}

}  // namespace

std::string_view name(AttrId id) { return kNames[static_cast<std::size_t>(id)]; }

AttrId attr_id(std::string_view name) {
  const auto is = [name](AttrId id) {
    const std::string_view known = kNames[static_cast<std::size_t>(id)];
    return std::memcmp(name.data(), known.data(), known.size()) == 0 ? id : AttrId::other;
  };
  switch (name.size()) {
    case 3:
      return is(AttrId::tid);
    case 4:
      return is(AttrId::root);
    case 6:
      return is(name[0] == 'i'   ? AttrId::inputs
                : name[0] == 's' ? AttrId::stream
                : name[0] == 'k' ? AttrId::kernel
                                 : AttrId::device);
    case 7:
      switch (name[0]) {
        case 'n':
          return is(AttrId::num_ops);
        case 'p':
          return is(AttrId::pg_name);
        case 'i':
          return is(name[1] == 'n'   ? AttrId::in_step
                    : name[3] == 'w' ? AttrId::is_wait
                    : name[5] == 'p' ? AttrId::is_copy
                                     : AttrId::is_comm);
        case 'o':
          return is(AttrId::outputs);
        case 'r':
          return is(AttrId::runtime);
        case 'e':
          return is(AttrId::experts);
        default:
          return AttrId::other;
      }
    case 8:
      return is(name[5] == 's'   ? AttrId::comm_src
                : name[5] == 'd' ? AttrId::comm_dst
                : name[5] == 't' ? AttrId::comm_tag
                : name[5] == 'y' ? AttrId::in_layer
                                 : AttrId::in_phase);
    case 9:
      switch (name[5]) {
        case 't':
          return is(AttrId::comm_type);
        case 's':
          return is(AttrId::comm_size);
        case 'u':
          return is(AttrId::is_cpu_op);
        case 'i':
          return is(AttrId::dep_kinds);
        case 'h':
          return is(AttrId::op_schema);
        default:
          return AttrId::other;
      }
    case 10:
      return is(name[0] != 'c'   ? AttrId::stream_row
                : name[5] == 'd' ? AttrId::comm_dtype
                                 : AttrId::comm_group);
    case 11:
      return is(name[0] == 't'   ? AttrId::tensor_size
                : name[1] == 'u' ? AttrId::duration_ps
                                 : AttrId::dep_lags_ps);
    case 12:
      return is(AttrId::involved_dim);
    case 13:
      return is(name[0] == 'c'    ? AttrId::comm_priority
                : name[10] == 'c' ? AttrId::msg_chunk_cnt
                                  : AttrId::msg_chunk_idx);
    case 15:
      if (name[0] == 't') return is(AttrId::total_chunk_cnt);
      return name == "duration_micros" || name == "communicator_id"
                 ? (name[0] == 'd' ? AttrId::runtime : AttrId::comm_group)
                 : AttrId::other;
    case 18:
      return name == "simulated_run_time" ? AttrId::runtime : AttrId::other;
    default:
      return AttrId::other;
  }
}

std::string Decoding::place() const {
  return node_id_ == kNoId ? fmt::format("{}:byte {}", where_, offset_)
                           : fmt::format("{}:byte {} (node {})", where_, offset_, node_id_);
}

void Decoding::note(FindingCode code) {
  findings_.add(code, findings_.count(code) < Findings::kPlaces ? place() : std::string());
}

void Decoding::damaged(FindingCode finding, Errc code, const std::function<std::string()>& what) {
  if (repair_ == graph::Repair::refuse)
    throw RecordError{code, what(), "--repair puts the nearest value in its place"};
  note(finding);
}

StringId Decoding::intern(std::string_view text) {
  if (text.empty()) return StringId::empty;
  // Names come again and again: look where a string of this shape was last found before hashing all
  // of it.
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  const std::size_t edge = text.size() < 8 ? text.size() : 8;
  std::memcpy(&head, text.data(), edge);
  std::memcpy(&tail, text.data() + text.size() - edge, edge);
  const std::uint64_t mixed =
      (head ^ (tail * 0xD6E8FEB86659FD93ull) ^ text.size()) * 0x9E3779B97F4A7C15ull;
  StringId& recent = recent_[mixed >> 52];
  if (strings_->view(recent) != text) recent = strings_->intern(text);
  return recent;
}

void Decoding::set_lane(AttrId id, const Scalar& value) {
  const Whole found = whole(value);
  // Other tools have texts under these names, or a number for what has none.
  if (!found.number || !found.exact) return note(FindingCode::attr_ignored);
  switch (id) {
    case AttrId::stream:
      lane_.stream = found.value;
      lane_.has_stream = true;
      return;
    case AttrId::tid:
      lane_.thread = found.value;
      lane_.has_thread = true;
      return;
    default:
      (id == AttrId::device ? lane_.device : lane_.row) = found.value;
      return;
  }
}

std::int64_t Decoding::integer(AttrId id, const Scalar& value, std::int64_t low,
                               std::int64_t high) {
  const Whole found = whole(value);
  if (!found.number) {
    damaged(FindingCode::value_clamped, Errc::input_range, [&] {
      return fmt::format("attribute {} should be a whole number, not {}", name(id), shown(value));
    });
  } else if (!found.exact || found.value < low || found.value > high) {
    damaged(FindingCode::value_clamped, Errc::input_range, [&] {
      return fmt::format("attribute {} is {}, outside {} to {}", name(id), shown(value), low, high);
    });
  } else if (value.kind == Kind::real || value.kind == Kind::text) {
    note(FindingCode::attr_coerced);
  }
  return std::clamp(found.value, low, high);
}

void Decoding::set_kind(std::uint64_t number, NodeSpec& node) {
  if (number > static_cast<std::uint64_t>(graph::NodeKind::coll)) {
    damaged(FindingCode::value_clamped, Errc::input_range,
            [&] { return fmt::format("node type {} does not exist", number); });
    number = 0;
  }
  node.kind = static_cast<graph::NodeKind>(number);
}

void Decoding::set_duration(std::uint64_t micros, NodeSpec& node) {
  if ((seen_ & (1u << static_cast<unsigned>(AttrId::duration_ps))) != 0) return;
  constexpr auto kMaxMicros = static_cast<std::uint64_t>(kMax / kPsPerUs);
  if (micros > kMaxMicros) {
    damaged(FindingCode::value_clamped, Errc::input_range, [&] {
      return fmt::format("a duration of {} us is negative or longer than {} us", micros,
                         kMaxMicros);
    });
    micros = micros > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                 ? 0
                 : kMaxMicros;
  }
  node.duration = us(static_cast<std::int64_t>(micros));
}

void Decoding::infer_kernel(NodeOperator texts, std::size_t control, NodeSpec& node) {
  const bool says = node.kernel != graph::kNoKernel || (node.flags & graph::kHasNumOps) != 0;
  const bool ours = !kernel_numbers_.empty();  // then what has no kernel is not known
  if (says || ours || kernels_ == nullptr || node.kind != graph::NodeKind::comp) return;
  const bool on_host = (node.flags & graph::kIsCpu) != 0;
  // It was recorded to take less than a microsecond: no model is to say what it takes.
  if (texts.started && node.duration == Time{} && !on_host) return;
  texts.id = node.id;
  texts.name_id = node.name;
  texts.name = strings_->view(node.name);
  texts.schema = schema_;
  if (!inferred_) inferred_ = std::make_unique<InferredKernels>();
  if (on_host) {
    inferred_->note_host(texts);
  } else {
    node.kernel = inferred_->of(texts, std::span(node.deps).first(control), *kernels_);
  }
}

void Decoding::finish(NodeSpec& node, std::size_t first_data_dep, std::size_t data_deps) {
  if (tensor_lists_ == 3) node.flags |= graph::kHasTensors;
  if (lane_.has_stream || lane_.has_thread) add_lane(node);
  if (share_.all != 0) add_share(node);
  if (!dep_kinds_.empty() || !dep_lags_.empty()) add_notes(node, first_data_dep, data_deps);
}

// What each attribute does to a node.

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
    graph::DependencyNote one{.dep = node.deps[first + i]};
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
