// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "orrery/core/text/text.h"
#include "orrery/trace/json/decimal.h"
#include "orrery/trace/json/name_index.h"

namespace orrery::trace::chakra {

namespace {

using graph::NodeSpec;
using Kind = Scalar::Kind;

/// Maximum byte count, FLOP count or picoseconds of a node.
constexpr std::int64_t kMaxAmount = std::int64_t{1} << 62;
// In the order of AttrId; then names that other tools use.
constexpr std::array<std::string_view, 41> kNames = {"other",           "is_cpu_op",
                                                     "num_ops",         "tensor_size",
                                                     "comm_type",       "comm_size",
                                                     "comm_src",        "comm_dst",
                                                     "comm_tag",        "comm_priority",
                                                     "pg_name",         "comm_group",
                                                     "involved_dim",    "inputs",
                                                     "outputs",         "root",
                                                     "runtime",         "duration_ps",
                                                     "stream",          "tid",
                                                     "device",          "stream_row",
                                                     "dep_kinds",       "dep_lags_ps",
                                                     "is_copy",         "is_comm",
                                                     "is_wait",         "kernel",
                                                     "op_schema",       "experts",
                                                     "comm_dtype",      "msg_chunk_cnt",
                                                     "msg_chunk_idx",   "total_chunk_cnt",
                                                     "in_step",         "in_layer",
                                                     "in_phase",        "comm_size_unknown",
                                                     "duration_micros", "simulated_run_time",
                                                     "communicator_id"};

/// The integer value of any scalar.
struct IntegerValue {
  std::int64_t value = 0;
  bool is_exact = true;    // false: outside of int64; `value` is the nearest limit
  bool is_integer = true;  // false: not an integer
};

IntegerValue integer_value(double real) {
  if (!(std::abs(real) < 9.2e18)) {
    return {real > 0 ? std::numeric_limits<std::int64_t>::max()
                     : std::numeric_limits<std::int64_t>::min(),
            false, !std::isnan(real)};
  }
  const double floor = std::floor(real);
  return {static_cast<std::int64_t>(floor), true, floor == real};
}

IntegerValue integer_value(std::string_view text) {
  if (const auto whole = trace::json::parse_number<std::int64_t>(text)) return {*whole, true, true};
  if (const auto real = trace::json::parse_number<double>(text)) return integer_value(*real);
  return {0, true, false};
}

IntegerValue integer_value(const Scalar& value) {
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
      return integer_value(value.real);
    case Kind::text:
      return integer_value(value.text);
    case Kind::none:
    case Kind::numbers:
    case Kind::texts:
      break;
  }
  return {0, true, false};
}

std::string display(const Scalar& value) {
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

// Three names of other tools follow.
static_assert(static_cast<std::size_t>(AttrId::comm_size_unknown) + 4 == kNames.size());

AttrId attr_id(std::string_view name) {
  const std::string_view* found = trace::json::NameIndex<kNames>::find(name);
  if (found == nullptr) return AttrId::other;
  if (found == &kNames.back()) return AttrId::comm_group;
  const auto number = static_cast<std::size_t>(found - kNames.data());
  return number > static_cast<std::size_t>(AttrId::comm_size_unknown) ? AttrId::runtime
                                                                      : static_cast<AttrId>(number);
}

std::string DecodeContext::place() const {
  return node_id_ == kNoId ? fmt::format("{}:byte {}", where_, offset_)
                           : fmt::format("{}:byte {} (node {})", where_, offset_, node_id_);
}

void DecodeContext::count_finding(FindingCode code) {
  findings_.add(code, findings_.count(code) < Findings::kPlaces ? place() : std::string());
}

void DecodeContext::report_damage(FindingCode finding, Errc code,
                                  const std::function<std::string()>& what) {
  if (repair_ == graph::Repair::refuse)
    throw RecordError{code, what(), "--repair replaces it with the nearest valid value"};
  count_finding(finding);
}

StringId DecodeContext::intern(std::string_view text) {
  if (text.empty()) return StringId::empty;
  // Names repeat often: first look where a similar string was found last, before hashing all of it.
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

void DecodeContext::set_lane(AttrId id, const Scalar& value) {
  const IntegerValue found = integer_value(value);
  // Other tools use these names for texts, or have a number for nodes without a kernel.
  if (!found.is_integer || !found.is_exact) return count_finding(FindingCode::attr_ignored);
  lane_.has_stream = lane_.has_stream || id == AttrId::stream;
  lane_.has_thread = lane_.has_thread || id == AttrId::tid;
  (id == AttrId::stream   ? lane_.stream
   : id == AttrId::tid    ? lane_.thread
   : id == AttrId::device ? lane_.device
                          : lane_.row) = found.value;
}

std::int64_t DecodeContext::integer(AttrId id, const Scalar& value, std::int64_t low,
                                    std::int64_t high) {
  const IntegerValue found = integer_value(value);
  if (!found.is_integer) {
    report_damage(FindingCode::value_clamped, Errc::input_range, [&] {
      return fmt::format("attribute {} should be a whole number, not {}", name(id), display(value));
    });
  } else if (!found.is_exact || found.value < low || found.value > high) {
    report_damage(FindingCode::value_clamped, Errc::input_range, [&] {
      return fmt::format("attribute {} is {}, outside {} to {}", name(id), display(value), low,
                         high);
    });
  } else if (value.kind == Kind::real || value.kind == Kind::text) {
    count_finding(FindingCode::attr_coerced);
  }
  return std::clamp(found.value, low, high);
}

void DecodeContext::set_kind(std::uint64_t number, NodeSpec& node) {
  if (number > static_cast<std::uint64_t>(graph::NodeKind::coll)) {
    report_damage(FindingCode::value_clamped, Errc::input_range,
                  [&] { return fmt::format("node type {} does not exist", number); });
    number = 0;
  }
  node.kind = static_cast<graph::NodeKind>(number);
}

void DecodeContext::set_duration(std::uint64_t micros, NodeSpec& node) {
  if ((seen_ & (1u << static_cast<unsigned>(AttrId::duration_ps))) != 0) return;
  constexpr auto kMaxMicros = static_cast<std::uint64_t>(kMaxAmount / kPsPerUs);
  if (micros > kMaxMicros) {
    report_damage(FindingCode::value_clamped, Errc::input_range, [&] {
      return fmt::format("a duration of {} us is negative or longer than {} us", micros,
                         kMaxMicros);
    });
    micros = micros > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                 ? 0
                 : kMaxMicros;
  }
  node.duration = us(static_cast<std::int64_t>(micros));
}

void DecodeContext::infer_kernel(NodeOperator texts, std::size_t control, NodeSpec& node) {
  const bool has_kernel = node.kernel != graph::kNoKernel || (node.flags & graph::kHasNumOps) != 0;
  // Orrery wrote the file: nodes without a kernel have an unknown one.
  const bool is_own_trace = !kernel_numbers_.empty();
  if (has_kernel || is_own_trace || kernels_ == nullptr || node.kind != graph::NodeKind::comp)
    return;
  const bool on_host = (node.flags & graph::kIsCpu) != 0;
  // The recording shows less than a microsecond; no model may replace this time.
  if (texts.started && node.duration == Time{} && !on_host) return;
  texts.id = node.id;
  texts.name_id = node.name;
  texts.name = strings_->view(node.name);
  texts.schema = schema_;
  if (!inferred_) inferred_ = std::make_unique<InferredKernels>();
  if (on_host) {
    inferred_->remember_host(texts);
  } else {
    node.kernel = inferred_->infer(texts, std::span(node.deps).first(control), *kernels_);
  }
}

void DecodeContext::finish(NodeSpec& node, std::size_t first_data_dep, std::size_t data_deps) {
  if (tensor_lists_ == 3) node.flags |= graph::kHasTensors;
  if (lane_.has_stream || lane_.has_thread) add_lane(node);
  if (share_.all != 0) add_share(node);
  if (!dep_kinds_.empty() || !dep_lags_.empty())
    add_dependency_notes(node, first_data_dep, data_deps);
}

// Effects of each attribute on a node.

namespace {

constexpr std::int64_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxTag = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxDims = 32;

/// Parses the size of a tensor: digits, usually followed by ".0".
std::optional<std::int64_t> size_of(std::string_view text) {
  std::string_view digits = text;
  if (digits.size() > 2 && digits.ends_with(".0")) digits.remove_suffix(2);
  const auto whole = trace::json::parse_number<std::int64_t>(digits);
  if (whole && *whole >= 0 && *whole <= kMaxAmount) return whole;
  const auto size = trace::json::parse_number<double>(text);
  if (!size || !(*size >= 0 && *size < 4.6e18)) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(*size));
}

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

graph::CollectiveType collective_type_numbered(std::int64_t number) {
  const bool is_known =
      number >= 0 && number < static_cast<std::int64_t>(graph::CollectiveType::unknown);
  return is_known ? static_cast<graph::CollectiveType>(number) : graph::CollectiveType::unknown;
}

/// True in the spelling of any language.
bool is_true_text(std::string_view text) { return text == "true" || text == "True" || text == "1"; }

}  // namespace

void DecodeContext::apply(AttrId id, const Scalar& value, NodeSpec& node) {
  const std::uint64_t bit = 1ull << static_cast<unsigned>(id);
  if ((seen_ & bit) != 0) return;
  seen_ |= bit;
  if (value.kind == Kind::none) {  // an empty list, or as if the attribute was absent
    if (id == AttrId::inputs) tensor_lists_ |= 1;
    if (id == AttrId::outputs) tensor_lists_ |= 2;
    return;
  }
  const std::string_view text = value.kind == Kind::text ? value.text : std::string_view();
  switch (id) {
    case AttrId::other:
      return;
    case AttrId::is_cpu_op:
      node.flags |= graph::kHasCpuAttr;
      if (value.kind == Kind::text ? is_true_text(value.text)
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
    case AttrId::comm_type:
      node.collective.type = collective_type_numbered(integer(id, value, kLowest, kHighest));
      node.flags |= graph::kHasCommType;
      return;
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
    case AttrId::duration_ps:  // exact, unlike whole microseconds
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
      return set_parsed(graph::parse_expert_exchange(text), node.collective.exchange);
    case AttrId::comm_dtype:
      return set_parsed(graph::format_of(text), node.collective.format);
    case AttrId::op_schema:
      schema_ = value.text;
      return;
    case AttrId::in_phase:
      node.scope.phase = parse_phase(text);
      if (node.scope.phase == StepPhase::unsaid) count_finding(FindingCode::attr_ignored);
      return;
    default:
      return apply_number(id, value, node);
  }
}

void DecodeContext::set_dep_list(AttrId id, const Scalar& value) {
  if (id == AttrId::dep_lags_ps && value.kind == Kind::numbers) {
    for (const std::uint64_t number : value.numbers)
      dep_lags_.push_back(Time(static_cast<std::int64_t>(number)));
  } else if (id == AttrId::dep_kinds && value.kind == Kind::texts) {
    for (std::string_view text : value.texts) {
      if (text.ends_with('?')) text.remove_suffix(1);  // marks an inferred dependency
      dep_kinds_.push_back(dependency_kind(text));
    }
  } else {
    count_finding(FindingCode::attr_ignored);
  }
}

void DecodeContext::set_kernel(const Scalar& value, NodeSpec& node) {
  if (kernels_ == nullptr) return;
  if (value.kind == Kind::text) {
    if (const auto kernel = graph::parse_kernel(value.text))
      node.kernel = kernels_->intern(*kernel);
  } else if (value.kind == Kind::integer || value.kind == Kind::natural) {
    const std::int64_t number = integer(AttrId::kernel, value, 0, kMaxInt);
    if (number < static_cast<std::int64_t>(kernel_numbers_.size()))
      node.kernel = kernel_numbers_[static_cast<std::size_t>(number)];
  }
  if (node.kernel == graph::kNoKernel) count_finding(FindingCode::attr_ignored);
}

template <class Parsed>
void DecodeContext::set_parsed(const std::optional<Parsed>& parsed, Parsed& into) {
  if (parsed) {
    into = *parsed;
  } else {
    count_finding(FindingCode::attr_ignored);
  }
}

void DecodeContext::add_lane(NodeSpec& node) const {
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

// Messages of custom collectives may state their size in chunks; a size in bytes takes precedence.
void DecodeContext::add_share(NodeSpec& node) const {
  const bool message = node.kind == graph::NodeKind::send || node.kind == graph::NodeKind::recv;
  if (!message || share_.all == 0 || (node.flags & graph::kHasCommSize) != 0) return;
  node.message.set_share(static_cast<std::uint32_t>(share_.first),
                         static_cast<std::uint32_t>(share_.count),
                         static_cast<std::uint32_t>(share_.all));
}

void DecodeContext::add_dependency_notes(NodeSpec& node, std::size_t first, std::size_t count) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == count; };
  if (!fits(dep_kinds_.size()) || !fits(dep_lags_.size()))
    return count_finding(FindingCode::attr_ignored);
  for (std::size_t i = 0; i < count; ++i) {
    graph::DependencyNote one{.dep = node.deps[first + i]};
    if (!dep_kinds_.empty()) one.kind = dep_kinds_[i];
    if (!dep_lags_.empty()) one.lag = dep_lags_[i];
    if (one.lag < Time{} || one.lag.count() > kMaxAmount) {
      report_damage(FindingCode::value_clamped, Errc::input_range, [&] {
        return fmt::format("attribute dep_lags_ps has {}, outside 0 to {}", one.lag.count(),
                           kMaxAmount);
      });
      one.lag = Time{};
    }
    if (one.lag > Time{} || one.kind != DependencyKind::unsaid) node.notes.push_back(one);
  }
}

void DecodeContext::apply_number(AttrId id, const Scalar& value, NodeSpec& node) {
  switch (id) {
    case AttrId::comm_size_unknown:
      if (integer(id, value, 0, 1) == 0) {
        seen_ &= ~(std::uint64_t{1} << static_cast<unsigned>(id));
        return;
      }
      node.collective.size = node.message.size = Bytes(0);
      node.flags &= static_cast<std::uint16_t>(~graph::kHasCommSize);
      return;
    case AttrId::comm_size:
      if ((seen_ >> static_cast<unsigned>(AttrId::comm_size_unknown) & 1) != 0) return;
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
    case AttrId::comm_tag:  // most writers use signed numbers, the reader unsigned ones: negative
                            // tags wrap
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

void DecodeContext::set_group(const Scalar& value, NodeSpec& node) {
  if (value.kind == Kind::text) {
    node.collective.group = intern(value.text);
  } else {
    node.collective.group =
        intern(std::to_string(integer(AttrId::comm_group, value, kLowest, kHighest)));
  }
}

void DecodeContext::set_dims(const Scalar& value, NodeSpec& node) {
  if (value.kind != Kind::numbers) {
    count_finding(FindingCode::attr_ignored);
    return;
  }
  std::size_t count = value.numbers.size();
  if (count > kMaxDims) {
    report_damage(FindingCode::value_clamped, Errc::input_range, [&] {
      return fmt::format("attribute involved_dim lists {} dimensions; at most {} are allowed",
                         count, kMaxDims);
    });
    count = kMaxDims;
  }
  node.collective.dims_mask = 0;
  for (std::size_t d = 0; d < count; ++d)
    node.collective.dims_mask |= value.numbers[d] != 0 ? 1u << d : 0u;
  node.collective.dims_count = static_cast<std::uint8_t>(count);
  node.flags |= graph::kHasDims;
}

void DecodeContext::set_tensors(bool output, const Scalar& value, NodeSpec& node) {
  // A flat list: name, size, name, size …; other tools use the same attribute names for other
  // values.
  const std::size_t first = node.tensors.size();
  bool is_tensor_list = value.kind == Kind::texts && value.texts.size() % 2 == 0;
  is_tensor_list = is_tensor_list || (value.kind == Kind::numbers && value.numbers.empty());
  for (std::size_t i = 0; is_tensor_list && i + 1 < value.texts.size(); i += 2) {
    const auto size = size_of(value.texts[i + 1]);
    if (size) {
      node.tensors.push_back(
          {.size = Bytes(*size), .name = intern(value.texts[i]), .is_output = output});
    } else {
      is_tensor_list = false;
    }
  }
  if (is_tensor_list) {
    tensor_lists_ |= output ? 2 : 1;
  } else {
    node.tensors.resize(first);
    count_finding(FindingCode::attr_ignored);
  }
}

}  // namespace orrery::trace::chakra
