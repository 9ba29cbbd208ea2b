// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/shared_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "orrery/core/system/file_read_recorder.h"

namespace orrery::trace::chakra {
namespace {

// Such files are read at once and their bytes are stored.
constexpr std::uint64_t kMaxSmallFile = 256 << 10;
constexpr std::size_t kMaxCachedBytes = 16 << 20;  // maximum number of stored bytes
constexpr std::size_t kBlock = 256 << 10;

std::uint64_t hash_bytes(std::uint64_t state, std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  const auto mix = [&](std::uint64_t word) {
    state = (state ^ word) * 0x9E3779B97F4A7C15ull;
    state ^= state >> 29;
  };
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    mix(word);
  }
  std::uint64_t word = left;
  if (left > 0) std::memcpy(&word, at, left);
  mix(word ^ bytes.size());
  return state;
}

/// A source of bytes that it owns.
class OwningSource final : public ByteSource {
 public:
  explicit OwningSource(std::span<const std::byte> bytes)
      : bytes_(bytes.begin(), bytes.end()), memory_(bytes_) {}
  Result<std::size_t> read(std::span<std::byte> into) override { return memory_.read(into); }
  [[nodiscard]] std::uint64_t size_hint() const override { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
  MemorySource memory_;
};

Result<std::uint64_t> hash_file(const std::string& path, std::vector<std::byte>& scratch) {
  auto source = open_file(path);
  if (!source) return tl::unexpected(source.error());
  scratch.resize(kBlock);
  std::uint64_t state = 0;
  while (true) {
    auto got = (*source)->read(scratch);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return state;
    state = hash_bytes(state, {scratch.data(), *got});
  }
}

Result<bool> same_bytes(const std::string& a, const std::string& b) {
  auto first = open_file(a);
  if (!first) return tl::unexpected(first.error());
  auto second = open_file(b);
  if (!second) return tl::unexpected(second.error());
  std::vector<std::byte> left(kBlock);
  std::vector<std::byte> right(kBlock);
  while (true) {
    auto got = (*first)->read(left);
    if (!got) return tl::unexpected(got.error());
    auto other = (*second)->read(right);
    if (!other) return tl::unexpected(other.error());
    if (*got != *other || std::memcmp(left.data(), right.data(), *got) != 0) return false;
    if (*got == 0) return true;
  }
}

}  // namespace

SharedFiles::Lookup SharedFiles::add(Inode inode, std::uint64_t key, UniqueFile file,
                                     std::unique_ptr<ByteSource> source) {
  const auto index = static_cast<std::uint32_t>(files_.size());
  by_inode_.emplace(inode, index);
  by_key_.emplace(key, index);
  files_.push_back(std::move(file));
  return {false, index, std::move(source)};
}

Result<SharedFiles::Lookup> SharedFiles::look_up(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    const int code = errno;
    return fail(code == ENOENT || code == ENOTDIR ? Errc::input_not_found : Errc::input_read, path,
                "cannot open: " + std::generic_category().message(code));
  }
  record_file_read(path);
  const Inode inode{static_cast<std::uint64_t>(info.st_dev),
                    static_cast<std::uint64_t>(info.st_ino)};
  if (const auto found = by_inode_.find(inode); found != by_inode_.end())
    return Lookup{true, found->second, nullptr};
  const auto size = static_cast<std::uint64_t>(info.st_size);
  return size <= kMaxSmallFile && S_ISREG(info.st_mode) ? look_up_small(path, inode, size)
                                                        : look_up_large(path, inode, size);
}

Result<SharedFiles::Lookup> SharedFiles::look_up_small(const std::string& path, Inode inode,
                                                       std::uint64_t size) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(Errc::input_read, path, "cannot open: " + std::generic_category().message(errno));
  scratch_.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(fd, scratch_.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int code = errno;
      ::close(fd);
      return fail(Errc::input_read, path, "cannot read: " + std::generic_category().message(code));
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  ::close(fd);
  const std::span<const std::byte> bytes{scratch_.data(), filled};
  const std::uint64_t hash = hash_bytes(0, bytes);
  const auto [begin, end] = by_key_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const UniqueFile& known = files_[it->second];
    if (known.size != filled) continue;
    if (known.bytes.size() == filled) {
      if (filled == 0 || std::memcmp(known.bytes.data(), bytes.data(), filled) == 0)
        return Lookup{true, it->second, nullptr};
      continue;
    }
    auto same = same_bytes(path, known.path);
    if (!same) return tl::unexpected(same.error());
    if (*same) return Lookup{true, it->second, nullptr};
  }
  UniqueFile file{path, filled, hash, true, {}};
  if (cached_bytes_ + filled <= kMaxCachedBytes) {
    file.bytes.assign(bytes.begin(), bytes.end());
    cached_bytes_ += filled;
  }
  return add(inode, hash, std::move(file), std::make_unique<OwningSource>(bytes));
}

Result<SharedFiles::Lookup> SharedFiles::look_up_large(const std::string& path, Inode inode,
                                                       std::uint64_t size) {
  UniqueFile file{path, size, 0, false, {}};
  const auto [begin, end] = by_key_.equal_range(size);
  if (begin != end) {
    auto hash = hash_file(path, scratch_);
    if (!hash) return tl::unexpected(hash.error());
    file.hash = *hash;
    file.is_hashed = true;
    for (auto it = begin; it != end; ++it) {
      UniqueFile& known = files_[it->second];
      if (known.size != size) continue;
      if (!known.is_hashed) {
        auto theirs = hash_file(known.path, scratch_);
        if (!theirs) return tl::unexpected(theirs.error());
        known.hash = *theirs;
        known.is_hashed = true;
      }
      if (known.hash != file.hash) continue;
      auto same = same_bytes(path, known.path);
      if (!same) return tl::unexpected(same.error());
      if (*same) return Lookup{true, it->second, nullptr};
    }
  }
  auto source = open_file(path);
  if (!source) return tl::unexpected(source.error());
  return add(inode, size, std::move(file), std::move(*source));
}

}  // namespace orrery::trace::chakra
