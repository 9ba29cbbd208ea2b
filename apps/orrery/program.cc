// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>

#include "arguments.h"
#include "orrery/core/system/memory_limit.h"
#include "session.h"

namespace orrery::app {

int run_program(int argc, char** argv) {
  install_signal_handlers();
  Session session;
  try {
    const auto table = build_table(session);
    const std::string program = argc > 0 ? argv[0] : "orrery";
    session.program = program;
    const int code = parse(*table, session, program, {argv + (argc > 0 ? 1 : 0), argv + argc});
    return code >= 0 ? code : session.action();
  } catch (const std::bad_alloc& failure) {
    return session.fail(memory_error(failure));
  } catch (const std::exception& error) {
    print_stderr(fmt::format(
        "orrery: internal defect: {}\n  please report it with the command line\n", error.what()));
    return kDefect;
  }
}

}  // namespace orrery::app
