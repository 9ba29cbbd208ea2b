// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/output_file.h"

namespace orrery::commands {

Result<void> check_absent(const std::string& path, bool force) {
  return orrery::check_absent(path, force || path == "-");
}

Result<AtomicFile> open_output(const std::string& path, bool force) {
  if (path == "-") return AtomicFile::onto(1, "stdout");
  return AtomicFile::create(path, {.force = force});
}

Result<void> write_output(const std::string& path, std::string_view text, bool force) {
  auto file = open_output(path, force);
  if (!file) return tl::unexpected(file.error());
  (void)file->write(text);
  return file->finish();
}

}  // namespace orrery::commands
