// SPDX-License-Identifier: Apache-2.0
//
// For tests: databases with arbitrary contents.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>
#include <string>

namespace orrery::trace::tables::testing {

/// A database filled by SQL statements.
class DatabaseFile {
 public:
  explicit DatabaseFile(const std::string& path) : path_(path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &database_), SQLITE_OK);
    sql("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF");
  }
  DatabaseFile(const DatabaseFile&) = delete;
  ~DatabaseFile() { close(); }

  DatabaseFile& sql(const std::string& statements) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database_, statements.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << (message != nullptr ? message : "") << "\n"
        << statements;
    sqlite3_free(message);
    return *this;
  }
  /// Closes the database and returns its path.
  const std::string& close() {
    sqlite3_close(database_);
    database_ = nullptr;
    return path_;
  }

 private:
  std::string path_;
  sqlite3* database_ = nullptr;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace orrery::trace::tables::testing
