// SPDX-License-Identifier: Apache-2.0
//
// For tests: where the project, its build and its program are. CMake generates the definitions
// (cmake/OrreryRooms.cmake), so that no test is compiled with an absolute path: a compiler cache
// then has the tests of another clone, too. All are constants, safe to use in other constants.
#pragma once

namespace orrery::core_testing {

extern const char* const kSourceFolder;
extern const char* const kBuildFolder;
extern const char* const kProgram;  ///< the command line, where this build has one

}  // namespace orrery::core_testing
