// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/sizes/op_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace orrery::generative {
namespace {

using workload::Stream;

constexpr int kPipes = 4;        // streams of a chunk
constexpr int kMostChunks = 48;  // Schedule::chunks
constexpr int kPipeEnd = workload::stream::pipe + kPipes * kMostChunks;

StreamCode code_of(Stream stream, std::uint32_t chunk) {
  if (stream < workload::stream::pipe || stream >= kPipeEnd) return stream;
  return static_cast<StreamCode>(kPipeCode + stream - workload::stream::pipe -
                                 kPipes * static_cast<int>(chunk));
}

bool is_stream(StreamCode code) {
  if (code < kPipeCode / 2)
    return code >= 0 && code <= 255 && (code < workload::stream::pipe || code >= kPipeEnd);
  return code > kPipeCode - kPipes * kMostChunks && code < kPipeCode + kPipes * kMostChunks;
}

Stream stream_of(StreamCode code, std::uint32_t chunk) {
  if (code < kPipeCode / 2) return static_cast<Stream>(code);
  const int stream = workload::stream::pipe + (code - kPipeCode) + kPipes * static_cast<int>(chunk);
  return static_cast<Stream>(std::clamp<int>(stream, workload::stream::pipe, kPipeEnd - 1));
}

template <class Enum>
bool below(Enum value, Enum last) {
  return static_cast<unsigned>(value) <= static_cast<unsigned>(last);
}

}  // namespace

std::string number_name(std::size_t number) {
  constexpr std::array<std::string_view, kFirstSize> kNumberNames = {
      "matmul",      "vector",     "repeated_flops", "bytes",         "devices",         "size",
      "peer_offset", "message_id", "launches",       "host_launches", "looped_launches", "experts",
      "token_bytes", "top_k"};
  return number < kFirstSize ? std::string(kNumberNames[number])
                             : fmt::format("size {}", number - kFirstSize);
}

OpForm form_of(const workload::Op& op, std::uint32_t chunk) {
  OpForm form;
  form.name = op.name;
  form.op_class = op.op_class;
  form.phase = op.phase;
  form.kind = op.kind;
  form.stream = code_of(op.stream, chunk);
  for (std::size_t i = 0; i < op.waits.size(); ++i) form.waits[i] = code_of(op.waits[i], chunk);
  form.marks = code_of(op.marks, chunk);
  form.collective = op.collective;
  form.axis = op.axis;
  form.format = op.format;
  form.transport = op.exchange.packed_transport;
  form.operation = op.kernel.operation;
  form.pass = op.kernel.pass;
  form.formats = {op.kernel.a, op.kernel.b, op.kernel.out};
  form.traits = op.kernel.traits;
  form.host_waits = op.kernel.host_waits;
  return form;
}

OpNumbers numbers_of(const workload::Op& op) {
  OpNumbers numbers = {op.matmul,
                       op.vector,
                       op.repeated_flops,
                       op.bytes,
                       op.devices,
                       op.size,
                       op.peer_offset,
                       op.message_id,
                       op.kernel.launches,
                       op.kernel.host_launches,
                       op.kernel.looped_launches,
                       op.exchange.experts,
                       op.exchange.token_bytes,
                       op.exchange.top_k};
  std::copy(op.kernel.sizes.begin(), op.kernel.sizes.end(), numbers.begin() + kFirstSize);
  return numbers;
}

bool is_valid(const OpForm& form) {
  using namespace workload;
  if (form.name.empty() || form.name.size() > 200) return false;
  for (const char letter : form.name)
    if (static_cast<unsigned char>(letter) <= ' ') return false;
  bool fine = below(form.op_class, OpClass::copy) && below(form.phase, Phase::step) &&
              is_stream(form.stream) && is_stream(form.marks) && below(form.axis, Axis::world) &&
              static_cast<unsigned>(form.format) < graph::kFormats &&
              static_cast<unsigned>(form.operation) < graph::kOperations &&
              static_cast<unsigned>(form.pass) < graph::kPasses &&
              form.traits < (1U << graph::kTraits) && form.transport < 16;
  for (const StreamCode wait : form.waits) fine = fine && is_stream(wait);
  for (const graph::Format format : form.formats)
    fine = fine && static_cast<unsigned>(format) < graph::kFormats;
  if (form.op_class == OpClass::copy && form.waits[0] == stream::none) return false;
  switch (form.kind) {
    case graph::NodeKind::comp:
    case graph::NodeKind::coll:
    case graph::NodeKind::send:
    case graph::NodeKind::recv:
    case graph::NodeKind::mem_load:
    case graph::NodeKind::mem_store:
      return fine && static_cast<unsigned>(form.collective) < kCollectiveNames.size();
    default:
      return false;
  }
}

bool are_valid(const OpNumbers& numbers) {
  constexpr std::int64_t kLargestNumber = std::int64_t{1} << 62;
  const auto at = [&](Number number) { return numbers[static_cast<std::size_t>(number)]; };
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (i == static_cast<std::size_t>(Number::peer_offset)) continue;
    if (numbers[i] < 0 || numbers[i] > kLargestNumber) return false;
  }
  constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();
  return std::max({at(Number::launches), at(Number::host_launches), at(Number::looped_launches)}) <=
             kMost32 &&
         at(Number::peer_offset) >= -kMost32 && at(Number::peer_offset) <= kMost32 &&
         at(Number::message_id) < workload::kMaxMessageId && at(Number::experts) <= 0xffff &&
         at(Number::token_bytes) <= 0xffff && at(Number::top_k) <= 0xff;
}

workload::Op make_op(const OpForm& form, const OpNumbers& numbers, std::uint32_t chunk) {
  const auto at = [&](Number number) { return numbers[static_cast<std::size_t>(number)]; };
  workload::Op op;
  op.name = form.name.c_str();
  op.op_class = form.op_class;
  op.phase = form.phase;
  op.kind = form.kind;
  op.stream = stream_of(form.stream, chunk);
  for (std::size_t i = 0; i < op.waits.size(); ++i) op.waits[i] = stream_of(form.waits[i], chunk);
  op.marks = stream_of(form.marks, chunk);
  op.collective = form.collective;
  op.axis = form.axis;
  op.format = form.format;
  op.matmul = at(Number::matmul);
  op.vector = at(Number::vector);
  op.repeated_flops = at(Number::repeated_flops);
  op.bytes = at(Number::bytes);
  op.devices = at(Number::devices);
  op.size = at(Number::size);
  op.peer_offset = static_cast<std::int32_t>(at(Number::peer_offset));
  op.message_id = static_cast<std::uint32_t>(at(Number::message_id));
  op.exchange.experts = static_cast<std::uint16_t>(at(Number::experts));
  op.exchange.token_bytes = static_cast<std::uint16_t>(at(Number::token_bytes));
  op.exchange.top_k = static_cast<std::uint8_t>(at(Number::top_k));
  op.exchange.packed_transport = form.transport;
  op.kernel.operation = form.operation;
  op.kernel.pass = form.pass;
  op.kernel.a = form.formats[0];
  op.kernel.b = form.formats[1];
  op.kernel.out = form.formats[2];
  op.kernel.traits = form.traits;
  op.kernel.host_waits = form.host_waits;
  op.kernel.launches = static_cast<std::uint32_t>(at(Number::launches));
  op.kernel.host_launches = static_cast<std::uint32_t>(at(Number::host_launches));
  op.kernel.looped_launches = static_cast<std::uint32_t>(at(Number::looped_launches));
  std::copy(numbers.begin() + kFirstSize, numbers.end(), op.kernel.sizes.begin());
  return op;
}

}  // namespace orrery::generative
