// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orrery::app {

/// The program: parses its arguments, runs the command, and returns the exit code.
int run_program(int argc, char** argv);

}  // namespace orrery::app
