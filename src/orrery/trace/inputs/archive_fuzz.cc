// SPDX-License-Identifier: Apache-2.0
//
// Any bytes unpacked, taken for an archive, told apart: an answer, no crash, and the same one
// whatever the steps in which they are read.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/inputs/tar.h"

namespace {

using namespace orrery;
using trace::ByteSource;

constexpr std::size_t kMost = 1u << 22;  // of what comes out

/// What can be read, and why it ended there ("" at the end).
std::pair<std::string, std::string> slurp(ByteSource& source, std::size_t step) {
  std::string all;
  std::vector<std::byte> some(step);
  while (all.size() < kMost) {
    const auto got = source.read(some);
    if (!got) return {all, to_string(got.error())};
    ORRERY_CHECK(*got <= some.size());
    if (*got == 0) break;
    all.append(reinterpret_cast<const char*>(some.data()), *got);
  }
  return {all, ""};
}

std::pair<std::string, std::string> unpacked(std::span<const std::byte> bytes, std::size_t step) {
  auto plain = trace::decompress(std::make_unique<trace::MemorySource>(bytes), "fuzz");
  if (!plain) return {"", to_string(plain.error())};
  return slurp(**plain, step);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto whole = unpacked(bytes, 1u << 16);
  if (whole.first.size() < kMost) {
    const auto pieces = unpacked(bytes, 61);
    ORRERY_CHECK(pieces.first == whole.first);
    ORRERY_CHECK(pieces.second.empty() == whole.second.empty());
  }
  (void)trace::format_of(whole.first);

  trace::MemorySource archive(std::as_bytes(std::span(whole.first)));
  trace::TarReader tar(archive, "fuzz.tar");
  for (std::uint64_t read = 0;;) {
    auto member = tar.next();
    if (!member || !*member) break;
    read += (*member)->name.size();
    std::byte some[512];
    for (auto got = tar.read(some); got && *got > 0; got = tar.read(some)) read += *got;
    ORRERY_CHECK(read <= 2 * whole.first.size());
  }
  return 0;
}
