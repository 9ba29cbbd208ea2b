// SPDX-License-Identifier: Apache-2.0
//
// For tests: temporary folders, and databases that SQL creates and tests then corrupt.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace orrery::sqlite::testing {

/// A folder that the destructor removes.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery_sqlite_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    path_ = name;
  }
  Folder(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes a file and returns its path.
inline const std::string& put(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

/// Runs SQL on a file without restrictions and returns its path.
inline const std::string& make(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* message = nullptr;
  const std::string all = "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; " + sql;
  EXPECT_EQ(sqlite3_exec(database, all.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << (message != nullptr ? message : "") << "\n"
      << sql;
  sqlite3_free(message);
  sqlite3_close(database);
  return path;
}

constexpr std::size_t kPage = 4096;

/// A number in the file format: big-endian.
inline std::string number(std::uint32_t value, std::size_t width) {
  std::string out;
  for (std::size_t i = width; i-- > 0;) out += static_cast<char>(value >> (8 * i));
  return out;
}

/// An interior page of a table's B-tree with `cells` children, all of them the same page.
inline std::string inner_page(std::uint32_t child, std::uint32_t cells) {
  constexpr std::uint32_t kCell = 5;  // page number of the child, and a one-byte key
  const std::uint32_t content = static_cast<std::uint32_t>(kPage) - cells * kCell;
  std::string page = number(5, 1) + number(0, 2) + number(cells, 2) + number(content, 2) +
                     number(0, 1) + number(child, 4);
  for (std::uint32_t i = 0; i < cells; ++i) page += number(content + i * kCell, 2);
  page.resize(content, '\0');
  for (std::uint32_t i = 0; i < cells; ++i) page += number(child, 4) + number(1, 1);
  return page;
}

/// Modifies a database in which page 2 is the only leaf of a table: inserts `levels` levels of
/// interior pages, each with `cells` references to the same child. Queries then find the leaf many
/// times.
inline std::string multiplied(std::string bytes, std::size_t levels, std::uint32_t cells) {
  const std::string leaf = bytes.substr(kPage, kPage);
  bytes.resize(kPage);
  for (std::size_t i = 0; i < levels; ++i)
    bytes += inner_page(static_cast<std::uint32_t>(3 + i), cells);
  bytes += leaf;
  return bytes.replace(28, 4, number(static_cast<std::uint32_t>(bytes.size() / kPage), 4));
}

}  // namespace orrery::sqlite::testing
