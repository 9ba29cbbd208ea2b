// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/sink.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "orrery/core/folders.h"

namespace orrery::trace {

/// A compressor: bytes in, a block of packed bytes out.
class FileSink::Packer {
 public:
  virtual ~Packer() = default;
  [[nodiscard]] virtual bool good() const = 0;
  /// Takes from the front of `bytes` and returns what there is to write. `done`: nothing is held
  /// back that more calls would bring.
  virtual std::string_view step(std::string_view& bytes, bool last, bool& done) = 0;

 protected:
  std::vector<char> out_ = std::vector<char>(64 << 10);
};

namespace {

tl::unexpected<Error> failed(const std::string& path, const char* doing) {
  return fail(Errc::output_failed, path,
              std::string(doing) + ": " + std::generic_category().message(errno),
              "write to another place, or make room and access there");
}

}  // namespace

class FileSink::GzipPacker final : public Packer {
 public:
  GzipPacker()
      : good_(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                           Z_DEFAULT_STRATEGY) == Z_OK) {}
  ~GzipPacker() override { deflateEnd(&stream_); }
  [[nodiscard]] bool good() const override { return good_; }

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
  bool good_;
};

class FileSink::ZstdPacker final : public Packer {
 public:
  ZstdPacker() : stream_(ZSTD_createCStream()) {
    if (stream_ != nullptr) ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdPacker() override { ZSTD_freeCStream(stream_); }
  [[nodiscard]] bool good() const override { return stream_ != nullptr; }

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

FileSink::FileSink(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}

Result<std::unique_ptr<FileSink>> FileSink::create(const std::string& path) {
  std::unique_ptr<FileSink> sink(new FileSink(path));
  if (const std::error_code error = make_folders_of(path)) {
    errno = error.value();
    return failed(path, "cannot make its folder");
  }
  sink->fd_ = ::open(sink->part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (sink->fd_ < 0) return failed(sink->part_, "cannot create");
  if (path.ends_with(".gz")) sink->packer_ = std::make_unique<GzipPacker>();
  if (path.ends_with(".zst")) sink->packer_ = std::make_unique<ZstdPacker>();
  if (sink->packer_ && !sink->packer_->good())
    return fail(Errc::output_failed, path, "cannot start to compress");
  return sink;
}

FileSink::~FileSink() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(part_.c_str());
}

Result<void> FileSink::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return failed(part_, "cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> FileSink::pack(std::string_view bytes, bool last) {
  bool done = false;
  while (!done) {
    if (auto put_out = put(packer_->step(bytes, last, done)); !put_out) return put_out;
  }
  return {};
}

Result<void> FileSink::write(std::string_view bytes) {
  return packer_ ? pack(bytes, false) : put(bytes);
}

Result<void> FileSink::close() {
  if (packer_) {
    if (auto done = pack({}, true); !done) return done;
  }
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) {
    auto error = failed(path_, "cannot finish writing");
    ::unlink(part_.c_str());
    return error;
  }
  return {};
}

}  // namespace orrery::trace
