// SPDX-License-Identifier: Apache-2.0
//
// Rules that the tables of all tools follow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "orrery/job_formats/importers/tables/tables.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::workload {
namespace {

using config::Json;
using ::testing::HasSubstr;

const KeyRow* row_named(const KnownKeys& keys, std::string_view name) {
  for (const KeyRow& row : keys.rows)
    if (row.key == name) return &row;
  return nullptr;
}

/// A test per row of every table.
struct TableRow {
  const ImporterTable* table;
  const KeyRow* row;
};
std::vector<TableRow> all_rows() {
  std::vector<TableRow> rows;
  for (const ImporterTable* table : kImporterTables)
    for (const KeyRow& row : table->keys.rows) rows.push_back({table, &row});
  return rows;
}

TEST(KeyTables, HaveEachKeyOnce) {
  for (const ImporterTable* table : kImporterTables) {
    std::set<std::string_view> seen;
    for (const KeyRow& row : table->keys.rows)
      EXPECT_TRUE(seen.insert(row.key).second) << table->importer->name << ": " << row.key;
  }
}

TEST(KeyTables, StandForKeysThatAreThere) {
  for (const auto& [table, row] : all_rows()) {
    if (row->use != KeyUse::other_name) continue;
    const bool own = row_named(table->keys, row->what) != nullptr;
    EXPECT_TRUE(own ||
                (table->others != nullptr && row_named(table->others->keys, row->what) != nullptr))
        << table->importer->name << ": " << row->key;
  }
}

// A word of a known key that nobody knows is an error at that key, never a default in silence.
TEST(KeyTables, RefuseUnknownWordsOrReportThem) {
  int refused = 0, reported = 0;
  for (const auto& [table, row] : all_rows()) {
    if (row->words.empty()) continue;
    SCOPED_TRACE(std::string(table->importer->name) + ": " + std::string(row->key));
    Spec spec = unresolved_spec();
    Findings findings;
    Json file = Json::object();
    file[std::string(row->key)] = "no such word";
    const auto done = apply_keys(table->keys, file, "file", spec, findings);
    if (row->words.back().theirs == kOtherWords) {
      EXPECT_TRUE(done.has_value());
      EXPECT_EQ(findings.count(FindingCode::key_without_effect), 1);
      ++reported;
      continue;
    }
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code, Errc::config_range);
    EXPECT_THAT(done.error().what, HasSubstr("no such word"));
    ++refused;
  }
  EXPECT_GT(refused, 40);
  EXPECT_GT(reported, 5);
}

// Every listed word is one of a specification.
TEST(KeyTables, HaveWordsOfSpecifications) {
  for (const auto& [table, row] : all_rows()) {
    for (const KeyWord& word : row->words) {
      if (word.theirs == kOtherWords) continue;
      SCOPED_TRACE(std::string(table->importer->name) + ": " + std::string(row->key) + " = " +
                   std::string(word.theirs));
      Spec spec = unresolved_spec();
      Findings findings;
      Json file = Json::object();
      file[std::string(row->key)] = std::string(word.theirs);
      const auto done = apply_keys(table->keys, file, "file", spec, findings);
      EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
    }
  }
}

Json megatron_model() {
  return {{"num_layers", 4}, {"hidden_size", 256}, {"num_attention_heads", 4}, {"vocab_size", 512}};
}

// Its code reads what the table says that it reads.
TEST(KeyTables, ReadWhatTheyListOfMegatron) {
  int read = 0;
  for (const KeyRow& row : kMegatronTable.keys.rows) {
    for (const Json& value : {Json(2), Json(true), Json("alltoall"), Json("full")}) {
      Json file = megatron_model();
      // Some keys count only with these.
      file.update(
          {{"num_experts", 8}, {"expert_interval", 2}, {"cross_entropy_loss_fusion", true}});
      file[std::string(row.key)] = value;
      Spec spec = unresolved_spec();
      Findings findings;
      if (!kMegatronImporter.import_document(spec, file, "file", findings)) continue;
      EXPECT_EQ(findings.count(FindingCode::key_ignored), 0) << row.key;
      ++read;
      break;
    }
  }
  EXPECT_GT(read, 190);
}

Json llama() {
  return {{"model_type", "llama"},
          {"num_hidden_layers", 4},
          {"hidden_size", 256},
          {"num_attention_heads", 4},
          {"vocab_size", 512}};
}

TEST(KeyTables, KnowTheKeysOfHuggingFaceWithoutEffect) {
  for (const KeyRow& row : kHuggingFaceTable.keys.rows) {
    if (row.use != KeyUse::no_effect) continue;
    Json file = llama();
    file[std::string(row.key)] = 1;
    Spec spec = unresolved_spec();
    Findings findings;
    ASSERT_TRUE(kHuggingFaceImporter.import_document(spec, file, "file", findings)) << row.key;
    EXPECT_EQ(findings.count(FindingCode::key_ignored), 0) << row.key;
  }
}

// Of two names of a value, the first of the chain counts; places name what the user wrote.
TEST(KeyTables, PreferTheFirstOfTwoNames) {
  Json file = megatron_model();
  file["padded_vocab_size"] = 640;
  file["encoder_seq_length"] = 128;
  Spec spec = unresolved_spec();
  Findings findings;
  ASSERT_TRUE(kMegatronImporter.import_document(spec, file, "file", findings));
  EXPECT_EQ(spec.model.vocab, 640);
  EXPECT_EQ(spec.batch.seq, 128);
  file["pad_vocab_size_to"] = 1024;
  file["seq_length"] = 256;
  ASSERT_TRUE(kMegatronImporter.import_document(spec, file, "file", findings));
  EXPECT_EQ(spec.model.vocab, 1024);
  EXPECT_EQ(spec.batch.seq, 256);
  file.erase("seq_length");
  file["encoder_seq_length"] = "long";
  const auto done = kMegatronImporter.import_document(spec, file, "file", findings);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().where, "file:/encoder_seq_length");
}

}  // namespace
}  // namespace orrery::workload
