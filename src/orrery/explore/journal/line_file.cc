// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/journal/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "orrery/config/parameters.h"
#include "orrery/core/system/atomic_file.h"

namespace orrery::explore {

namespace {

constexpr std::size_t kDigestDigits = 64;

}  // namespace

void for_each_line(std::string_view text,
                   const std::function<void(const std::string& digest, const config::Json& line,
                                            std::string_view text)>& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // a truncated line
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty() || line.size() > kLineBytes) continue;
    const auto read = config::parse_json(line, "");
    if (!read || !read->is_object()) continue;
    const auto digest = read->find("digest");
    if (digest == read->end() || !digest->is_string()) continue;
    const auto key = digest->get<std::string>();
    if (key.size() == kDigestDigits) visit(key, *read, line);
  }
}

Result<LineFile> LineFile::begin(const std::string& path, std::string_view text) {
  const bool is_new = text.empty() && ::access(path.c_str(), F_OK) != 0;
  if (auto written = write_file_atomically(path, text, {.force = true}); !written)
    return tl::unexpected(written.error());
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return fail(Errc::output_failed, path, std::strerror(errno));
  LineFile file(path, descriptor);
  if (is_new) file.empty_ = TemporaryFile(path);
  return file;
}

LineFile::LineFile(LineFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      empty_(std::move(other.empty_)) {}

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> LineFile::add(std::string_view line) {
  if (const int error = write_all(descriptor_, line); error != 0)
    return fail(Errc::output_failed, path_, std::strerror(error));
  empty_.release();
  return {};
}

}  // namespace orrery::explore
