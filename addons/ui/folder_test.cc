// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace orrery::ui {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "mine" / "inner");
    std::ofstream(root_ / "secret.txt") << "secret";
    std::ofstream(root_ / "mine" / "a.yaml") << "a";
    std::ofstream(root_ / "mine" / ".hidden") << "h";
    fs::create_symlink(root_ / "secret.txt", root_ / "mine" / "link.txt");
    fs::create_directory_symlink(root_, root_ / "mine" / "up");
  }
  ~FolderTest() override { fs::remove_all(root_); }

  [[nodiscard]] Folder folder() const { return Folder((root_ / "mine").string()); }
  [[nodiscard]] std::string content(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(root_ / "mine" / name).rdbuf();
    return text.str();
  }

  const fs::path root_ =
      fs::temp_directory_path() / ("orrery_ui_folder_" + std::to_string(::getpid()));
};

Request sending(const std::vector<std::string>& pieces, bool breaks = false) {
  Request made;
  made.method = "PUT";
  made.read_body = [pieces, breaks](const std::function<bool(std::string_view)>& take) {
    for (const std::string& piece : pieces)
      if (!take(piece)) return false;
    return !breaks;
  };
  return made;
}

TEST_F(FolderTest, NamesStayInside) {
  EXPECT_TRUE(folder().path_of("a.yaml"));
  EXPECT_TRUE(folder().path_of("inner/new.json"));
  EXPECT_TRUE(folder().path_of("new/folder/x"));
  for (const char* name :
       {"", "/etc/passwd", "..", "../secret.txt", "inner/../../secret.txt", "link.txt",
        "up/secret.txt", ".hidden", "inner/.x", "a//b", "a/", "./a.yaml"})
    EXPECT_FALSE(folder().path_of(name)) << name;
  EXPECT_FALSE(folder().path_of(std::string("a\0b", 3)));
  EXPECT_FALSE(folder().path_of("a\nb"));
  EXPECT_FALSE(folder().path_of(std::string(300, 'a')));
}

TEST_F(FolderTest, QuestionsStayInside) {
  for (const char* fine :
       {R"({})", R"({"cluster": "h100-sxm:8"})", R"({"model": "meta-llama/Llama-3.1-8B"})",
        R"({"traces": ["inner/a.json", "a.yaml"], "tp": 4})"})
    EXPECT_TRUE(check_paths(folder(), fine)) << fine;
  for (const char* wrong :
       {R"({"cluster": "/etc/passwd"})", R"({"traces": ["a.yaml", "../secret.txt"]})",
        R"({"output": "/tmp/x.html"})", R"({"change": ["gpu=../x.yaml"]})",
        R"({"x": {"y": ["/a"]}})", R"({"trace": "up/secret.txt"})", R"({"trace": "link.txt"})",
        R"({"traces": "a.yaml,/etc/passwd"})", R"({"file": ".."})", R"([)", ""})
    EXPECT_FALSE(check_paths(folder(), wrong)) << wrong;
}

TEST_F(FolderTest, ListsItsFiles) {
  const auto files = folder().files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "a.yaml");
  EXPECT_EQ(files[0].bytes, 1u);
}

TEST_F(FolderTest, StoresWholeFilesOnce) {
  Request first = sending({"hello ", "world"});
  EXPECT_EQ(folder().store("new/b.txt", first).status, 201);
  EXPECT_EQ(content("new/b.txt"), "hello world");
  Request same = sending({"hello world"}), other = sending({"other"});
  EXPECT_EQ(folder().store("new/b.txt", same).status, 200);
  EXPECT_EQ(folder().store("new/b.txt", other).status, 409);
  EXPECT_EQ(content("new/b.txt"), "hello world");
  Request broken = sending({"half"}, true);
  EXPECT_EQ(folder().store("c.txt", broken).status, 400);
  EXPECT_FALSE(fs::exists(root_ / "mine" / "c.txt"));
  Request outside = sending({"x"});
  EXPECT_EQ(folder().store("../c.txt", outside).status, 422);
  for (const auto& entry : fs::recursive_directory_iterator(root_))
    EXPECT_EQ(entry.path().filename().string().find(".upload"), std::string::npos);
}

TEST_F(FolderTest, SendsFiles) {
  EXPECT_EQ(folder().fetch("a.yaml").file, (fs::canonical(root_) / "mine" / "a.yaml").string());
  EXPECT_EQ(folder().fetch("none.yaml").status, 404);
  EXPECT_EQ(folder().fetch("link.txt").status, 422);
  EXPECT_EQ(folder().fetch("inner").status, 404);
}

}  // namespace
}  // namespace orrery::ui
