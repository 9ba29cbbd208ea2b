// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>

#include "orrery/core/limits.h"
#include "orrery/trace/io/decompressing_source.h"

namespace orrery::trace {
namespace {

// zstd finds repetitions in its complete window (up to 128 MiB), gzip in 32 KiB. Therefore the
// repeated steps of a valid recording can exceed the ratio that is a bomb in gzip.
constexpr std::uint64_t kRatio = 5 * limits::kInflateRatio;

constexpr int kWindowLog = std::bit_width(limits::kZstdWindowBytes) - 1;

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdSource final : public DecompressingSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> compressed, std::string where)
      : DecompressingSource(std::move(compressed), std::move(where), kRatio) {}

 private:
  Result<void> step(std::span<std::byte> into, std::size_t& produced) override {
    if (auto started = start(); !started) return started;
    if (!is_frame_open_ && bytes_written_ > 0 &&
        input_.front() == std::byte{0}) {  // padding, as after gzip
      is_finished_ = true;
      return {};
    }
    // If a call meets damage, zstd discards the output of that call. Therefore each call gets only
    // the requested input, which is at most a block, and none while zstd has more output.
    ZSTD_inBuffer in{input_.data(), has_pending_output_ ? 0 : std::min(input_.size(), wanted_), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
    input_ = input_.subspan(in.pos);
    produced = out.pos;
    if (ZSTD_isError(status) != 0) return broken(status);
    is_frame_open_ = status != 0;  // 0: a frame is complete; another may follow
    has_pending_output_ = is_frame_open_ && out.pos == out.size;
    // The requested size includes the next block's header, which may be damaged; so it is excluded.
    wanted_ = !is_frame_open_ ? kFirst : status > kBlockHeader ? status - kBlockHeader : status;
    return {};
  }

  Result<void> start() {
    if (stream_) return {};
    stream_.reset(ZSTD_createDStream());
    if (!stream_ ||
        ZSTD_isError(ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kWindowLog)) != 0)
      return fail(Errc::input_read, where_, "cannot start to decompress");
    return {};
  }

  tl::unexpected<Error> broken(std::size_t status) const {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
    if (code == ZSTD_error_frameParameter_windowTooLarge || code == ZSTD_error_memory_allocation) {
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("needs a window of more than {} MiB for decompression",
                              limits::kZstdWindowBytes >> 20),
                  "decompress it yourself (zstd -d --long=31)");
    }
    return fail(Errc::input_corrupt, place(),
                fmt::format("broken zstd data: {}", ZSTD_getErrorName(status)));
  }

  static constexpr std::size_t kFirst = 4;  // size of a frame's beginning
  static constexpr std::size_t kBlockHeader = 3;

  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  std::size_t wanted_ = kFirst;
};

bool begins_with(std::span<const std::byte> head, std::span<const unsigned char> magic) {
  if (head.size() < magic.size()) return false;
  for (std::size_t i = 0; i < magic.size(); ++i) {
    if (head[i] != std::byte{magic[i]}) return false;
  }
  return true;
}

constexpr unsigned char kGzip[] = {0x1F, 0x8B};
constexpr unsigned char kZstd[] = {0x28, 0xB5, 0x2F, 0xFD};
// A skippable frame of four bytes, as at the beginning of pzstd's files.
constexpr unsigned char kZstdInPieces[] = {0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0};

}  // namespace

std::unique_ptr<ByteSource> unzstd(std::unique_ptr<ByteSource> compressed, std::string where) {
  return std::make_unique<ZstdSource>(std::move(compressed), std::move(where));
}

Result<std::unique_ptr<ByteSource>> decompress(std::unique_ptr<ByteSource> source,
                                               const std::string& where) {
  std::byte bytes[8];
  std::size_t filled = 0;
  while (filled < sizeof bytes) {
    auto got = source->read(std::span(bytes).subspan(filled));
    if (!got && filled == 0) return tl::unexpected(std::move(got.error()));
    if (!got || *got == 0) break;
    filled += *got;
  }
  const std::span<const std::byte> head(bytes, filled);
  auto whole = prepend(std::move(source), head);
  if (begins_with(head, kGzip)) return gunzip(std::move(whole), where);
  if (begins_with(head, kZstd) || begins_with(head, kZstdInPieces))
    return unzstd(std::move(whole), where);
  return whole;
}

}  // namespace orrery::trace
