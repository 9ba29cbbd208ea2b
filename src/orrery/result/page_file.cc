// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/page_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "orrery/core/folders.h"

namespace orrery::result {

namespace {

constexpr std::size_t kBufferBytes = 1u << 20;
constexpr Page kBlank{};

// 0 or an errno.
int write_all(int fd, const std::uint8_t* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(fd, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return 0;
}

// Gives the temporary its name unless that name is taken; where hard links are not to be had, looks
// and renames. 0 or an errno.
int move_into_place(const std::string& temporary, const std::string& target, bool force) {
  if (!force) {
    if (::link(temporary.c_str(), target.c_str()) == 0) {
      (void)::unlink(temporary.c_str());
      return 0;
    }
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
    if (::access(target.c_str(), F_OK) == 0) return EEXIST;
  }
  return ::rename(temporary.c_str(), target.c_str()) == 0 ? 0 : errno;
}

}  // namespace

PageFile::PageFile(std::string target, std::uint32_t lock_page)
    : target_(std::move(target)),
      temporary_(target_ + "." + std::to_string(::getpid()) + ".tmp"),
      lock_page_(lock_page) {
  buffer_.reserve(kBufferBytes);
  put(kBlank);  // page 1, for now
}

PageFile::PageFile(PageFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      lock_page_(other.lock_page_),
      next_(other.next_),
      fd_(std::exchange(other.fd_, -1)),
      error_(other.error_),
      buffer_(std::move(other.buffer_)) {}

PageFile::~PageFile() {
  if (fd_ < 0) return;
  (void)::close(fd_);
  (void)::unlink(temporary_.c_str());
}

Result<PageFile> PageFile::create(const std::string& target, std::uint32_t lock_page) {
  PageFile file(target, lock_page);
  struct stat status {};
  if (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return fail(Errc::output_failed, target, "is not a regular file",
                "a run file has to be written in place of one");
  }
  if (const std::error_code error = make_folders_of(target)) return file.refuse(error.value());
  file.fd_ = ::open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file.fd_ < 0) return file.refuse(errno);
  return file;
}

void PageFile::flush() {
  if (error_ == 0) error_ = write_all(fd_, buffer_.data(), buffer_.size());
  buffer_.clear();
}

void PageFile::put(const Page& page) {
  if (buffer_.size() + kPageBytes > kBufferBytes) flush();
  buffer_.insert(buffer_.end(), page.begin(), page.end());
}

std::uint32_t PageFile::append(const Page& page) {
  const std::uint32_t number = next_;
  const std::uint32_t following = after_next();
  put(page);
  if (following > number + 1) put(kBlank);
  next_ = following;
  return number;
}

tl::unexpected<Error> PageFile::refuse(int error) const {
  if (error == EEXIST)
    return fail(Errc::output_exists, target_, "exists already", "--force overwrites it");
  return fail(Errc::output_failed, target_,
              "cannot be written: " + std::generic_category().message(error),
              "write to another place, or make room and access there");
}

Result<void> PageFile::commit(const Page& first, bool force) {
  flush();
  if (error_ == 0 && ::lseek(fd_, 0, SEEK_SET) != 0) error_ = errno;
  if (error_ == 0) error_ = write_all(fd_, first.data(), first.size());
  if (error_ == 0 && ::fsync(fd_) != 0) error_ = errno;
  if (::close(std::exchange(fd_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0) error_ = move_into_place(temporary_, target_, force);
  if (error_ == 0) return {};
  (void)::unlink(temporary_.c_str());
  return refuse(error_);
}

}  // namespace orrery::result
