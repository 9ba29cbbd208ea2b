// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file/table_reader.h"

#include <cmath>
#include <limits>
#include <utility>

#include "orrery/result/run.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/part_rows.h"

namespace orrery::result {

namespace {

constexpr std::int64_t kMaxCount = (std::int64_t{1} << 62) - 1;

constexpr sqlite::FileExpectation kRunFile{"is not a run file: its header is different",
                                           "use a file written by 'orrery run -o'",
                                           "copy it again, or run 'orrery run -o' again", 200};

}  // namespace

Result<sqlite::Database> open_run_file(const std::string& path) {
  return sqlite::Database::open(path, kRunFile);
}

Result<sqlite::Database> open_run_file(std::span<const std::byte> bytes, std::string where) {
  return sqlite::Database::in_memory(bytes, std::move(where), kRunFile);
}

void DatabaseReader::refuse(Errc code, const std::string& where, std::string what,
                            std::string hint) {
  const std::string& file = database_.where();
  refuse(Error{code, where.empty() ? file : file + ":" + where, std::move(what), std::move(hint)});
}

void DatabaseReader::refuse(Error error) {
  if (!error_) error_ = std::move(error);
}

// The result of a query with one number; 0 after an error.
std::int64_t DatabaseReader::number(const char* sql) {
  auto statement = database_.prepare(sql);
  const Result<bool> there =
      statement ? statement->next() : Result<bool>(tl::unexpected(statement.error()));
  if (!there) refuse(there.error());
  return there && *there ? statement->integer(0) : 0;
}

// Whether its definition equals the expected one.
bool DatabaseReader::has_expected_definition(const Table& table) {
  auto statement = database_.prepare(
      "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?", table.name);
  if (!statement) {
    refuse(std::move(statement.error()));
    return false;
  }
  statement->bind(1, table.name);
  const Result<bool> there = statement->next();
  if (!there) refuse(there.error());
  return there && *there && statement->text(0) == create_sql(table);
}

// Checks that the table exists with exactly the expected definition. A view, a virtual table or
// computed columns have another one.
void DatabaseReader::check_table(const Table& table) {
  if (!good() || has_expected_definition(table)) return;
  refuse(Errc::input_corrupt, std::string(table.name),
         "the table is missing, or differs from this version's run files");
}

void DatabaseReader::check_schema() {
  if (number("PRAGMA application_id") != kApplicationId) {
    refuse(Errc::input_corrupt, {}, "is an SQLite database, but not a run file",
           "use a file written by 'orrery run -o'");
  }
  const std::int64_t version = number("PRAGMA user_version");
  if (version < 1) {
    refuse(Errc::input_corrupt, {}, "has an invalid version of a run file");
  } else if (version != kRunFileVersion) {
    refuse(
        Errc::input_unsupported, {},
        "is a run file of version " + std::to_string(version) + "; this program reads version " +
            std::to_string(kRunFileVersion),
        version > kRunFileVersion
            ? "use the newer version of Orrery that wrote the file"
            : "an older version of Orrery wrote the file: simulate again with 'orrery run … -o'");
  }
  for (const Table& table : stored_tables()) check_table(table);
}

TableRows::TableRows(DatabaseReader& reader, std::string_view name)
    : reader_(reader), table_(table(name)) {
  if (const PartedTable* parted = find_parted(name)) {
    parts_ = std::make_unique<PartRows>(reader, *parted);
    columns_ = parts_->columns();
    return;
  }
  std::string sql;
  for (const Column& column : table_.columns) {
    if (generated(column)) continue;
    sql += sql.empty() ? "SELECT " : ", ";
    sql += column.name;
    columns_.push_back(column.name);
  }
  if (!reader_.good()) return;
  sql += " FROM main." + std::string(name) + " NOT INDEXED ORDER BY id";
  auto statement = reader_.database().prepare(sql, name);
  if (statement) {
    statement_.emplace(std::move(*statement));
  } else {
    reader_.refuse(std::move(statement.error()));
  }
}

TableRows::~TableRows() = default;

bool TableRows::next() {
  if (!parts_) return go_to(row_ + 1);
  if (!reader_.good()) return false;
  ++row_;
  column_ = 1;  // the key is given
  return parts_->next(row_);
}

bool TableRows::go_to(std::uint64_t row) {
  if (!reader_.good()) return false;
  row_ = row;
  Result<bool> there = statement_->next();
  if (!there) {
    there.error().where += " row " + std::to_string(row_);
    reader_.refuse(std::move(there.error()));
    return false;
  }
  if (!*there) return false;
  column_ = 0;
  if (bits() != row_) refuse("its id does not continue the sequence");
  return reader_.good();
}

sqlite::Type TableRows::type(int column) const {
  return parts_ ? parts_->type(column) : statement_->type(column);
}

std::int64_t TableRows::number(int column) const {
  return parts_ ? parts_->number(column) : statement_->integer(column);
}

std::optional<std::string_view> TableRows::raw_text(int column) const {
  return parts_ ? parts_->text(column) : statement_->text(column);
}

void TableRows::refuse(Errc code, std::string what, std::string hint) {
  reader_.refuse(code, std::string(table_.name) + " row " + std::to_string(row_), std::move(what),
                 std::move(hint));
}

void TableRows::refuse(std::string what) { refuse(Errc::input_corrupt, std::move(what), {}); }

void TableRows::refuse_value(std::string_view what) {
  refuse(std::string(columns_[static_cast<std::size_t>(column_ - 1)]) + " " + std::string(what));
}

std::optional<std::int64_t> TableRows::optional_integer(std::int64_t minimum,
                                                        std::int64_t maximum) {
  const int column = column_++;
  const sqlite::Type kind = type(column);
  if (kind == sqlite::Type::null) return std::nullopt;
  const std::int64_t value = number(column);
  if (kind != sqlite::Type::integer) {
    refuse_value("is not a whole number");
  } else if (value < minimum || value > maximum) {
    refuse_value("is out of range: " + std::to_string(value));
  } else {
    return value;
  }
  return minimum;
}

std::int64_t TableRows::integer(std::int64_t minimum, std::int64_t maximum) {
  const std::optional<std::int64_t> value = optional_integer(minimum, maximum);
  if (!value) refuse_value("is missing");
  return value.value_or(minimum);
}

std::uint64_t TableRows::bits() {
  return static_cast<std::uint64_t>(
      integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
}

std::uint32_t TableRows::index(std::uint64_t count) {
  return static_cast<std::uint32_t>(integer(0, static_cast<std::int64_t>(count) - 1));
}

std::uint32_t TableRows::optional_index(std::uint64_t count, std::uint64_t base) {
  const auto first = static_cast<std::int64_t>(base);
  const auto value = optional_integer(first, first + static_cast<std::int64_t>(count) - 1);
  return value ? static_cast<std::uint32_t>(*value - first) : kNone;
}

Time TableRows::time() { return Time(integer(0, kMaxCount)); }

std::optional<Time> TableRows::optional_time() {
  const auto value = optional_integer(0, kMaxCount);
  return value ? std::optional(Time(*value)) : std::nullopt;
}

Bytes TableRows::bytes() { return Bytes(integer(0, kMaxCount)); }

double TableRows::real() {
  const int column = column_++;
  const sqlite::Type type = statement_->type(column);
  const bool number = type == sqlite::Type::real || type == sqlite::Type::integer;
  const double value = statement_->real(column);
  if (number && std::isfinite(value) && value >= 0) return value;
  refuse_value("is not a valid number");
  return 0;
}

std::string_view TableRows::text() {
  const int column = column_++;
  if (type(column) != sqlite::Type::text) {
    refuse_value("is not text");
    return {};
  }
  const auto text = raw_text(column);
  if (!text) refuse_value("contains more text than the file size allows");
  return text.value_or(std::string_view());
}

}  // namespace orrery::result
