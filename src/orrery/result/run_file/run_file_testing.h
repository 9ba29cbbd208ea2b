// SPDX-License-Identifier: Apache-2.0
//
// For tests of run files: temporary folders, and queries by SQLite.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace orrery::result::testing {

/// A folder that the destructor removes.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery_result_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The rows of a query as texts. An error fails the test. With `writable`, the query may change the
/// file.
inline std::vector<std::vector<std::string>> query_cells(const std::string& path,
                                                         const std::string& sql,
                                                         bool writable = false) {
  sqlite3* database = nullptr;
  std::vector<std::vector<std::string>> rows;
  const int flags = writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  char* message = nullptr;
  const auto add = [](void* to, int count, char** values, char**) {
    auto& row = static_cast<std::vector<std::vector<std::string>>*>(to)->emplace_back();
    for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "" : values[i]);
    return 0;
  };
  if (sqlite3_open_v2(path.c_str(), &database, flags, nullptr) != SQLITE_OK ||
      sqlite3_exec(database, sql.c_str(), add, &rows, &message) != SQLITE_OK)
    ADD_FAILURE() << sql << ": " << sqlite3_errmsg(database);
  sqlite3_free(message);
  sqlite3_close(database);
  return rows;
}

/// The same, columns joined by '|'.
inline std::vector<std::string> query(const std::string& path, const std::string& sql,
                                      bool writable = false) {
  std::vector<std::string> rows;
  for (const std::vector<std::string>& cells : query_cells(path, sql, writable)) {
    std::string& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row += (i > 0 ? "|" : "") + cells[i];
  }
  return rows;
}

}  // namespace orrery::result::testing
