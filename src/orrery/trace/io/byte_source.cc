// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "orrery/core/system/file_read_recorder.h"

namespace orrery::trace {

Result<std::size_t> MemorySource::read(std::span<std::byte> into) {
  const std::size_t count = std::min(into.size(), rest_.size());
  if (count > 0) std::memcpy(into.data(), rest_.data(), count);
  rest_ = rest_.subspan(count);
  return count;
}

namespace {

class PrependSource final : public ByteSource {
 public:
  PrependSource(std::unique_ptr<ByteSource> rest, std::span<const std::byte> head)
      : rest_(std::move(rest)), head_(head.begin(), head.end()), left_(head_) {}

  Result<std::size_t> read(std::span<std::byte> into) override {
    const std::size_t count = take(into);
    if (count == into.size()) return count;
    auto more = rest_->read(into.subspan(count));
    // The next call returns the error again.
    if (!more) return count > 0 ? Result<std::size_t>(count) : more;
    return count + *more;
  }
  [[nodiscard]] std::uint64_t size_hint() const override {
    return rest_->size_hint() + left_.size();
  }

 private:
  std::size_t take(std::span<std::byte> into) {
    const std::size_t count = std::min(into.size(), left_.size());
    if (count > 0) std::memcpy(into.data(), left_.data(), count);
    left_ = left_.subspan(count);
    return count;
  }

  std::unique_ptr<ByteSource> rest_;
  std::vector<std::byte> head_;
  std::span<const std::byte> left_;
};

std::string reason(int code) { return std::generic_category().message(code); }

class FileSource final : public ByteSource {
 public:
  FileSource(std::string path, int fd, std::uint64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}
  ~FileSource() override { ::close(fd_); }

  Result<std::size_t> read(std::span<std::byte> into) override {
    std::size_t filled = 0;
    while (filled < into.size() && delivered_ < size_) {
      const ssize_t got = ::read(fd_, into.data() + filled, into.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(Errc::input_read, path_, "cannot read: " + reason(errno));
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
      delivered_ += static_cast<std::uint64_t>(got);
    }
    return filled;
  }
  [[nodiscard]] std::uint64_t size_hint() const override { return size_; }

 private:
  std::string path_;
  int fd_;
  std::uint64_t size_;
  std::uint64_t delivered_ = 0;  // a request beyond the file's size would cost another system call
};

}  // namespace

std::unique_ptr<ByteSource> prepend(std::unique_ptr<ByteSource> rest,
                                    std::span<const std::byte> head) {
  return std::make_unique<PrependSource>(std::move(rest), head);
}

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  // O_NONBLOCK: must not block on a pipe without a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int code = errno;
    return fail(code == ENOENT || code == ENOTDIR ? Errc::input_not_found : Errc::input_read, path,
                "cannot open: " + reason(code));
  }
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return fail(Errc::input_read, path,
                S_ISDIR(info.st_mode) ? "is a folder" : "is not a regular file");
  }
  record_file_read(path);
  return std::make_unique<FileSource>(path, fd, static_cast<std::uint64_t>(info.st_size));
}

}  // namespace orrery::trace
