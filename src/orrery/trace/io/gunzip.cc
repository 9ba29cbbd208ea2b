// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zlib.h>

#include "orrery/core/limits.h"
#include "orrery/trace/io/decompressing_source.h"

namespace orrery::trace {
namespace {

class GzipSource final : public DecompressingSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> compressed, std::string where)
      : DecompressingSource(std::move(compressed), std::move(where), limits::kInflateRatio) {}
  ~GzipSource() override {
    if (is_frame_open_) inflateEnd(&stream_);
  }

 private:
  Result<void> step(std::span<std::byte> into, std::size_t& produced) override {
    if (!is_frame_open_) {
      if (auto started = start_member(); !started || is_finished_) return started;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input_.data()));
    stream_.avail_in = static_cast<uInt>(input_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(into.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    input_ = input_.last(stream_.avail_in);
    produced = into.size() - stream_.avail_out;
    has_pending_output_ = stream_.avail_out == 0;
    if (status == Z_STREAM_END) {
      inflateEnd(&stream_);
      is_frame_open_ = false;
      has_pending_output_ = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return fail(Errc::input_corrupt, place(),
                  fmt::format("broken gzip data: {}",
                              stream_.msg != nullptr ? stream_.msg : "cannot be inflated"));
    }
    return {};
  }

  Result<void> start_member() {
    if (bytes_written_ > 0 && input_.front() == std::byte{0}) {  // padding after the last member,
      is_finished_ = true;                                       // as tape archives have it
      return {};
    }
    stream_ = z_stream{};
    if (inflateInit2(&stream_, 15 + 16) != Z_OK)
      return fail(Errc::input_read, where_, "cannot start to inflate");
    is_frame_open_ = true;
    return {};
  }

  z_stream stream_{};
};

}  // namespace

std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> compressed, std::string where) {
  return std::make_unique<GzipSource>(std::move(compressed), std::move(where));
}

}  // namespace orrery::trace
