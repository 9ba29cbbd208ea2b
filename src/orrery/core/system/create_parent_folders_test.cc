// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/create_parent_folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace orrery {
namespace {

namespace fs = std::filesystem;

TEST(Folders, AreMadeForWhatLiesInThem) {
  const fs::path root = fs::path(::testing::TempDir()) / "orrery_folders";
  fs::remove_all(root);
  EXPECT_FALSE(create_parent_folders((root / "a/b/w").string()));
  EXPECT_TRUE(fs::is_directory(root / "a/b"));
  EXPECT_FALSE(fs::exists(root / "a/b/w"));
  EXPECT_FALSE(create_parent_folders((root / "a/b/w").string())) << "there already";
  EXPECT_FALSE(create_parent_folders("w")) << "nothing to make";
  std::ofstream(root / "a/file") << "x";
  EXPECT_TRUE(create_parent_folders((root / "a/file/w").string())) << "a file is no folder";
  fs::remove_all(root);
}

}  // namespace
}  // namespace orrery
