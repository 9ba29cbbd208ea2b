// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "addons/ui/access.h"
#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/system/create_parent_folders.h"
#include "orrery/core/system/sha256.h"

namespace orrery::ui {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestName = 255;
constexpr int kLevels = 4;

bool is_plain(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || name.front() == '/') return false;
  while (true) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.empty() || part.front() == '.') return false;
    if (std::any_of(part.begin(), part.end(), [](unsigned char one) { return one < 0x20; }))
      return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

/// A new file without a name of its own until keep().
class Upload {
 public:
  explicit Upload(const fs::path& folder) : path_((folder / ".upload-XXXXXX").string()) {
    descriptor_ = ::mkstemp(path_.data());
  }
  ~Upload() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  [[nodiscard]] bool write(std::string_view bytes) {
    while (descriptor_ >= 0 && !bytes.empty()) {
      const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
      if (done < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return descriptor_ >= 0;
  }
  /// False if there is a file already, or the disk is full.
  [[nodiscard]] bool keep(const std::string& path) {
    constexpr mode_t kReadable = 0644;
    if (::fchmod(descriptor_, kReadable) != 0 || ::link(path_.c_str(), path.c_str()) != 0)
      return false;
    return true;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

void list(const fs::path& folder, const std::string& prefix, int levels, std::size_t limit,
          std::vector<FileEntry>& out) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(".") || it->is_symlink(ignored)) continue;
    if (it->is_regular_file(ignored)) {
      out.push_back({prefix + name, static_cast<std::uint64_t>(it->file_size(ignored))});
    } else if (it->is_directory(ignored) && levels > 1 && out.size() < limit) {
      list(it->path(), prefix + name + "/", levels - 1, limit, out);
    }
  }
}

Result<void> check_value(const Folder& folder, const config::Json& value,
                         const std::string& where) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    // Models of hubs ("meta-llama/Llama-3.1-8B") are names like those of files in folders. Of
    // "NAME=PATH" and "a,b" each part is looked at.
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(",=:;|"), rest.size());
      const std::string_view part = rest.substr(0, end);
      std::error_code ignored;
      const bool is_link = part.size() <= kLongestName && !part.empty() &&
                           part.find('\0') == std::string_view::npos &&
                           fs::is_symlink(fs::path(folder.path()) / part, ignored);
      if (part.find('/') != std::string_view::npos || part == ".." || is_link)
        if (auto fine = folder.path_of(part); !fine)
          return fail(Errc::usage, where, fine.error().what, fine.error().hint);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
  }
  if (value.is_structured())
    for (const auto& item : value.items())
      if (auto fine = check_value(folder, item.value(), where + "/" + item.key()); !fine)
        return fine;
  return {};
}

}  // namespace

Folder::Folder(std::string path) : path_(fs::canonical(path).string()) {}

Result<std::string> Folder::path_of(std::string_view name) const {
  const auto refused = [&](const char* what) {
    return fail(Errc::usage, "file", fmt::format("'{}' {}", name, what),
                "name files relative to the folder of 'orrery ui'");
  };
  if (!is_plain(name)) return refused("is not the name of a file in the folder");
  const fs::path path = fs::path(path_) / std::string(name);
  std::error_code error;
  const std::string real = fs::weakly_canonical(path, error).string();
  if (error || !(real + "/").starts_with(path_ == "/" ? path_ : path_ + "/"))
    return refused("leaves the folder");
  return real;
}

std::vector<FileEntry> Folder::files(std::size_t limit) const {
  std::vector<FileEntry> found;
  list(path_, "", kLevels, limit, found);
  std::sort(found.begin(), found.end(),
            [](const FileEntry& a, const FileEntry& b) { return a.name < b.name; });
  if (found.size() > limit) found.resize(limit);
  return found;
}

Answer Folder::store(std::string_view name, Request& request) const {
  const auto path = path_of(name);
  if (!path) return error_answer(422, "usage", path.error().what, path.error().hint);
  if (const std::error_code failed = create_parent_folders(*path))
    return error_answer(500, "output_failed", failed.message(), "is the folder writable?");
  Upload upload(fs::path(*path).parent_path());
  bool is_written = true;
  const bool is_whole =
      request.read_body == nullptr || request.read_body([&](std::string_view piece) {
        is_written = upload.write(piece);
        return is_written;
      });
  if (!is_written)
    return error_answer(507, "output_failed", "the file could not be written", "is the disk full?");
  if (!is_whole) return error_answer(400, "broken", "the connection broke", "send the file again");
  Answer answer;
  answer.status = 201;
  if (!upload.keep(*path)) {
    const auto there = sha256_of_file(*path), sent = sha256_of_file(upload.path());
    if (!there || !sent)
      return error_answer(500, "output_failed", "the file could not be stored", "try another name");
    if (*there != *sent)
      return error_answer(409, "output_exists", fmt::format("there is another file '{}'", name),
                          "give it another name");
    answer.status = 200;
  }
  answer.body = config::Json{{"name", std::string(name)}}.dump() + "\n";
  return answer;
}

Answer Folder::fetch(std::string_view name) const {
  const auto path = path_of(name);
  if (!path) return error_answer(422, "usage", path.error().what, path.error().hint);
  std::error_code ignored;
  if (!fs::is_regular_file(*path, ignored))
    return error_answer(404, "not_found", fmt::format("there is no file '{}'", name),
                        "/v1/files lists the files");
  Answer answer;
  answer.type = "application/octet-stream";
  answer.file = *path;
  answer.headers = {{"Content-Disposition", "attachment"}};
  return answer;
}

Result<void> check_paths(const Folder& folder, std::string_view question) {
  const auto read = config::parse_json(question, "question");
  if (!read) return tl::unexpected(read.error());
  return check_value(folder, *read, "question:");
}

}  // namespace orrery::ui
