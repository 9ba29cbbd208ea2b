// SPDX-License-Identifier: Apache-2.0
//
// Opens a connection from a path or from the bytes of a file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <system_error>

#include "orrery/core/system/file_read_recorder.h"
#include "orrery/sqlite/connection.h"
#include "orrery/sqlite/database.h"

namespace orrery::sqlite {

namespace {

constexpr std::size_t kStart = 18;

// "a?b" → "file:a%3fb?immutable=1". With immutable, SQLite reads no journal or log and locks
// nothing.
std::string uri_of(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return uri + "?immutable=1";
}

// Reads the first bytes; -1 and errno on failure. Does not wait for the writer of a pipe.
ssize_t read_start(const std::string& path, char* bytes, struct stat& status) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  ssize_t got = ::fstat(fd, &status);
  if (got == 0 && S_ISREG(status.st_mode)) got = ::read(fd, bytes, kStart);
  const int error = errno;
  (void)::close(fd);
  errno = error;
  return got;
}

// The page size of a database, from bytes 16 and 17 of its header (SQLite, "Database File Format",
// section 1.3.2); 0 if they are invalid.
std::uint64_t page_bytes(std::string_view start) {
  if (start.size() < kStart) return 0;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(start[at]); };
  const std::uint64_t size = byte(16) * 256u + byte(17);
  if (size == 1) return 65536;
  return size >= 512 && std::has_single_bit(size) ? size : 0;
}

}  // namespace

Result<std::uint64_t> check_start(const std::string& path, const FileExpectation& expected) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  struct stat status {};
  char bytes[kStart];
  const ssize_t got = read_start(path, bytes, status);
  if (got < 0) {
    const Errc code =
        errno == ENOENT || errno == ENOTDIR ? Errc::input_not_found : Errc::input_read;
    return fail(code, path, "cannot be read: " + std::generic_category().message(errno));
  }
  if (!S_ISREG(status.st_mode)) return fail(Errc::input_read, path, "is not a regular file");
  const std::string_view start(bytes, static_cast<std::size_t>(got));
  if (!start.starts_with(kMagic)) {
    const bool packed = start.starts_with("\x1F\x8B") || start.starts_with("\x28\xB5\x2F\xFD");
    return fail(Errc::input_corrupt, path, std::string(expected.otherwise),
                packed ? "it is compressed: decompress it first" : std::string(expected.made_by));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  // SQLite reads the missing part of the last page as zeros.
  const std::uint64_t page = expected.cut ? 0 : page_bytes(start);
  if (page > 0 && size % page != 0) {
    return fail(
        Errc::input_corrupt, path,
        fmt::format("is truncated: {} bytes are not a multiple of its page size {}", size, page),
        std::string(expected.again));
  }
  return size;
}

Result<Database> Database::open(const std::string& path, const FileExpectation& expected) {
  const Result<std::uint64_t> size = check_start(path, expected);
  if (!size) return tl::unexpected(size.error());
  record_file_read(path);
  sqlite3* opened = nullptr;
  constexpr int kFlags =
      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE;
  const int code = sqlite3_open_v2(uri_of(path).c_str(), &opened, kFlags, nullptr);
  Database database(std::make_unique<Connection>(opened, *size, path));
  if (code != SQLITE_OK)
    return fail(Errc::input_read, path, std::string("cannot be read: ") + sqlite3_errstr(code));
  if (auto listed = database.harden_and_list(expected); !listed)
    return tl::unexpected(std::move(listed.error()));
  return database;
}

Result<Database> Database::in_memory(std::span<const std::byte> bytes, std::string where,
                                     const FileExpectation& expected) {
  sqlite3* opened = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  int code = sqlite3_open_v2(":memory:", &opened, kFlags, nullptr);
  Database database(std::make_unique<Connection>(opened, bytes.size(), std::move(where)));
  if (code == SQLITE_OK) {
    // SQLite does not modify a database that is deserialized read-only.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    code = sqlite3_deserialize(opened, "main", data, size, size, SQLITE_DESERIALIZE_READONLY);
  }
  if (code != SQLITE_OK) {
    return fail(Errc::input_corrupt, database.where(),
                std::string("SQLite reports: ") + sqlite3_errstr(code));
  }
  if (auto listed = database.harden_and_list(expected); !listed)
    return tl::unexpected(std::move(listed.error()));
  return database;
}

}  // namespace orrery::sqlite
