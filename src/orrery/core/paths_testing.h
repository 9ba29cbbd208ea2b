// SPDX-License-Identifier: Apache-2.0
//
// For tests: the locations of the repository, its build and its program. CMake generates the
// definitions (cmake/OrreryRooms.cmake), so that no test is compiled with an absolute path: clones
// can then share a compiler cache. All are constants and safe to use in other constants.
#pragma once

namespace orrery::core_testing {

extern const char* const kSourceFolder;
extern const char* const kBuildFolder;
extern const char* const kProgram;  ///< the command line, if this build has it

}  // namespace orrery::core_testing
