// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/unpacking_source.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"

namespace orrery::trace {

UnpackingSource::UnpackingSource(std::unique_ptr<ByteSource> packed, std::string where,
                                 std::uint64_t ratio)
    : where_(std::move(where)), packed_(std::move(packed)), ratio_(ratio), buffer_(64 << 10) {}

Result<std::size_t> UnpackingSource::read(std::span<std::byte> into) {
  if (into.size() > (1u << 30)) into = into.first(1u << 30);
  std::size_t filled = 0;
  if (auto done = unpack_into(into, filled); !done) {
    if (filled == 0) return tl::unexpected(done.error());
    finished_ =
        false;  // what came before the damage is handed out first; the next call meets it again
    damage_ = std::move(done.error());
  }
  return filled;
}

Result<void> UnpackingSource::unpack_into(std::span<std::byte> into, std::size_t& filled) {
  if (damage_) return tl::unexpected(*damage_);
  while (filled < into.size() && !finished_) {
    if (input_.empty() && !holds_) {
      if (auto more = refill(); !more) return more;
      if (finished_) break;
    }
    std::size_t produced = 0;
    auto stepped = step(into.subspan(filled), produced);
    filled += produced;
    out_ += produced;
    if (!stepped) return stepped;
    if (auto allowed = check_limits(); !allowed) return allowed;
  }
  return {};
}

std::string UnpackingSource::place() const {
  return fmt::format("{}:byte {}", where_, in_ - input_.size());
}

Result<void> UnpackingSource::refill() {
  auto got = packed_->read(buffer_);
  if (!got) return tl::unexpected(std::move(got.error()));
  if (*got == 0) {
    finished_ = true;
    if (open_) return fail(Errc::input_truncated, place(), "the compressed data ends early");
    return {};
  }
  in_ += *got;
  input_ = std::span<const std::byte>(buffer_).first(*got);
  return {};
}

Result<void> UnpackingSource::check_limits() const {
  const std::uint64_t taken = in_ - input_.size();
  if (out_ > limits::kInflatedBytes || (out_ > limits::kInflateFloor && out_ / ratio_ > taken)) {
    return fail(Errc::limit_exceeded, place(),
                fmt::format("grows from {} to more than {} bytes when decompressed", taken, out_),
                "decompress it yourself if you trust it");
  }
  return {};
}

}  // namespace orrery::trace
