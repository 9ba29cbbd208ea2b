// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file/page_file.h"

#include <sys/stat.h>

#include <string_view>
#include <utility>

namespace orrery::result {

namespace {

constexpr std::size_t kBufferBytes = 1u << 20;
constexpr Page kBlank{};

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

PageFile::PageFile(AtomicFile file, std::uint32_t lock_page)
    : file_(std::move(file)), lock_page_(lock_page) {
  buffer_.reserve(kBufferBytes);
  put(kBlank);  // placeholder for page 1
}

Result<PageFile> PageFile::create(const std::string& target, bool force, std::uint32_t lock_page) {
  struct stat status {};
  if (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return fail(Errc::output_failed, target, "is not a regular file",
                "a run file can replace only a regular file");
  }
  auto file = AtomicFile::create(target, {.force = force});
  if (!file) return tl::unexpected(file.error());
  return PageFile(*std::move(file), lock_page);
}

void PageFile::flush() {
  (void)file_.write(text_of(buffer_.data(), buffer_.size()));
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

Result<void> PageFile::commit(const Page& first) {
  flush();
  (void)file_.write_at(0, text_of(first.data(), first.size()));
  return file_.finish();
}

}  // namespace orrery::result
