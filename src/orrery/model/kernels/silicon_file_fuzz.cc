// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as files of devices: the reader accepts or rejects them and never crashes.
#include "orrery/core/check.h"
#include "orrery/model/kernels/silicon_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read =
      orrery::model::read_silicons({reinterpret_cast<const char*>(data), size}, "devices.txt");
  ORRERY_CHECK(read || !read.error().where.empty());
  return 0;
}
