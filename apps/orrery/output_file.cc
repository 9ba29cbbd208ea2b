// SPDX-License-Identifier: Apache-2.0
//
// Bytes leaving the program: stdout, files, and what an interrupt leaves behind.
#include "output_file.h"

#include <unistd.h>

#include <csignal>

#include "session.h"

namespace orrery::app {

namespace {

// Whoever ends the program otherwise (a closed pipe, `kill`, the terminal's window) is not told
// that it worked: after the clean-up the signal does what it always does.
extern "C" void on_end(int signal) {
  remove_temporary_files();
  (void)::signal(signal, SIG_DFL);
  (void)::raise(signal);  // comes when this returns
}

extern "C" void on_interrupt(int) {
  remove_temporary_files();
  constexpr char text[] = "\norrery: interrupted\n";
  (void)!::write(2, text, sizeof text - 1);
  ::_exit(kInterrupted);
}

}  // namespace

bool print(std::string_view text) { return write_all(1, text) == 0; }

void talk(std::string_view text) { (void)write_all(2, text); }

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

void install_signal_handlers() {
  const auto install = [](int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    // Nothing ends a program that is cleaning up: a second signal waits. (With SA_RESETHAND it need
    // not.)
    ::sigfillset(&action.sa_mask);
    struct sigaction before {};
    (void)::sigaction(signal, &action, &before);
    // Started with Ctrl-C switched off (in the background of a script), or under nohup: that is to
    // stay so.
    if (before.sa_handler == SIG_IGN) (void)::sigaction(signal, &before, nullptr);
  };
  install(SIGINT, on_interrupt);
  for (const int signal : {SIGTERM, SIGHUP, SIGPIPE}) install(signal, on_end);
  // A limit on the size of files is a write error (EFBIG) like a full disk.
  install(SIGXFSZ, SIG_IGN);
}

}  // namespace orrery::app
