// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/file_read_recorder.h"

#include <algorithm>
#include <filesystem>

#include "orrery/core/system/sha256.h"

namespace orrery {

namespace fs = std::filesystem;

namespace {

thread_local FileReadRecorder* innermost = nullptr;

std::string hash_now(const std::string& path) { return sha256_of_file(path).value_or(""); }

}  // namespace

FileReadRecorder::FileReadRecorder() : outer_(innermost) { innermost = this; }
FileReadRecorder::~FileReadRecorder() { innermost = outer_; }

FileHashes FileReadRecorder::hashes() const {
  const std::lock_guard lock(mutex_);
  return hashes_;
}

FileReadRecorder* FileReadRecorder::current() { return innermost; }

FileReadRecorder::ThreadScope::ThreadScope(FileReadRecorder* scope) : before_(innermost) {
  innermost = scope;
}
FileReadRecorder::ThreadScope::~ThreadScope() { innermost = before_; }

bool FileReadRecorder::has(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return hashes_.contains(path);
}

void FileReadRecorder::add(const std::string& path, const std::string& hash) {
  for (FileReadRecorder* scope = this; scope != nullptr; scope = scope->outer_) {
    const std::lock_guard lock(scope->mutex_);
    scope->hashes_.emplace(path, hash);
  }
}

void record_file_read(const std::string& path) {
  if (innermost != nullptr && !innermost->has(path)) innermost->add(path, hash_now(path));
}

void record_file_read(const std::string& path, std::string_view bytes) {
  if (innermost != nullptr && !innermost->has(path)) innermost->add(path, sha256_of(bytes));
}

bool CurrentFiles::unchanged(const FileHashes& expected) {
  return std::all_of(expected.begin(), expected.end(), [&](const auto& file) {
    const auto [known, added] = now_.try_emplace(file.first);
    if (added) known->second = hash_now((fs::path(folder_) / file.first).string());
    return known->second == file.second;
  });
}

FileHashes relative_to(const std::string& folder, const FileHashes& files) {
  FileHashes moved;
  for (const auto& [path, hash] : files)
    moved.emplace(fs::path(path).lexically_proximate(folder.empty() ? "." : folder).string(), hash);
  return moved;
}

}  // namespace orrery
