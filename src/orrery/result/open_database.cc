// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <system_error>

#include "orrery/result/table_reader.h"

namespace orrery::result {

namespace {

// "a?b" → "file:a%3fb?immutable=1": nothing beside the file is looked at, and nothing is locked.
std::string uri_of(const std::string& path) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    if (plain) {
      uri += c;
    } else {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri + "?immutable=1";
}

// Reads the first bytes; -1 and errno when that fails.
ssize_t read_start(const std::string& path, char* bytes, std::size_t size, struct stat& status) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  ssize_t got = ::fstat(fd, &status);
  if (got == 0 && S_ISREG(status.st_mode)) got = ::read(fd, bytes, size);
  const int error = errno;
  (void)::close(fd);
  errno = error;
  return got;
}

// The size of a database's pages, from bytes 16 and 17 of its header (SQLite, "Database File
// Format", section 1.3.2); 0 where they say nothing.
std::uint64_t page_bytes(std::string_view start) {
  if (start.size() < 18) return 0;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(start[at]); };
  const std::uint64_t size = byte(16) * 256u + byte(17);
  if (size == 1) return 65536;
  return size >= 512 && std::has_single_bit(size) ? size : 0;
}

}  // namespace

void CloseDatabase::operator()(sqlite3* database) const { (void)sqlite3_close(database); }

Result<Database> open_database(const std::string& path, std::uint64_t& size) {
  struct stat status {};
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  char start[18];
  const ssize_t got = read_start(path, start, sizeof start, status);
  if (got < 0) {
    const Errc code =
        errno == ENOENT || errno == ENOTDIR ? Errc::input_not_found : Errc::input_read;
    return fail(code, path, "cannot be read: " + std::generic_category().message(errno));
  }
  if (!S_ISREG(status.st_mode)) return fail(Errc::input_read, path, "is not a regular file");
  const std::string_view begun(start, static_cast<std::size_t>(got));
  if (!begun.starts_with(kMagic)) {
    return fail(Errc::input_corrupt, path, "is not a run file: it does not begin as one",
                "was it written by 'orrery run -o'?");
  }
  size = static_cast<std::uint64_t>(status.st_size);
  // SQLite itself takes what is missing of the last page for zeros.
  if (const std::uint64_t page = page_bytes(begun); page > 0 && size % page != 0) {
    return fail(
        Errc::input_corrupt, path,
        fmt::format("is cut off: {} bytes are no whole number of its pages of {}", size, page),
        "copy it again, or run 'orrery run -o' again");
  }
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(path.empty() ? "" : uri_of(path).c_str(), &opened,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
  Database database(opened);
  if (code != SQLITE_OK)
    return fail(Errc::input_read, path, std::string("cannot be read: ") + sqlite3_errstr(code));
  return database;
}

}  // namespace orrery::result
