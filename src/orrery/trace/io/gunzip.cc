// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zlib.h>

#include <optional>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/trace/io/source.h"

namespace orrery::trace {
namespace {

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> compressed, std::string where)
      : compressed_(std::move(compressed)), where_(std::move(where)), input_(64 << 10) {}
  ~GzipSource() override {
    if (open_) inflateEnd(&stream_);
  }

  Result<std::size_t> read(std::span<std::byte> into) override {
    if (into.size() > (1u << 30)) into = into.first(1u << 30);
    std::size_t filled = 0;
    if (auto done = inflate_into(into, filled); !done) {
      if (filled == 0) return tl::unexpected(done.error());
      finished_ =
          false;  // what came before the damage is handed out first; the next call meets it again
      damage_ = std::move(done.error());
    }
    return filled;
  }

 private:
  Result<void> inflate_into(std::span<std::byte> into, std::size_t& filled) {
    if (damage_) return tl::unexpected(*damage_);
    while (filled < into.size() && !finished_) {
      if (stream_.avail_in == 0) {
        if (auto more = refill(); !more) return tl::unexpected(more.error());
        if (finished_) break;
      }
      if (!open_) {
        if (auto started = start_member(); !started) return tl::unexpected(started.error());
        if (finished_) break;
      }
      stream_.next_out = reinterpret_cast<Bytef*>(into.data() + filled);
      stream_.avail_out = static_cast<uInt>(into.size() - filled);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t produced = into.size() - filled - stream_.avail_out;
      filled += produced;
      out_ += produced;
      if (status == Z_STREAM_END) {
        inflateEnd(&stream_);
        open_ = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return fail(Errc::input_corrupt, place(),
                    fmt::format("broken gzip data: {}",
                                stream_.msg != nullptr ? stream_.msg : "cannot be inflated"));
      }
      if (auto allowed = check_limits(); !allowed) return tl::unexpected(allowed.error());
    }
    return {};
  }

  [[nodiscard]] std::string place() const {
    return fmt::format("{}:byte {}", where_, in_ - stream_.avail_in);
  }

  Result<void> refill() {
    auto got = compressed_->read(input_);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) {
      finished_ = true;
      if (open_) return fail(Errc::input_truncated, place(), "the gzip data ends early");
      return {};
    }
    in_ += *got;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(*got);
    return {};
  }

  Result<void> start_member() {
    if (out_ > 0 &&
        *stream_.next_in == 0) {  // padding after the last member, as tape archives leave it
      finished_ = true;
      return {};
    }
    Bytef* next = stream_.next_in;
    const uInt available = stream_.avail_in;
    stream_ = z_stream{};
    stream_.next_in = next;
    stream_.avail_in = available;
    if (inflateInit2(&stream_, 15 + 16) != Z_OK)
      return fail(Errc::input_read, where_, "cannot start to inflate");
    open_ = true;
    return {};
  }

  [[nodiscard]] Result<void> check_limits() const {
    const std::uint64_t consumed = in_ - stream_.avail_in;
    if (out_ > limits::kInflatedBytes ||
        (out_ > limits::kInflateFloor && out_ / limits::kInflateRatio > consumed)) {
      return fail(
          Errc::limit_exceeded, place(),
          fmt::format("grows from {} to more than {} bytes when decompressed", consumed, out_),
          "decompress it yourself if you trust it");
    }
    return {};
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string where_;
  std::vector<std::byte> input_;
  z_stream stream_{};
  bool open_ = false;
  bool finished_ = false;
  std::uint64_t in_ = 0;
  std::uint64_t out_ = 0;
  std::optional<Error> damage_;
};

}  // namespace

std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> compressed, std::string where) {
  return std::make_unique<GzipSource>(std::move(compressed), std::move(where));
}

Result<std::unique_ptr<ByteSource>> unpack(std::unique_ptr<ByteSource> source,
                                           const std::string& where) {
  std::byte head[2];
  auto got = source->read(head);
  if (!got) return tl::unexpected(got.error());
  const bool gzip = *got == 2 && head[0] == std::byte{0x1F} && head[1] == std::byte{0x8B};
  auto whole = replay(std::move(source), {head, *got});
  if (gzip) return gunzip(std::move(whole), where);
  return whole;
}

}  // namespace orrery::trace
