// SPDX-License-Identifier: Apache-2.0
//
// The folder that the user chose: the only one that requests may name files of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "addons/ui/http.h"
#include "orrery/core/error.h"

namespace orrery::ui {

struct FileEntry {
  std::string name;  ///< relative to the folder
  std::uint64_t bytes = 0;
};

class Folder {
 public:
  /// `path` exists.
  explicit Folder(std::string path);
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The path of a file of the folder. Errc: usage if `name` is absolute, leaves the folder (by
  /// ".." or by a link), begins a part with ".", or is longer than 255 bytes.
  [[nodiscard]] Result<std::string> path_of(std::string_view name) const;
  /// Its files by name, at most `limit`: no hidden ones, no links, four levels.
  [[nodiscard]] std::vector<FileEntry> files(std::size_t limit = 1000) const;
  /// Stores the body of a request. Status 201; 200 if there is a file with these bytes; 409 if
  /// there is one with others; 400 if the connection breaks: nothing is stored then.
  [[nodiscard]] Answer store(std::string_view name, Request& request) const;
  /// Sends a file. Status 404 if there is none.
  [[nodiscard]] Answer fetch(std::string_view name) const;

 private:
  std::string path_;  // without links
};

/// Whether all texts of a question (JSON) that could be paths stay in `folder`: a text with a
/// '/' must be one of path_of(). The names of files that a question may open have no other way
/// out, and the system confines the process that answers (confine.h). Errc: as path_of().
[[nodiscard]] Result<void> check_paths(const Folder& folder, std::string_view question);

}  // namespace orrery::ui
