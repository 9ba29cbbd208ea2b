// SPDX-License-Identifier: Apache-2.0
//
// Run files that are damaged, are something else, or lie about what is in them.
#include "hostile_case.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_file_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::hostile {

namespace fs = std::filesystem;
using result::testing::query;
using result::testing::read_bytes;

namespace {

constexpr int kDamaged = 3;

/// A sound run file, which `change` then spoils.
std::function<void(const fs::path&)> spoiled(const std::string& name,
                                             std::function<void(const fs::path&)> change) {
  return [name, change = std::move(change)](const fs::path& folder) {
    const fs::path file = folder / name;
    EXPECT_TRUE(result::write_run(result::testing::sample_run(3, 2), file, false));
    change(file);
  };
}

/// Its bytes, changed.
Case bytes(std::string name, const std::string& command, std::vector<std::string> says,
           std::function<void(std::string&)> change) {
  Case made{std::move(name), command, kDamaged, std::move(says)};
  made.says.emplace_back("a.orrery");
  made.make = spoiled("a.orrery", [change = std::move(change)](const fs::path& file) {
    std::string all = read_bytes(file);
    change(all);
    put(file, all);
  });
  return made;
}

/// What SQL makes of it.
Case altered(std::string name, const std::string& command, std::vector<std::string> says,
             std::string sql, int exit_code = kDamaged) {
  Case made{std::move(name), command, exit_code, std::move(says)};
  made.make = spoiled(
      "a.orrery", [sql = std::move(sql)](const fs::path& file) { (void)query(file, sql, true); });
  return made;
}

/// Every byte from the second page on the other way round, at this distance.
std::function<void(std::string&)> flipped(std::size_t step) {
  return [step](std::string& all) {
    for (std::size_t at = 4096; at < all.size(); at += step)
      all[at] = static_cast<char>(all[at] ^ 0xff);
  };
}

std::vector<Case> damaged_bytes() {
  return {
      {"run_text",
       "report a.orrery",
       kDamaged,
       {"a.orrery", "not a run file"},
       {{"a.orrery", "step: 3 ms\n"}}},
      {"run_empty",
       "report a.orrery",
       kDamaged,
       {"a.orrery", "not a run file"},
       {{"a.orrery", ""}}},
      {"run_trace", "explain w.0.et step", kDamaged, {"w.0.et", "not a run file"}},
      {"run_only_a_beginning",
       "report a.orrery",
       kDamaged,
       {"a.orrery"},
       {{"a.orrery", std::string("SQLite format 3\0", 16)}}},
      {"run_folder",
       "report a.orrery",
       kDamaged,
       {"a.orrery", "not a regular file"},
       {},
       [](const fs::path& folder) { fs::create_directory(folder / "a.orrery"); }},
      bytes("run_cut_in_the_header", "report a.orrery", {"E2"},
            [](std::string& all) { all.resize(90); }),
      bytes("run_cut_at_a_page", "critical-path a.orrery", {"E2"},
            [](std::string& all) { all.resize(all.size() / 8192 * 4096); }),
      bytes("run_cut_in_a_page", "compare a.orrery a.orrery", {"E2"},
            [](std::string& all) { all.resize(all.size() - 1000); }),
      bytes("run_flipped_often", "report a.orrery", {"E2"}, flipped(61)),
      bytes("run_flipped_now_and_then", "report a.orrery --chrome x.json", {"E"}, flipped(509)),
      bytes("run_page_size", "report a.orrery", {"E2"},
            [](std::string& all) { all[16] = 0, all[17] = 3; }),
      bytes("run_schema_of_noise", "report a.orrery", {"E2"},
            [](std::string& all) { all.replace(100, 3996, std::string(3996, '\x5a')); }),
  };
}

std::vector<Case> altered_tables() {
  return {
      altered("run_other_program", "report a.orrery", {"a.orrery", "not a run file"},
              "PRAGMA application_id = 7"),
      altered("run_newer", "report a.orrery", {"a.orrery", "version"}, "PRAGMA user_version = 99"),
      altered("run_without_a_table", "report a.orrery --perfetto t.pftrace", {"a.orrery:link"},
              "DROP TABLE link"),
      altered("run_table_is_a_view", "explain a.orrery step", {"a.orrery:stored_span"},
              "DROP TABLE stored_span; CREATE VIEW stored_span AS SELECT * FROM path"),
      altered(
          "run_endless_view", "report a.orrery", {"a.orrery:stored_name"},
          "DROP TABLE stored_name; CREATE VIEW stored_name AS WITH RECURSIVE n(id) AS (SELECT 0 "
          "UNION ALL SELECT id + 1 FROM n) SELECT id, '' AS prefix FROM n"),
      altered("run_endless_repetition", "report a.orrery", {"a.orrery:name_part row 0"},
              "UPDATE name_part SET names = 1 << 30 WHERE id = 0", 5),
      altered("run_ranks_huge", "report a.orrery", {"a.orrery:"}, "UPDATE run SET ranks = 1 << 30",
              5),
      altered("run_spans_huge", "report a.orrery",
              {"a.orrery:timeline row 2", "more spans than the file size allows"},
              "UPDATE timeline SET spans = 1 << 30 WHERE id = 2"),
      altered("run_bins_huge", "report a.orrery", {"a.orrery:link_use"},
              "UPDATE link_curve SET bins = 1 << 31"),
      altered("run_members_huge", "report a.orrery", {"a.orrery:"},
              "UPDATE process_group SET size = 1 << 31"),
      altered("run_time_huge", "critical-path a.orrery", {"a.orrery:span row 3"},
              "UPDATE stored_span SET duration_ps = 1 << 62 WHERE id = 3"),
      altered("run_waits_for_itself", "explain a.orrery step", {"a.orrery:span row 2"},
              "UPDATE stored_span SET released_by = id WHERE id = 2"),
      altered("run_word_with_escapes", "report a.orrery", {"a.orrery:run row 0", "spans"},
              "UPDATE run SET spans = char(27) || '[2Jall'"),
      altered("run_finding_with_escapes", "report a.orrery", {"a.orrery:finding row 0"},
              "UPDATE finding SET code = char(27) || '[31m<script>'"),
      {"run_name_with_escapes",
       "report \x1b[31m<b>.orrery",
       kDamaged,
       {"[31m<b>.orrery"},
       {{"\x1b[31m<b>.orrery", "SQLite"}}},
  };
}

}  // namespace

std::vector<Case> run_file_cases() {
  std::vector<Case> all = damaged_bytes();
  const std::vector<Case> more = altered_tables();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace orrery::hostile
