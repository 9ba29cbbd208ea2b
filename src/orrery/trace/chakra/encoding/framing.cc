// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/encoding/framing.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::size_t kLongestVarint = 10;
constexpr const char* kTailHint = "--repair reads the records before it and reports the loss";

}  // namespace

Result<std::optional<Record>> RecordStream::end_damaged(FindingCode code, Error error) {
  ended_ = true;
  if (repair_ == graph::Repair::refuse) return tl::unexpected(std::move(error));
  findings_.add(code, error.where);
  return std::nullopt;
}

Result<std::optional<Record>> RecordStream::next_slowly() {
  if (ended_) return std::nullopt;
  const std::uint64_t offset = window_.offset();
  const auto place = [&] { return fmt::format("{}:byte {}", where_, offset); };
  const auto broken_source = [&](Error error) {
    return error.code == Errc::input_truncated || error.code == Errc::input_corrupt
               ? end_damaged(FindingCode::truncated_tail_dropped, std::move(error))
               : Result<std::optional<Record>>(tl::unexpected(std::move(error)));
  };
  auto some = window_.need(kLongestVarint);
  if (!some) return broken_source(std::move(some.error()));
  if (window_.size() == 0) return std::nullopt;

  std::uint64_t length = 0;
  std::size_t prefix = 0;
  while (true) {
    if (prefix == window_.size()) {
      return end_damaged(FindingCode::truncated_tail_dropped,
                         {Errc::input_truncated, place(),
                          "the file ends inside the length of a record", kTailHint});
    }
    const auto byte = std::to_integer<std::uint64_t>(window_.data()[prefix]);
    length |= (byte & 0x7F) << (7 * prefix);
    ++prefix;
    if (byte < 0x80) break;
    if (prefix == 5) {  // lengths are 32-bit
      return end_damaged(
          FindingCode::corrupt_record_dropped,
          {Errc::input_corrupt, place(), "the length of a record is not below 2^32", kTailHint});
    }
  }
  if (length > limits::kRecordBytes) {
    return end_damaged(
        FindingCode::corrupt_record_dropped,
        {Errc::limit_exceeded, place(),
         fmt::format("a record claims {} bytes; the limit is {}", length, limits::kRecordBytes),
         "either the file is damaged here or it is not a Chakra trace"});
  }
  auto whole = window_.need(prefix + length);
  if (!whole) return broken_source(std::move(whole.error()));
  if (!*whole) {
    return end_damaged(FindingCode::truncated_tail_dropped,
                       {Errc::input_truncated, place(),
                        fmt::format("a record claims {} bytes, but only {} remain", length,
                                    window_.size() - prefix),
                        kTailHint});
  }
  taken_ = prefix + length;
  return Record{{window_.data() + prefix, static_cast<std::size_t>(length)}, offset, prefix};
}

}  // namespace orrery::trace::chakra
