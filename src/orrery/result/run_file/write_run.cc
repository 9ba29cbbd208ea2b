// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/database_writer.h"
#include "orrery/result/run_file/run_tables.h"

namespace orrery::result {

namespace {

/// Writes tables as B-trees of a database file.
class FileSink {
 public:
  using Rows = TableBuilder;
  static constexpr auto kTables = &stored_tables;

  explicit FileSink(PageFile& file) : file_(file) {}

  [[nodiscard]] bool wants(std::string_view) const { return true; }
  /// After a write error, tables stay empty.
  [[nodiscard]] bool is_writable() const { return !file_.failed(); }
  [[nodiscard]] TableBuilder begin(const Table&) { return TableBuilder(file_); }
  void end(const Table& table, TableBuilder& rows) {
    schema_.push_back({"table", table.name, rows.finish(), create_sql(table)});
  }

  Result<void> finish() {
    for (const View& view : views()) schema_.push_back({"view", view.name, 0, create_sql(view)});
    return finish_database(file_, schema_, kApplicationId, kRunFileVersion);
  }

 private:
  PageFile& file_;
  std::vector<SchemaEntry> schema_;
};

}  // namespace

Result<void> write_run(const Run& run, const std::string& path, bool force) {
  Result<PageFile> file = PageFile::create(path, force);
  if (!file) return tl::unexpected(file.error());
  FileSink sink(*file);
  RunTables(run, sink).write();
  return sink.finish();
}

}  // namespace orrery::result
