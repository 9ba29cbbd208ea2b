// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file of process groups, and as a dump inside a trace: an answer, no crash; an
// error says where and what.
#include <cstddef>
#include <cstdint>

#include "orrery/core/check.h"
#include "orrery/trace/chakra/groups.h"

namespace {

template <class Read>
void answered(const Read& read) {
  if (!read) ORRERY_CHECK(!read.error().where.empty() && !read.error().what.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  answered(orrery::trace::chakra::parse_groups(text, "groups.json"));
  answered(orrery::trace::chakra::parse_group_dump(text, "groups.json"));
  return 0;
}
