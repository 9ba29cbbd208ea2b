// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/decompressing_source.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"

namespace orrery::trace {

DecompressingSource::DecompressingSource(std::unique_ptr<ByteSource> compressed, std::string where,
                                         std::uint64_t ratio)
    : where_(std::move(where)),
      compressed_(std::move(compressed)),
      ratio_(ratio),
      buffer_(64 << 10) {}

Result<std::size_t> DecompressingSource::read(std::span<std::byte> into) {
  if (into.size() > (1u << 30)) into = into.first(1u << 30);
  std::size_t filled = 0;
  if (auto done = decompress_into(into, filled); !done) {
    if (filled == 0) return tl::unexpected(done.error());
    is_finished_ =
        false;  // returns the bytes before the damage first; the next call reports the damage
    damage_ = std::move(done.error());
  }
  return filled;
}

Result<void> DecompressingSource::decompress_into(std::span<std::byte> into, std::size_t& filled) {
  if (damage_) return tl::unexpected(*damage_);
  while (filled < into.size() && !is_finished_) {
    if (input_.empty() && !has_pending_output_) {
      if (auto more = refill(); !more) return more;
      if (is_finished_) break;
    }
    std::size_t produced = 0;
    auto stepped = step(into.subspan(filled), produced);
    filled += produced;
    bytes_written_ += produced;
    if (!stepped) return stepped;
    if (auto allowed = check_limits(); !allowed) return allowed;
  }
  return {};
}

std::string DecompressingSource::place() const {
  return fmt::format("{}:byte {}", where_, bytes_read_ - input_.size());
}

Result<void> DecompressingSource::refill() {
  auto got = compressed_->read(buffer_);
  if (!got) return tl::unexpected(std::move(got.error()));
  if (*got == 0) {
    is_finished_ = true;
    if (is_frame_open_)
      return fail(Errc::input_truncated, place(), "the compressed data is truncated");
    return {};
  }
  bytes_read_ += *got;
  input_ = std::span<const std::byte>(buffer_).first(*got);
  return {};
}

Result<void> DecompressingSource::check_limits() const {
  const std::uint64_t taken = bytes_read_ - input_.size();
  if (bytes_written_ > limits::kInflatedBytes ||
      (bytes_written_ > limits::kInflateFloor && bytes_written_ / ratio_ > taken)) {
    return fail(Errc::limit_exceeded, place(),
                fmt::format("expands from {} to more than {} bytes when decompressed", taken,
                            bytes_written_),
                "decompress it yourself if you trust it");
  }
  return {};
}

}  // namespace orrery::trace
