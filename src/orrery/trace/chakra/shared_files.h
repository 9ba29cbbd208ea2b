// SPDX-License-Identifier: Apache-2.0
//
// Finds identical files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::chakra {

/// Recognizes files with equal content: by inode without opening them, else by size, hash and a
/// comparison of all bytes.
class SharedFiles {
 public:
  struct Lookup {
    bool is_duplicate = false;           ///< equal to an earlier file
    std::uint32_t index = 0;             ///< number of the distinct file, from 0
    std::unique_ptr<ByteSource> source;  ///< of a new file, at its start; null if `is_duplicate`
  };

  /// Errc: input_not_found, input_read.
  Result<Lookup> look_up(const std::string& path);

 private:
  struct UniqueFile {
    std::string path;
    std::uint64_t size;
    std::uint64_t hash;  // valid when is_hashed
    bool is_hashed;
    std::vector<std::byte> bytes;  // of small files
  };
  struct Inode {
    std::uint64_t device;
    std::uint64_t number;
    friend bool operator==(const Inode&, const Inode&) = default;
  };
  struct InodeHash {
    std::size_t operator()(const Inode& inode) const {
      return inode.number * 0x9E3779B97F4A7C15ull ^ inode.device;
    }
  };

  Result<Lookup> look_up_small(const std::string& path, Inode inode, std::uint64_t size);
  Result<Lookup> look_up_large(const std::string& path, Inode inode, std::uint64_t size);
  Lookup add(Inode inode, std::uint64_t key, UniqueFile file, std::unique_ptr<ByteSource> source);

  std::unordered_map<Inode, std::uint32_t, InodeHash> by_inode_;
  std::unordered_multimap<std::uint64_t, std::uint32_t>
      by_key_;  // small files by hash, large ones by size
  std::vector<UniqueFile> files_;
  std::vector<std::byte> scratch_;
  std::size_t cached_bytes_ = 0;
};

}  // namespace orrery::trace::chakra
