// SPDX-License-Identifier: Apache-2.0
//
// Output to stdout and stderr, and clean-up of files when a signal ends the program.
#include <unistd.h>

#include <csignal>

#include "orrery/core/system/atomic_file.h"
#include "session.h"

namespace orrery::app {

namespace {

// For a closed pipe, `kill` or a closed terminal. After the clean-up, the signal gets its default
// effect, so that the exit status shows it.
extern "C" void on_end(int signal) {
  remove_temporary_files();
  (void)::signal(signal, SIG_DFL);
  (void)::raise(signal);  // delivered when this returns
}

extern "C" void on_interrupt(int) {
  remove_temporary_files();
  constexpr char text[] = "\norrery: interrupted\n";
  (void)!::write(2, text, sizeof text - 1);
  ::_exit(kInterrupted);
}

}  // namespace

bool print(std::string_view text) { return write_all(1, text) == 0; }

void print_stderr(std::string_view text) { (void)write_all(2, text); }

void install_signal_handlers() {
  const auto install = [](int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    // Blocks all signals during the clean-up: a second signal waits. (SA_RESETHAND would not ensure
    // that.)
    ::sigfillset(&action.sa_mask);
    struct sigaction before {};
    (void)::sigaction(signal, &action, &before);
    // An ignored signal stays ignored: Ctrl-C in the background of a script, SIGHUP under nohup.
    if (before.sa_handler == SIG_IGN) (void)::sigaction(signal, &before, nullptr);
  };
  install(SIGINT, on_interrupt);
  for (const int signal : {SIGTERM, SIGHUP, SIGPIPE}) install(signal, on_end);
  // Exceeding the limit on file sizes becomes a write error (EFBIG), like a full disk.
  install(SIGXFSZ, SIG_IGN);
}

}  // namespace orrery::app
