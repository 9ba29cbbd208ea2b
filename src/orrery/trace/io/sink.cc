// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/sink.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

namespace orrery::trace {

struct FileSink::Deflater {
  z_stream stream{};
  std::vector<char> out = std::vector<char>(64 << 10);
  ~Deflater() { deflateEnd(&stream); }
};

namespace {

tl::unexpected<Error> failed(const std::string& path, const char* doing) {
  return fail(Errc::output_failed, path,
              std::string(doing) + ": " + std::generic_category().message(errno));
}

}  // namespace

FileSink::FileSink(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}

Result<std::unique_ptr<FileSink>> FileSink::create(const std::string& path) {
  std::unique_ptr<FileSink> sink(new FileSink(path));
  sink->fd_ = ::open(sink->part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (sink->fd_ < 0) return failed(sink->part_, "cannot create");
  if (path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0) {
    sink->deflater_ = std::make_unique<Deflater>();
    if (deflateInit2(&sink->deflater_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      return fail(Errc::output_failed, path, "cannot start to compress");
    }
  }
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

Result<void> FileSink::deflate_some(std::string_view bytes, bool last) {
  constexpr std::size_t kStep = 1u << 30;
  do {
    const std::string_view step = bytes.substr(0, kStep);
    bytes.remove_prefix(step.size());
    z_stream& stream = deflater_->stream;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(step.data()));
    stream.avail_in = static_cast<uInt>(step.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(deflater_->out.data());
      stream.avail_out = static_cast<uInt>(deflater_->out.size());
      deflate(&stream, last && bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
      if (auto done = put({deflater_->out.data(), deflater_->out.size() - stream.avail_out}); !done)
        return done;
    } while (stream.avail_out == 0);
  } while (!bytes.empty());
  return {};
}

Result<void> FileSink::write(std::string_view bytes) {
  return deflater_ ? deflate_some(bytes, false) : put(bytes);
}

Result<void> FileSink::close() {
  if (deflater_) {
    if (auto done = deflate_some({}, true); !done) return done;
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
