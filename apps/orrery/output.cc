// SPDX-License-Identifier: Apache-2.0
//
// Bytes leaving the program: stdout, files, and what an interrupt leaves behind.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "orrery/core/folders.h"
#include "output_file.h"
#include "session.h"

namespace orrery::app {

namespace {

// The temporary file in the making, for the signal handler: set before it exists, cleared when it
// is gone.
char g_temporary[4096];
volatile std::sig_atomic_t g_has_temporary = 0;

// Whoever ends the program otherwise (a closed pipe, `kill`, the terminal's window) is not told
// that it worked: after the clean-up the signal does what it always does.
extern "C" void on_end(int signal) {
  if (g_has_temporary != 0) (void)::unlink(g_temporary);
  (void)::raise(signal);  // SA_RESETHAND: by its default
}

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

tl::unexpected<Error> exists_already(const std::string& path) {
  return fail(Errc::output_exists, path, "exists already", "--force overwrites it");
}

}  // namespace

bool print(std::string_view text) { return write_all(1, text); }

void talk(std::string_view text) { (void)write_all(2, text); }

Result<void> check_absent(const std::string& path, bool force) {
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (there && !force && path != "-") return exists_already(path);
  return {};
}

bool is_device(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::string temporary_of(const std::string& path) {
  return path + fmt::format(".{}.tmp", ::getpid());
}

void set_temporary(const std::string& path) {
  g_has_temporary = 0;
  if (path.empty() || path.size() >= sizeof g_temporary) return;
  std::memcpy(g_temporary, path.c_str(), path.size() + 1);
  g_has_temporary = 1;
}

OutputFile::OutputFile(std::string path, bool force) : path_(std::move(path)), force_(force) {
  if (path_ == "-") {
    descriptor_ = 1;
    return;
  }
  if (is_device(path_)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) error_ = errno;
    return;
  }
  std::string temporary = temporary_of(path_);
  if (temporary.size() >= sizeof g_temporary) {
    error_ = ENAMETOOLONG;
    return;
  }
  if (const std::error_code error = make_folders_of(path_)) {
    error_ = error.value();
    return;
  }
  set_temporary(temporary);
  descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    error_ = errno;
    set_temporary("");
  } else {
    temporary_ = std::move(temporary);
  }
}

OutputFile::~OutputFile() { discard(); }

bool OutputFile::write(std::string_view bytes) {
  if (error_ != 0) return false;
  if (!write_all(descriptor_, bytes)) {
    error_ = errno;
    return false;
  }
  size_ += bytes.size();
  return true;
}

Result<void> OutputFile::failed(int error) {
  discard();
  if (error == EEXIST) return exists_already(path_);
  return fail(Errc::output_failed, path_ == "-" ? "stdout" : path_,
              fmt::format("cannot be written: {}", std::strerror(error)),
              path_ == "-" ? "" : "write to another place, or make room and access there");
}

Result<void> OutputFile::finish() {
  if (error_ != 0) return failed(error_);
  if (descriptor_ == 1) return {};
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) return failed(errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) return failed(errno);
  if (!temporary_.empty() && !move_into_place(temporary_, path_, force_)) return failed(errno);
  discard();
  return {};
}

/// Closes what is open and takes the temporary away (which is another name of the file by now, if
/// all went well, or no name at all).
void OutputFile::discard() {
  if (descriptor_ > 1) (void)::close(descriptor_);
  descriptor_ = -1;
  if (temporary_.empty()) return;
  (void)::unlink(temporary_.c_str());
  temporary_.clear();
  set_temporary("");
}

Result<void> write_output(const std::string& path, std::string_view text, bool force) {
  OutputFile file(path, force);
  (void)file.write(text);
  return file.finish();
}

void install_signal_handlers() {
  const auto install = [](int signal, void (*handler)(int), int flags) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    struct sigaction before {};
    (void)::sigaction(signal, &action, &before);
    // Started with Ctrl-C switched off (in the background of a script), or under nohup: that is to
    // stay so.
    if (before.sa_handler == SIG_IGN) (void)::sigaction(signal, &before, nullptr);
  };
  install(SIGINT, on_interrupt, 0);
  for (const int signal : {SIGTERM, SIGHUP, SIGPIPE}) install(signal, on_end, SA_RESETHAND);
  // A limit on the size of files is a write error (EFBIG) like a full disk.
  install(SIGXFSZ, SIG_IGN, 0);
}

}  // namespace orrery::app
