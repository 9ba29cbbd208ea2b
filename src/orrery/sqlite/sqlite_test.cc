// SPDX-License-Identifier: Apache-2.0
//
// Databases made to do harm: each protection is shown by a file that needs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>

#include "orrery/core/limits.h"
#include "orrery/sqlite/sqlite_testing.h"
#include "orrery/sqlite/table_rows.h"

namespace orrery::sqlite {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using testing::Folder;
using ::testing::HasSubstr;
using testing::kPage;
using testing::make;
using testing::multiplied;
using testing::put;

constexpr FileExpectation kAny{"is not ours", "made by us?", "copy it again"};

class Sqlite : public ::testing::Test {
 protected:
  Result<Database> made(const std::string& sql) {
    std::filesystem::remove(file_);
    return Database::open(make(file_, sql), kAny);
  }

  Error refused(const Result<Database>& database) {
    if (!database) return database.error();
    ADD_FAILURE() << "it opens";
    return {Errc::usage, "", ""};
  }

  /// The error of the first statement or row that fails when all of a query's rows are read.
  static Error after(Database& database, const std::string& sql, bool texts = false) {
    auto rows = database.prepare(sql, "t");
    if (!rows) return rows.error();
    while (true) {
      const auto there = rows->next();
      if (!there) return there.error();
      if (!*there) break;
      if (texts) (void)rows->text(0);
    }
    ADD_FAILURE() << "can be read: " << sql;
    return {Errc::usage, "", ""};
  }

  Folder folder_;
  std::string file_ = folder_ / "a.db";
};

TEST_F(Sqlite, ReadsValuesOfEveryKind) {
  auto database = made(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a, \"b \"\"c\"); INSERT INTO t VALUES(7, 1.5, 'x'), "
      "(8, x'00ff', NULL), (9, 2.0, 2.5); CREATE TABLE u(a)");
  ASSERT_TRUE(database) << to_string(database.error());
  EXPECT_EQ(database->where(), file_);
  EXPECT_EQ(database->size(), std::filesystem::file_size(file_));
  EXPECT_THAT(database->tables(), ElementsAre("t", "u"));
  EXPECT_THAT(*database->columns("t"), ElementsAre("id", "a", "b \"c"));
  EXPECT_TRUE(*database->is_key("t", "id"));
  EXPECT_FALSE(*database->is_key("t", "a"));

  constexpr std::array<std::string_view, 4> kColumns = {"id", "a", "b \"c", "none"};
  auto rows = Rows::of(*database, "t", kColumns);
  ASSERT_TRUE(rows);
  ASSERT_TRUE(*rows->next());
  EXPECT_EQ(rows->integer(0), 7);
  EXPECT_FALSE(rows->integer(1));  // not a whole number
  EXPECT_EQ(rows->text(2), "x");
  EXPECT_FALSE(rows->has(3) || rows->text(3) || rows->integer(3) || rows->bytes(3));
  ASSERT_TRUE(*rows->next());
  EXPECT_EQ(rows->bytes(1), std::string_view("\0\xff", 2));
  EXPECT_FALSE(rows->text(1) || rows->text(2) || rows->bytes(2));
  ASSERT_TRUE(*rows->next());
  EXPECT_EQ(rows->integer(1), 2);
  EXPECT_FALSE(*rows->next());
  auto none = Rows::of(*database, "nowhere", kColumns);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none->next());

  auto names = TextByKey::of(*database, "t", "id", "b \"c");
  ASSERT_TRUE(names);
  Database moved = std::move(*database);  // what is open stays so
  EXPECT_EQ(**names->find(7), "x");
  EXPECT_FALSE(*names->find(8));
  EXPECT_FALSE(*names->find(1));
}

TEST_F(Sqlite, SaysWhatAFileIsInstead) {
  const auto open = [&](const std::string& path) { return refused(Database::open(path, kAny)); };
  EXPECT_EQ(open(folder_ / "none").code, Errc::input_not_found);
  EXPECT_EQ(open("").code, Errc::input_not_found);
  EXPECT_EQ(open(folder_ / ".").what, "is not a regular file");
  EXPECT_EQ(open("/dev/zero").code, Errc::input_read);
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(open(folder_ / "pipe").code, Errc::input_read);  // and does not wait
  const Error text = open(put(file_, "hello"));
  EXPECT_EQ(text.code, Errc::input_corrupt);
  EXPECT_EQ(text.what, "is not ours");
  EXPECT_EQ(text.hint, "made by us?");
  EXPECT_EQ(open(put(file_, "")).what, "is not ours");
  EXPECT_EQ(open(put(file_, "\x1F\x8B\x08")).hint, "it is compressed: decompress it first");
  EXPECT_EQ(open(put(file_, "\x28\xB5\x2F\xFD")).hint, "it is compressed: decompress it first");
}

TEST_F(Sqlite, RefusesAFileWhoseLastPageIsCut) {
  ASSERT_TRUE(made("CREATE TABLE t(a)"));
  put(file_, bytes_of(file_).substr(0, 2 * kPage - 100));
  const Error cut = refused(Database::open(file_, kAny));
  EXPECT_EQ(cut.code, Errc::input_corrupt);
  EXPECT_EQ(cut.what, "is truncated: 8092 bytes are not a multiple of its page size 4096");
  EXPECT_EQ(cut.hint, "copy it again");
  FileExpectation lenient = kAny;
  lenient.cut = true;
  EXPECT_TRUE(Database::open(file_, lenient));
}

TEST_F(Sqlite, TakesNamesAsTheyAreAndFollowsLinks) {
  for (const char* name : {"a?mode=rw#x", "100%41", "sp ace", "ü", "vfs=memdb&cache=shared"}) {
    EXPECT_TRUE(Database::open(make(folder_ / name, "CREATE TABLE t(a)"), kAny)) << name;
  }
  std::filesystem::create_symlink("sp ace", folder_ / "link");
  EXPECT_TRUE(Database::open(folder_ / "link", kAny));
}

/// SQLite would replay a journal or a write-ahead log in the same folder.
TEST_F(Sqlite, NeitherReadsNorWritesAnythingBesideTheFile) {
  for (const char* mode : {"", "PRAGMA journal_mode = WAL; "}) {
    ASSERT_TRUE(made(std::string(mode) + "CREATE TABLE t(a); INSERT INTO t VALUES(1)"));
    put(file_ + "-journal", std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8));
    put(file_ + "-wal", "whatever");
    const std::string before = bytes_of(file_);
    {
      auto database = Database::open(file_, kAny);
      ASSERT_TRUE(database) << to_string(database.error());
      auto rows = database->prepare("SELECT a FROM t ORDER BY a", "t");
      ASSERT_TRUE(rows && *rows->next());
      EXPECT_EQ(rows->integer(0), 1);
      EXPECT_EQ(folder_.files(), 3u);
    }
    EXPECT_EQ(folder_.files(), 3u);
    EXPECT_EQ(bytes_of(file_), before);
    EXPECT_EQ(bytes_of(file_ + "-wal"), "whatever");
  }
}

TEST_F(Sqlite, CanOnlyRead) {
  auto database = made("CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  ASSERT_TRUE(database);
  EXPECT_TRUE(database->prepare("SELECT a FROM t"));
  EXPECT_TRUE(database->prepare("PRAGMA user_version"));
  const std::string other = folder_ / "other.db";
  for (const std::string& sql : std::initializer_list<std::string>{
           "INSERT INTO t VALUES(2)",
           "DELETE FROM t",
           "UPDATE t SET a = 2",
           "DROP TABLE t",
           "CREATE TABLE u(a)",
           "CREATE TEMP TABLE u(a)",
           "BEGIN IMMEDIATE",
           "ANALYZE",

           "PRAGMA user_version = 7",
           "PRAGMA writable_schema = 1",
           "PRAGMA journal_mode",
           "PRAGMA query_only = 0",
           "PRAGMA temp_store_directory",
           "ATTACH '" + other + "' AS o",
           "SELECT load_extension('x')",
           "SELECT printf('%.*c', 100000000, 'x')",
           "SELECT a FROM t WHERE abs(a)",
           "SELECT \"nosuch\" FROM t",
           "SELECT * FROM json_each('[]')",
           "SELECT * FROM pragma_table_info('t')",
           "SELECT * FROM dbstat",
           "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c"}) {
    EXPECT_FALSE(database->prepare(sql)) << sql;
  }
  EXPECT_EQ(after(*database, "VACUUM INTO '" + other + "'").code, Errc::input_corrupt);
  EXPECT_EQ(folder_.files(), 1u);
}

TEST_F(Sqlite, HasRealTablesOnly) {
  auto database = made(
      "CREATE TABLE t(a, b AS (a * 2), c AS (a) STORED); INSERT INTO t VALUES(1); "
      "CREATE VIEW v AS SELECT a FROM t; CREATE VIRTUAL TABLE f USING fts5(a); "
      "CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END");
  ASSERT_TRUE(database) << to_string(database.error());
  EXPECT_TRUE(database->has("t"));
  EXPECT_FALSE(database->has("v") || database->has("f") || database->has("r"));
  EXPECT_THAT(*database->columns("t"), ElementsAre("a"));
  EXPECT_THAT(after(*database, "SELECT a FROM v").what, HasSubstr("prohibited"));
  EXPECT_THAT(after(*database, "SELECT a FROM f").what, HasSubstr("no such module"));
}

/// The schema itself says that they are tables, with a page of their own.
TEST_F(Sqlite, SeesThroughViewsThatPoseAsTables) {
  const auto posing = [&](const std::string& sql) {
    return made(
        "CREATE TABLE t(a); PRAGMA writable_schema = 1; INSERT INTO sqlite_schema VALUES('table', "
        "'x', 'x', 2, '" +
        sql + "')");
  };
  for (const char* sql :
       {"CREATE VIEW x AS SELECT * FROM t", "CREATE VIRTUAL TABLE x USING fts5(a)",
        "CREATE VIEW x AS WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM c) SELECT a "
        "FROM c"}) {
    const auto database = posing(sql);
    if (database) {
      EXPECT_THAT(database->tables(), ElementsAre("t")) << sql;
    } else {  // SQLite sees through views by itself
      EXPECT_EQ(database.error().code, Errc::input_corrupt) << sql;
    }
  }
}

TEST_F(Sqlite, BoundsWhatASchemaSays) {
  std::string columns = "c0";
  for (int i = 1; i < 501; ++i) columns += ", c" + std::to_string(i);
  const Error wide = refused(made("CREATE TABLE t(" + columns + ")"));
  EXPECT_EQ(wide.code, Errc::input_corrupt);
  EXPECT_THAT(wide.what, HasSubstr("too many columns"));
  FileExpectation narrow = kAny;
  narrow.columns = 2;
  EXPECT_FALSE(Database::open(make(folder_ / "three", "CREATE TABLE t(a, b, c)"), narrow));

  std::string deep = "a";
  for (int i = 0; i < 60; ++i) deep = "(" + deep + " + 1)";
  EXPECT_THAT(refused(made("CREATE TABLE t(a, CHECK " + deep + ")")).what,
              HasSubstr("maximum depth 50"));
  EXPECT_THAT(refused(made("CREATE VIEW v AS SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT "
                           "4 UNION SELECT 5"))
                  .what,
              HasSubstr("too many terms"));
}

/// A definition takes many times its length in memory, and may stand there often.
TEST_F(Sqlite, BoundsTheMemoryOfASchema) {
  const auto tables = [&](const std::string& count) {
    return made(
        "CREATE TABLE t(a); PRAGMA writable_schema = 1; WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL "
        "SELECT i + 1 FROM c WHERE i < " +
        count +
        "), k(n, s) AS (SELECT 0, 'a' UNION ALL SELECT n + 1, s || ',c' || n FROM k WHERE n < 400) "
        "INSERT INTO sqlite_schema SELECT 'table', 'x' || i, 'x' || i, 2, 'CREATE TABLE x' || i || "
        "'(' || (SELECT s FROM k WHERE n = 400) || ')' FROM c");
  };
  EXPECT_TRUE(tables("100"));
  const Error large = refused(tables("5000"));
  EXPECT_EQ(large.code, Errc::limit_exceeded);
  EXPECT_THAT(large.what, HasSubstr("memory"));
}

/// Pages that are in a tree many times over would make a small file endless.
TEST_F(Sqlite, BoundsTheWork) {
  ASSERT_TRUE(made("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2), (3)"));
  put(file_, multiplied(bytes_of(file_), 4, 400));
  auto database = Database::open(file_, kAny);
  ASSERT_TRUE(database) << to_string(database.error());
  const Error endless = after(*database, "SELECT a FROM t");
  EXPECT_EQ(endless.code, Errc::limit_exceeded);
  EXPECT_EQ(endless.where, file_ + ":t");
  EXPECT_EQ(endless.what, "reading it needs more work than its size explains");

  auto crossed = made(
      "CREATE TABLE t(a); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < "
      "1000) INSERT INTO t SELECT i FROM c");
  ASSERT_TRUE(crossed);
  EXPECT_EQ(after(*crossed, "SELECT x.a FROM t x, t y, t z").code, Errc::limit_exceeded);
}

TEST_F(Sqlite, GivesNoMoreTextThanTheFileHasRoomFor) {
  const std::string text(3000, 'x');
  for (const std::string& value : {"'" + text + "'", "CAST('" + text + "' AS BLOB)"}) {
    ASSERT_TRUE(made("CREATE TABLE t(a); INSERT INTO t VALUES(" + value + ")"));
    put(file_, multiplied(bytes_of(file_), 1, 400));
    auto database = Database::open(file_, kAny);
    ASSERT_TRUE(database) << to_string(database.error());
    const Error more = after(*database, "SELECT a FROM t", true);
    EXPECT_EQ(more.code, Errc::limit_exceeded);
    EXPECT_EQ(more.what, "contains more text than the file size allows");
  }
}

TEST_F(Sqlite, RefusesValuesThatAreTooLarge) {
  auto database = made("CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(" +
                       std::to_string(limits::kDatabaseValueBytes + 1) + "))");
  ASSERT_TRUE(database);
  const Error large = after(*database, "SELECT a FROM t", true);
  EXPECT_EQ(large.code, Errc::limit_exceeded);
  EXPECT_EQ(large.what, "has a value that is too large");
}

/// SQLite checks the places of rows in a page only with cell_size_check on.
TEST_F(Sqlite, ChecksCellsBeforeRowsAreRead) {
  ASSERT_TRUE(made("CREATE TABLE t(a); INSERT INTO t VALUES('first'), ('second')"));
  std::string bytes = bytes_of(file_);
  bytes.replace(kPage + 10, 2, testing::number(kPage - 2, 2));  // of the second row
  put(file_, bytes);
  auto database = Database::open(file_, kAny);
  ASSERT_TRUE(database);
  auto rows = database->prepare("SELECT a FROM t", "t");
  ASSERT_TRUE(rows);
  const auto first = rows->next();
  ASSERT_FALSE(first);  // although the first row is sound
  EXPECT_EQ(first.error().code, Errc::input_corrupt);
  EXPECT_EQ(first.error().where, file_ + ":t");
}

TEST_F(Sqlite, ReadsBytesInMemoryAlike) {
  ASSERT_TRUE(made("CREATE TABLE t(a); INSERT INTO t VALUES('x')"));
  const std::string bytes = bytes_of(file_);
  const auto span = std::as_bytes(std::span(bytes));
  auto database = Database::in_memory(span, "memory", kAny);
  ASSERT_TRUE(database) << to_string(database.error());
  EXPECT_EQ(database->where(), "memory");
  EXPECT_FALSE(database->prepare("DELETE FROM t"));
  auto rows = database->prepare("SELECT a FROM t WHERE a = ?", "t");
  ASSERT_TRUE(rows);
  rows->bind(1, "x");
  ASSERT_TRUE(*rows->next());
  EXPECT_EQ(rows->type(0), Type::text);
  EXPECT_EQ(rows->text(0), "x");
  const Error noise = refused(Database::in_memory(span.subspan(50), "noise", kAny));
  EXPECT_EQ(noise.code, Errc::input_corrupt);
  EXPECT_EQ(noise.where, "noise");
}

}  // namespace
}  // namespace orrery::sqlite
