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

#include "orrery/core/text.h"

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
    throw BadRecord{code, what(), "--repair puts the nearest value in its place"};
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

}  // namespace orrery::trace::chakra
