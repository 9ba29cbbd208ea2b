// SPDX-License-Identifier: Apache-2.0
//
// What every importer must hold to (importer.h), tried on its example.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

#include "orrery/core/paths_testing.h"
#include "orrery/job_formats/importers/importer.h"

namespace orrery::workload {

void PrintTo(const Importer* importer, std::ostream* out) { *out << importer->name; }

namespace {

namespace fs = std::filesystem;

/// The file of that name, whatever its extension.
std::string example_of(const Importer& importer) {
  const fs::path folder =
      fs::path(core_testing::kSourceFolder) / "tests/fuzz/corpus/import_spec_fuzz";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().stem() != importer.name) continue;
    std::ifstream file(entry.path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  ADD_FAILURE() << "no example of " << importer.name << " in " << folder;
  return {};
}

class ImporterContract : public ::testing::TestWithParam<const Importer*> {
 protected:
  const Importer& importer_ = *GetParam();
  const std::string example_ = example_of(importer_);
};

TEST_P(ImporterContract, ItFindsItsExampleAndNoOthers) {
  const auto format = detect_importer(example_, "file");
  ASSERT_TRUE(format) << to_string(format.error());
  EXPECT_EQ(*format, &importer_) << (*format)->name;
  for (const Importer* other : kImporters) {
    if (other != &importer_) {
      EXPECT_NE(detect_importer(example_of(*other), "file").value_or(nullptr), &importer_)
          << other->name;
    }
  }
}

TEST_P(ImporterContract, WhatItReadsCanBeWrittenAndReadAgain) {
  Spec spec;
  Findings findings;
  const auto done = import_into(spec, example_, "file", findings);
  ASSERT_TRUE(done) << to_string(done.error());
  EXPECT_NE(to_json(spec), to_json(Spec{})) << "it says nothing";
  const auto again = parse_spec(to_json(spec), "again");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(to_json(*again), to_json(spec));
}

// A specification describes a complete job; every other file adds to what is there.
TEST(Importers, KeepWhatTheirFilesDoNotSet) {
  for (const Importer* one : kImporters) {
    Spec spec;
    spec.kernels.launch = us(7);
    Findings findings;
    ASSERT_TRUE(import_into(spec, example_of(*one), "file", findings)) << one->name;
    EXPECT_EQ(spec.kernels.launch == us(7), one != &kSpecificationImporter) << one->name;
  }
}

// In JSON; a specification refuses such keys.
TEST_P(ImporterContract, ItCountsKeysThatItDoesNotKnow) {
  const auto end = example_.find_last_of('}');
  if (importer_.import_document == nullptr || example_.front() != '{') return;
  std::string odd = example_;
  odd.insert(end, ", \"twisted_by_a_test\": 3");
  Spec spec;
  Findings plain, counted;
  ASSERT_TRUE(import_into(spec, example_, "file", plain));
  ASSERT_TRUE(import_into(spec, odd, "file", counted));
  EXPECT_EQ(counted.count(FindingCode::key_ignored), plain.count(FindingCode::key_ignored) + 1);
}

TEST_P(ImporterContract, ABrokenFileIsAnErrorThatSaysWhere) {
  for (std::size_t size = 0; size < example_.size(); size += 1 + example_.size() / 200) {
    Spec spec;
    Findings findings;
    const auto done = import_into(spec, example_.substr(0, size), "file", findings);
    if (done) continue;
    EXPECT_THAT(done.error().where, ::testing::HasSubstr("file")) << size;
    EXPECT_FALSE(done.error().what.empty()) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Importers, ImporterContract, ::testing::ValuesIn(kImporters),
                         [](const auto& made) { return std::string(made.param->name); });

}  // namespace
}  // namespace orrery::workload
