// SPDX-License-Identifier: Apache-2.0
//
// Not in a library: tests that link the commands have a main() of their own.
#include "program.h"

int main(int argc, char** argv) { return orrery::app::run_program(argc, argv); }
