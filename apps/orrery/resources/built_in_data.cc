// SPDX-License-Identifier: Apache-2.0
//
// Includes the archive ORRERY_DATA_ARCHIVE with the assembler. A separate file, so that a change of
// the data recompiles only this file.
#include "resources/built_in_data.h"

#ifdef ORRERY_DATA_ARCHIVE
asm(".pushsection .rodata\n"
    ".global orrery_data_begin\n"
    ".global orrery_data_end\n"
    "orrery_data_begin:\n"
    ".incbin \"" ORRERY_DATA_ARCHIVE
    "\"\n"
    "orrery_data_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char orrery_data_begin[];
extern const char orrery_data_end[];
}
#endif

namespace orrery::app {

std::string_view built_in_data() {
#ifdef ORRERY_DATA_ARCHIVE
  return {orrery_data_begin, static_cast<std::size_t>(orrery_data_end - orrery_data_begin)};
#else
  return {};
#endif
}

}  // namespace orrery::app
