// SPDX-License-Identifier: Apache-2.0
//
// Disables or limits what a hostile file could make SQLite do, following SQLite's advice:
// https://sqlite.org/security.html
#include <sqlite3.h>

#include <bit>
#include <string_view>

#include "orrery/core/limits.h"
#include "orrery/sqlite/connection.h"

namespace orrery::sqlite {

namespace {

constexpr int kStride = 1000;  // SQLite calls back after this many of its instructions

void switch_off(sqlite3* database) {
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  (void)sqlite3_drop_modules(database, nullptr);  // disables virtual tables
}

void bound(sqlite3* database, int columns) {
  (void)sqlite3_limit(database, SQLITE_LIMIT_LENGTH, static_cast<int>(limits::kDatabaseValueBytes));
  (void)sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  (void)sqlite3_limit(database, SQLITE_LIMIT_COLUMN, columns);
  (void)sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 50);
  (void)sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 4);
  (void)sqlite3_limit(database, SQLITE_LIMIT_VDBE_OP, 25'000);
  (void)sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  (void)sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  (void)sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
  (void)sqlite3_limit(database, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100);
  (void)sqlite3_limit(database, SQLITE_LIMIT_VARIABLE_NUMBER, 10);
}

// Allows a statement only to read columns of tables, the header and the schema. `inner` is the view
// or trigger that accesses them, if any.
int authorize(void*, int action, const char* first, const char* second, const char*,
              const char* inner) {
  if (inner != nullptr) return SQLITE_DENY;
  if (action == SQLITE_SELECT || action == SQLITE_READ) return SQLITE_OK;
  if (action != SQLITE_PRAGMA) return SQLITE_DENY;
  const std::string_view pragma = first;
  if (pragma == "table_xinfo") return SQLITE_OK;
  const bool header = pragma == "application_id" || pragma == "user_version";
  return header && second == nullptr ? SQLITE_OK : SQLITE_DENY;
}

// The check takes time proportional to the schema; it therefore runs at powers of two of the
// callbacks.
int on_stride(void* argument) {
  auto& connection = *static_cast<Connection*>(argument);
  if (connection.steps_left == 0) return 1;
  --connection.steps_left;
  if (std::has_single_bit(++connection.callbacks))
    connection.is_schema_too_large = schema_is_large(connection);
  return connection.is_schema_too_large ? 1 : 0;
}

}  // namespace

bool schema_is_large(const Connection& connection) {
  int now = 0;
  int maximum = 0;
  (void)sqlite3_db_status(connection.database, SQLITE_DBSTATUS_SCHEMA_USED, &now, &maximum, 0);
  return now < 0 || static_cast<std::uint64_t>(now) > limits::kDatabaseSchemaBytes;
}

bool harden(Connection& connection, int columns) {
  sqlite3* database = connection.database;
  switch_off(database);
  bound(database, columns);
  for (const char* sql :
       {"PRAGMA cell_size_check = 1", "PRAGMA mmap_size = 0", "PRAGMA query_only = 1",
        "PRAGMA temp_store = MEMORY", "PRAGMA cache_size = -2000"}) {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return false;
  }
  connection.steps_left =
      (limits::kDatabaseWorkFloor + connection.size * limits::kDatabaseWork) / kStride;
  sqlite3_progress_handler(database, kStride, on_stride, &connection);
  (void)sqlite3_set_authorizer(database, authorize, nullptr);
  return true;
}

}  // namespace orrery::sqlite
