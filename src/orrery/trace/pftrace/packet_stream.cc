// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pftrace/packet_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/limits.h"
#include "orrery/trace/pftrace/proto_fields.h"

namespace orrery::trace::pftrace {
namespace {

constexpr std::size_t kLongestVarint = 10;
constexpr std::uint64_t kPacketTag = kPacket << 3 | 2;

}  // namespace

std::string PacketStream::place() const { return fmt::format("{}:byte {}", where_, offset_); }

Result<std::optional<std::string_view>> PacketStream::end_truncated() {
  ended_ = true;
  findings_.add(FindingCode::truncated_tail_dropped, place());
  return std::nullopt;
}

/// Nothing: the file ends inside the varint, or it is not a varint.
Result<std::optional<std::uint64_t>> PacketStream::varint() {
  const auto some = window_.need(kLongestVarint);
  if (!some && window_.size() == 0) return tl::unexpected(some.error());
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < std::min(window_.size(), kLongestVarint); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(window_.data()[i]);
    value |= (byte & 0x7F) << (7 * i);
    if (byte >= 0x80) continue;
    window_.consume(i + 1);
    return value;
  }
  return std::nullopt;
}

Result<std::optional<std::string_view>> PacketStream::next() {
  window_.consume(taken_);
  taken_ = 0;
  const auto damaged = [](const Error& error) {
    return error.code == Errc::input_truncated || error.code == Errc::input_corrupt;
  };
  while (!ended_) {
    offset_ = window_.offset();
    const auto any = window_.need(1);
    if (!any && !damaged(any.error())) return tl::unexpected(any.error());
    if (!any) return end_truncated();
    if (!*any) return std::nullopt;
    const auto tag = varint();
    const auto length = tag ? varint() : tag;
    if (!length && !damaged(length.error())) return tl::unexpected(length.error());
    if (!length || !*length) return end_truncated();
    if ((**tag & 7) != 2) {  // a trace contains only messages
      ended_ = true;
      findings_.add(FindingCode::corrupt_record_dropped, place());
      return std::nullopt;
    }
    if (**length > limits::kRecordBytes) {
      return fail(
          Errc::limit_exceeded, place(),
          fmt::format("a packet claims {} bytes; the limit is {}", **length, limits::kRecordBytes),
          "either the file is damaged here or it is not a Perfetto trace");
    }
    const auto whole = window_.need(static_cast<std::size_t>(**length));
    if (!whole && !damaged(whole.error())) return tl::unexpected(whole.error());
    if (!whole || !*whole) return end_truncated();
    taken_ = static_cast<std::size_t>(**length);
    if (**tag == kPacketTag) return window_.text().substr(0, taken_);
    window_.consume(taken_);
    taken_ = 0;
  }
  return std::nullopt;
}

}  // namespace orrery::trace::pftrace
