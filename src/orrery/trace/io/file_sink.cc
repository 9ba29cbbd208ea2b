// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/file_sink.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "orrery/core/system/create_parent_folders.h"

namespace orrery::trace {

/// A compressor, block by block.
class FileSink::Compressor {
 public:
  virtual ~Compressor() = default;
  [[nodiscard]] virtual bool is_valid() const = 0;
  /// Compresses from the front of `bytes`, which it shortens, and returns the output. `done`:
  /// further calls would return no more output.
  virtual std::string_view step(std::string_view& bytes, bool last, bool& done) = 0;

 protected:
  std::vector<char> out_ = std::vector<char>(64 << 10);
};

class FileSink::GzipCompressor final : public Compressor {
 public:
  GzipCompressor()
      : is_valid_(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                               Z_DEFAULT_STRATEGY) == Z_OK) {}
  ~GzipCompressor() override { deflateEnd(&stream_); }
  [[nodiscard]] bool is_valid() const override { return is_valid_; }

  std::string_view step(std::string_view& bytes, bool last, bool& done) override {
    constexpr std::size_t kStep = 1u << 30;
    const std::size_t taken = std::min(bytes.size(), kStep);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(taken);
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
    stream_.avail_out = static_cast<uInt>(out_.size());
    deflate(&stream_, last && taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(taken - stream_.avail_in);
    done = bytes.empty() && stream_.avail_out != 0;
    return {out_.data(), out_.size() - stream_.avail_out};
  }

 private:
  z_stream stream_{};
  bool is_valid_;
};

class FileSink::ZstdCompressor final : public Compressor {
 public:
  ZstdCompressor() : stream_(ZSTD_createCStream()) {
    if (stream_ != nullptr) ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdCompressor() override { ZSTD_freeCStream(stream_); }
  [[nodiscard]] bool is_valid() const override { return stream_ != nullptr; }

  std::string_view step(std::string_view& bytes, bool last, bool& done) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer out{out_.data(), out_.size(), 0};
    const std::size_t left =
        ZSTD_compressStream2(stream_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    bytes.remove_prefix(in.pos);
    done = ZSTD_isError(left) != 0 || (last ? left == 0 : bytes.empty());
    return {out_.data(), out.pos};
  }

 private:
  ZSTD_CStream* stream_;
};

FileSink::FileSink(AtomicFile file) : file_(std::move(file)) {}

FileSink::~FileSink() = default;

Result<std::unique_ptr<FileSink>> FileSink::create(const std::string& path, FilePlacement how) {
  if (const std::error_code error = create_parent_folders(path)) {
    return fail(Errc::output_failed, path, "cannot create its folder: " + error.message(),
                "write to another path, or free space and allow write access there");
  }
  auto file = AtomicFile::create(path, how);
  if (!file) return tl::unexpected(file.error());
  std::unique_ptr<FileSink> sink(new FileSink(*std::move(file)));
  if (path.ends_with(".gz")) sink->compressor_ = std::make_unique<GzipCompressor>();
  if (path.ends_with(".zst")) sink->compressor_ = std::make_unique<ZstdCompressor>();
  if (sink->compressor_ && !sink->compressor_->is_valid())
    return fail(Errc::output_failed, path, "cannot start to compress");
  return sink;
}

Result<void> FileSink::compress(std::string_view bytes, bool last) {
  bool done = false;
  while (!done) {
    if (auto written = file_.write(compressor_->step(bytes, last, done)); !written) return written;
  }
  return {};
}

Result<void> FileSink::write(std::string_view bytes) {
  return compressor_ ? compress(bytes, false) : file_.write(bytes);
}

Result<void> FileSink::close() {
  if (compressor_) {
    if (auto done = compress({}, true); !done) return done;
  }
  return file_.finish();
}

}  // namespace orrery::trace
