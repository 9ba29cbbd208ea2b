// SPDX-License-Identifier: Apache-2.0
//
// An op of a program as a form, which jobs share, and numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "orrery/workload/program/program.h"

namespace orrery::generative {

/// The numbers of an op.
enum class Number : std::uint8_t {
  matmul,
  vector,
  repeated_flops,
  bytes,
  devices,
  size,  ///< bytes of a collective or message
  peer_offset,
  message_id,
  launches,
  host_launches,
  looped_launches,
  experts,
  token_bytes,
  top_k,
  kernel_size,  ///< the first of graph::kKernelSizes sizes
};
inline constexpr std::size_t kFirstSize = static_cast<std::size_t>(Number::kernel_size);
inline constexpr std::size_t kNumbers = kFirstSize + graph::kKernelSizes;
using OpNumbers = std::array<std::int64_t, kNumbers>;

/// "bytes", "size 2".
[[nodiscard]] std::string number_name(std::size_t number);

/// A stream, or kPipeCode + its distance to the first pipeline stream of the op's chunk.
using StreamCode = std::int16_t;
inline constexpr StreamCode kPipeCode = 1024;

/// An op without its numbers.
struct OpForm {
  std::string name;
  workload::OpClass op_class = workload::OpClass::vector;
  workload::Phase phase = workload::Phase::forward;
  graph::NodeKind kind = graph::NodeKind::comp;
  StreamCode stream = 0;
  std::array<StreamCode, 4> waits{};
  StreamCode marks = 0;
  graph::CollectiveType collective = graph::CollectiveType::all_reduce;
  workload::Axis axis = workload::Axis::tp;
  graph::Format format = graph::Format::unsaid;
  std::uint8_t transport = 0;
  graph::Operation operation = graph::Operation::unsaid;
  graph::Pass pass = graph::Pass::forward;
  std::array<graph::Format, 3> formats{};  ///< of the kernel: a, b, out
  std::uint16_t traits = 0;
  bool host_waits = false;

  friend auto operator<=>(const OpForm&, const OpForm&) = default;
};

/// The form of an op of chunk `chunk`.
[[nodiscard]] OpForm form_of(const workload::Op& op, std::uint32_t chunk);
[[nodiscard]] OpNumbers numbers_of(const workload::Op& op);

/// Whether every value is in its range, for forms from files.
[[nodiscard]] bool is_valid(const OpForm& form);
/// Whether make_op() can represent the numbers, and they are not negative.
[[nodiscard]] bool are_valid(const OpNumbers& numbers);

/// The op. Its name points into `form`.
[[nodiscard]] workload::Op make_op(const OpForm& form, const OpNumbers& numbers,
                                   std::uint32_t chunk);

}  // namespace orrery::generative
