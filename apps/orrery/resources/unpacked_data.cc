// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "orrery/core/fnv.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/trace/inputs/tar.h"
#include "orrery/trace/io/byte_source.h"
#include "resources/built_in_data.h"
#include "resources/data_folder.h"

namespace orrery::app {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> no_place(const std::string& where, const std::string& why) {
  return fail(Errc::output_failed, where, fmt::format("Orrery's data cannot be unpacked: {}", why),
              "set XDG_CACHE_HOME to a folder that you can write to (4 MB)");
}

/// XDG_CACHE_HOME counts if it is an absolute path. Source: XDG Base Directory Specification.
std::optional<fs::path> cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return cache;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache";
  return std::nullopt;
}

constexpr std::string_view kUnpacking = ".unpacking-";

/// Removes folders of processes that were killed while unpacking, if they are older than an hour.
void remove_leftovers(const fs::path& inside) {
  std::error_code ignored;
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  std::vector<fs::path> old;
  for (fs::directory_iterator at(inside, ignored), end; at != end; at.increment(ignored))
    if (at->path().filename().string().starts_with(kUnpacking) &&
        at->last_write_time(ignored) < hour_ago)
      old.push_back(at->path());
  for (const fs::path& each : old) fs::remove_all(each, ignored);
}

/// A folder with a unique name that is removed unless it is moved.
class TemporaryFolder {
 public:
  /// The path is empty if it cannot be created; errno has the reason.
  explicit TemporaryFolder(const fs::path& inside) {
    std::string name = (inside / fmt::format("{}XXXXXX", kUnpacking)).string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Result<void> write_member(trace::TarReader& archive, const std::string& path) {
  auto file = AtomicFile::create(path, {.skip_sync = true});
  if (!file) return tl::unexpected(file.error());
  std::array<std::byte, 64 << 10> buffer;
  while (true) {
    const auto count = archive.read(buffer);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return file->finish();
    if (auto done = file->write({reinterpret_cast<const char*>(buffer.data()), *count}); !done)
      return done;
  }
}

Result<void> unpack_into(const fs::path& folder, std::string_view archive) {
  const std::string where = "built-in data";
  const auto bytes = trace::unzstd(
      std::make_unique<trace::MemorySource>(std::as_bytes(std::span(archive))), where);
  trace::TarReader reader(*bytes, where);
  while (true) {
    const auto member = reader.next();
    if (!member) return tl::unexpected(member.error());
    if (!*member) return {};
    if (auto done = write_member(reader, (folder / (*member)->name).string()); !done) return done;
  }
}

}  // namespace

Result<std::string> unpacked_data(std::string_view archive) {
  const auto cache = cache_folder();
  if (!cache) return no_place("", "neither XDG_CACHE_HOME nor HOME names a folder");
  const fs::path place = *cache / "orrery" / fmt::format("{:016x}", fnv1a(archive));
  if (holds_data(place / "data")) return (place / "data").string();

  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) return no_place(place.parent_path().string(), error.message());
  remove_leftovers(place.parent_path());
  const TemporaryFolder temporary(place.parent_path());
  if (temporary.path().empty())
    return no_place(place.parent_path().string(), std::generic_category().message(errno));
  if (auto done = unpack_into(temporary.path(), archive); !done)
    return no_place(place.parent_path().string(), done.error().what);
  // Fails if another process was faster; its folder is identical.
  fs::rename(temporary.path(), place, error);
  if (holds_data(place / "data")) return (place / "data").string();
  std::error_code ignored;
  return no_place(place.string(), fs::exists(place, ignored)
                                      ? "the folder is not complete; delete it"
                                      : error.message());
}

}  // namespace orrery::app
