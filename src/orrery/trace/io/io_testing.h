// SPDX-License-Identifier: Apache-2.0
//
// For tests of readers: temporary folders, complete sources, handmade archives.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/gzip_testing.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::testing {

/// A folder that is removed after the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery_io_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TempFolder(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    const std::string path = *this / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::string path_;
};

inline std::unique_ptr<ByteSource> source(std::string_view bytes) {
  return std::make_unique<MemorySource>(std::as_bytes(std::span(bytes)));
}

/// Reads all bytes in steps of `step`.
inline Result<std::string> slurp(ByteSource& source, std::size_t step = 65536) {
  std::string all;
  std::vector<std::byte> some(step);
  while (true) {
    auto got = source.read(some);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return all;
    all.append(reinterpret_cast<const char*>(some.data()), *got);
  }
}

using core_testing::gzip;

inline std::string zstd(std::string_view bytes, int level = 3) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level));
  return out;
}

/// A ustar header; `type` '0' is a regular file.
inline std::string tar_header(std::string_view name, std::uint64_t size, char type = '0',
                              std::string_view prefix = {}) {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    block.replace(at, text.size(), text);
  };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  char octal[16];
  std::snprintf(octal, sizeof octal, "%011llo", static_cast<unsigned long long>(size));
  put(124, octal);
  block[156] = type;
  put(257, std::string_view("ustar\0", 6));
  put(263, "00");
  put(345, prefix);
  put(148, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(octal, sizeof octal, "%06o", sum);
  put(148, std::string_view(octal, 7));
  return block;
}

inline std::string tar_file(std::string_view name, std::string_view bytes, char type = '0',
                            std::string_view prefix = {}) {
  std::string out = tar_header(name, bytes.size(), type, prefix);
  out += bytes;
  out.append((512 - bytes.size() % 512) % 512, '\0');
  return out;
}

inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace orrery::trace::testing
