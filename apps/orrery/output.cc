// SPDX-License-Identifier: Apache-2.0
//
// Bytes leaving the program: stdout, files, and what an interrupt leaves behind.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "session.h"

namespace orrery::app {

namespace {

// The temporary file in the making, for the signal handler: set before it exists, cleared when it
// is gone.
char g_temporary[4096];
volatile std::sig_atomic_t g_has_temporary = 0;

extern "C" void on_interrupt(int) {
  if (g_has_temporary != 0) (void)::unlink(g_temporary);
  constexpr char text[] = "\norrery: interrupted\n";
  (void)!::write(2, text, sizeof text - 1);
  ::_exit(kInterrupted);
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A pipe, a terminal, /dev/null: nothing to replace, so it is written to directly.
bool is_device(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/// Gives the temporary its name unless that name is taken; where hard links are not to be had,
/// check and rename.
bool move_into_place(const std::string& temporary, const std::string& path, bool force) {
  if (force) return ::rename(temporary.c_str(), path.c_str()) == 0;
  if (::link(temporary.c_str(), path.c_str()) == 0) return true;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return false;
  if (::access(path.c_str(), F_OK) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(temporary.c_str(), path.c_str()) == 0;
}

tl::unexpected<Error> failed(const std::string& path, int error) {
  return fail(Errc::output_failed, path,
              fmt::format("cannot be written: {}", std::strerror(error)));
}

}  // namespace

bool print(std::string_view text) { return write_all(1, text); }

Result<void> write_output(const std::string& path, std::string_view text, bool force) {
  if (path == "-") {
    if (!print(text)) return failed("stdout", errno);
    return {};
  }
  if (is_device(path)) {
    const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool written = device >= 0 && write_all(device, text);
    const int error = errno;
    if (device >= 0) (void)::close(device);
    if (!written) return failed(path, error);
    return {};
  }
  const std::string temporary = path + fmt::format(".{}.tmp", ::getpid());
  if (temporary.size() >= sizeof g_temporary) return failed(path, ENAMETOOLONG);
  std::memcpy(g_temporary, temporary.c_str(), temporary.size() + 1);
  g_has_temporary = 1;
  const auto give_up = [&](int error) -> Result<void> {
    (void)::unlink(temporary.c_str());
    g_has_temporary = 0;
    if (error == EEXIST)
      return fail(Errc::output_exists, path, "exists already", "--force overwrites it");
    return failed(path, error);
  };
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    g_has_temporary = 0;
    return failed(path, errno);
  }
  const bool written = write_all(descriptor, text) && ::fsync(descriptor) == 0;
  const int error = errno;
  if (::close(descriptor) != 0 && written) return give_up(errno);
  if (!written) return give_up(error);
  if (!move_into_place(temporary, path, force)) return give_up(errno);
  (void)::unlink(temporary.c_str());
  g_has_temporary = 0;
  return {};
}

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  struct sigaction before {};
  (void)::sigaction(SIGINT, &action, &before);
  // Started with Ctrl-C switched off (in the background of a script): that is to stay so.
  if (before.sa_handler == SIG_IGN) (void)::sigaction(SIGINT, &before, nullptr);
}

}  // namespace orrery::app
