// SPDX-License-Identifier: Apache-2.0
//
// Which files an answer was computed from: what is stored is used again only while they are
// unchanged.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace orrery {

/// Paths, as they were opened, and the SHA-256 of the bytes (64 hexadecimal digits); empty: the
/// file could not be opened.
using FileHashes = std::map<std::string, std::string>;

/// While it exists, it records the files that its thread reads, and those that a ThreadPool reads
/// for this thread. Scopes may nest: a file counts for each of them. Destroy it on the thread that
/// made it.
class ReadFiles {
 public:
  ReadFiles();
  ~ReadFiles();
  ReadFiles(const ReadFiles&) = delete;
  ReadFiles& operator=(const ReadFiles&) = delete;

  /// So far.
  [[nodiscard]] FileHashes hashes() const;

  /// The innermost scope of this thread; may be null.
  [[nodiscard]] static ReadFiles* current();
  /// Another thread works for this scope while this exists. `scope` may be null.
  class ThreadScope {
   public:
    explicit ThreadScope(ReadFiles* scope);
    ~ThreadScope();
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;

   private:
    ReadFiles* before_;
  };

 private:
  friend void record_file_read(const std::string& path);
  friend void record_file_read(const std::string& path, std::string_view bytes);
  [[nodiscard]] bool knows(const std::string& path) const;
  void add(const std::string& path, const std::string& hash);

  ReadFiles* outer_;
  mutable std::mutex mutex_;
  FileHashes hashes_;
};

/// Code that opens an input file calls one of these: the file is hashed if a scope records it and
/// has not seen it yet. Without a scope this costs nothing. Any thread.
void record_file_read(const std::string& path);
/// The same, of a file whose bytes are at hand.
void record_file_read(const std::string& path, std::string_view bytes);

/// What files hold now. Each is read once. Not thread-safe.
class CurrentFiles {
 public:
  /// Paths in `then` are relative to `folder`; empty: to the working folder.
  explicit CurrentFiles(std::string folder = {}) : folder_(std::move(folder)) {}
  /// Whether every one still has the hash it had.
  [[nodiscard]] bool unchanged(const FileHashes& then);

 private:
  std::string folder_;
  FileHashes now_;
};

/// The same with paths relative to `folder`, where that is possible: so a folder can be moved.
[[nodiscard]] FileHashes relative_to(const std::string& folder, const FileHashes& files);

}  // namespace orrery
