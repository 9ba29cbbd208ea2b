// SPDX-License-Identifier: Apache-2.0
//
// Separate from the library: tests that link the commands have their own main().
#include "program.h"

int main(int argc, char** argv) { return orrery::app::run_program(argc, argv); }
