// SPDX-License-Identifier: Apache-2.0
//
// Records the files that a result depends on: a stored result is valid only while they are
// unchanged.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace orrery {

/// Maps paths, as they were opened, to the SHA-256 of the bytes (64 hexadecimal digits); empty: the
/// file could not be opened.
using FileHashes = std::map<std::string, std::string>;

/// While it exists, it records the files that its thread reads, and those that a ThreadPool reads
/// for this thread. Scopes may nest: each of them records a file. Destroy it on the thread that
/// created it.
class FileReadRecorder {
 public:
  FileReadRecorder();
  ~FileReadRecorder();
  FileReadRecorder(const FileReadRecorder&) = delete;
  FileReadRecorder& operator=(const FileReadRecorder&) = delete;

  /// The files recorded so far.
  [[nodiscard]] FileHashes hashes() const;

  /// The innermost scope of this thread; may be null.
  [[nodiscard]] static FileReadRecorder* current();
  /// While it exists, this thread records files in `scope`, which belongs to another thread and may
  /// be null.
  class ThreadScope {
   public:
    explicit ThreadScope(FileReadRecorder* scope);
    ~ThreadScope();
    ThreadScope(const ThreadScope&) = delete;
    ThreadScope& operator=(const ThreadScope&) = delete;

   private:
    FileReadRecorder* before_;
  };

 private:
  friend void record_file_read(const std::string& path);
  friend void record_file_read(const std::string& path, std::string_view bytes);
  [[nodiscard]] bool has(const std::string& path) const;
  void add(const std::string& path, const std::string& hash);

  FileReadRecorder* outer_;
  mutable std::mutex mutex_;
  FileHashes hashes_;
};

/// Code that opens an input file calls one of these. If a scope is active and has not seen the file
/// yet, the file is hashed. Without a scope this costs nothing. Any thread.
void record_file_read(const std::string& path);
/// The same for a file whose bytes are in memory.
void record_file_read(const std::string& path, std::string_view bytes);

/// The current hashes of files. Reads each file once. Not thread-safe.
class CurrentFiles {
 public:
  /// Relative paths in `expected` refer to `folder`; empty: the working folder.
  explicit CurrentFiles(std::string folder = {}) : folder_(std::move(folder)) {}
  /// Whether each file still has the hash that `expected` lists.
  [[nodiscard]] bool unchanged(const FileHashes& expected);

 private:
  std::string folder_;
  FileHashes now_;
};

/// `files` with paths relative to `folder`, if possible, so that the folder can be moved.
[[nodiscard]] FileHashes relative_to(const std::string& folder, const FileHashes& files);

}  // namespace orrery
