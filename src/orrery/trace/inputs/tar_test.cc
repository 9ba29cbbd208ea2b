// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/tar.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/io_testing.h"

namespace orrery::trace {
namespace {

using testing::gzip;
using testing::slurp;
using testing::source;
using testing::tar_end;
using testing::tar_file;
using testing::tar_header;
using testing::TempFolder;
using testing::zstd;

/// "name=content" of all regular files, or the error's name at the end.
std::vector<std::string> listing(std::string_view bytes) {
  const auto archive = source(bytes);
  TarReader tar(*archive, "t.tar");
  std::vector<std::string> out;
  while (true) {
    const auto member = tar.next();
    if (!member) {
      out.emplace_back(name(member.error().code));
      return out;
    }
    if (!*member) return out;
    std::string content;
    std::byte some[100];
    while (true) {
      const auto got = tar.read(some);
      if (!got) {
        content += "…";
        break;
      }
      if (*got == 0) break;
      content.append(reinterpret_cast<const char*>(some), *got);
    }
    out.push_back((*member)->name + "=" + content + ((*member)->sparse ? " sparse" : ""));
  }
}

using List = std::vector<std::string>;

std::string pax(const std::string& key, const std::string& value) {
  std::size_t size = key.size() + value.size() + 3;
  while (std::to_string(size).size() + key.size() + value.size() + 3 != size)
    size = std::to_string(size).size() + key.size() + value.size() + 3;
  return std::to_string(size) + " " + key + "=" + value + "\n";
}

/// Sums up a header again after it was changed.
std::string summed(std::string block) {
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block.substr(0, 512)) sum += static_cast<unsigned char>(c);
  char octal[16];
  std::snprintf(octal, sizeof octal, "%06o", sum);
  block.replace(148, 7, octal, 7);
  return block;
}

TEST(Tar, ListsRegularFilesOnly) {
  const std::string bytes =
      tar_header("folder/", 0, '5') + tar_file("folder/a.json", "{}") + tar_header("link", 0, '2') +
      tar_header("hard", 7, '1') + tar_header("pipe", 0, '6') + tar_file("old/", "", '\0') +
      tar_file("b", std::string(512, 'b')) + tar_file("c", "", '\0') +
      tar_file("contiguous", "7", '7') + tar_file("unknown", "data", 'V') + tar_end();
  EXPECT_EQ(listing(bytes),
            (List{"folder/a.json={}", "b=" + std::string(512, 'b'), "c=", "contiguous=7"}));
}

TEST(Tar, ReadsLongNamesOfAllKinds) {
  const std::string name(150, 'n');
  const std::string bytes = tar_file("rest", "1", '0', "prefix/of/ustar") +
                            tar_file("././@LongLink", name + '\0', 'L') + tar_file("cut", "2") +
                            tar_file("pax", pax("mtime", "1.5") + pax("path", "p/" + name), 'x') +
                            tar_file("cut", "3") + tar_file("global", pax("comment", "x"), 'g') +
                            tar_file("././@LongLink", std::string("target") + '\0', 'K') +
                            tar_file("plain", "4") + tar_end();
  EXPECT_EQ(listing(bytes),
            (List{"prefix/of/ustar/rest=1", name + "=2", "p/" + name + "=3", "plain=4"}));
}

TEST(Tar, TakesSizesFromPaxRecordsAndBinaryNumbers) {
  std::string header = tar_header("pax", 0);
  std::string data = "12345";
  data.resize(512, '\0');
  std::string binary = tar_header("binary", 0);
  binary.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\5", 12));
  const std::string bytes = tar_file("x", pax("size", "5"), 'x') + header + data + summed(binary) +
                            data + tar_file("next", "n") + tar_end();
  EXPECT_EQ(listing(bytes), (List{"pax=12345", "binary=12345", "next=n"}));
}

TEST(Tar, NamesThatLeadElsewhereAreOnlyNames) {
  const std::string bytes = tar_file("../../etc/passwd", "x") + tar_file("/absolute", "y") +
                            tar_file("a\nb", "z") + tar_end();
  EXPECT_EQ(listing(bytes), (List{"../../etc/passwd=x", "/absolute=y", "a\nb=z"}));
}

TEST(Tar, GoesPastSparseFiles) {
  std::string sparse = tar_header("old", 5, 'S');
  sparse[482] = 1;  // another block of the map follows
  std::string data = "holes";
  data.resize(512, '\0');
  std::string more(512, '\0');
  more[504] = 1;
  const std::string bytes = summed(sparse) + more + std::string(512, '\0') + data +
                            tar_file("x", pax("GNU.sparse.major", "1"), 'x') +
                            tar_file("new", "map") + tar_file("whole", "w") + tar_end();
  EXPECT_EQ(listing(bytes), (List{"old=holes sparse", "new=map sparse", "whole=w"}));
}

TEST(Tar, EndsWhereTheArchiveDoes) {
  EXPECT_EQ(listing(""), List{});
  EXPECT_EQ(listing(tar_end()), List{});
  EXPECT_EQ(listing(tar_file("a", "1")), List{"a=1"});  // no end marker
  EXPECT_EQ(listing(tar_file("a", "1") + tar_end() + "garbage"), List{"a=1"});
}

TEST(Tar, SaysWhatIsDamaged) {
  const std::string file = tar_file("a", std::string(600, 'a'));
  // Inside a header; inside a file; a size that is not there; a header that changed.
  EXPECT_EQ(listing(file + "short"), (List{"a=" + std::string(600, 'a'), "input_corrupt"}));
  EXPECT_EQ(listing(file.substr(0, 1000)),
            (List{"a=" + std::string(488, 'a') + "…", "input_truncated"}));
  EXPECT_EQ(listing(tar_header("huge", 07777777777)), (List{"huge=…", "input_truncated"}));
  std::string changed = tar_file("b", "2");
  changed[0] = 'c';
  EXPECT_EQ(listing(file + changed), (List{"a=" + std::string(600, 'a'), "input_corrupt"}));
  std::string negative = tar_header("n", 0);
  negative.replace(124, 12, std::string(12, '\xFF'));
  EXPECT_EQ(listing(summed(negative)), List{"input_corrupt"});
  std::string letters = tar_header("n", 0);
  letters.replace(124, 12, "12x45678901 ");
  EXPECT_EQ(listing(summed(letters)), List{"input_corrupt"});
  for (const char* records : {"99 path=x\n", "5 a\n", "x", "8 path=x\n", "-3 path=x\n",
                              "11 size=-1\n", "10 size=q\n", "28 size=99999999999999999999\n"}) {
    EXPECT_EQ(listing(tar_file("x", records, 'x') + tar_file("a", "1")), List{"input_corrupt"})
        << records;
  }
}

TEST(Tar, DoesNotTakeLongNamesWithoutEnd) {
  EXPECT_EQ(listing(tar_header("x", 1u << 30, 'L')), List{"limit_exceeded"});
  EXPECT_EQ(listing(tar_header("x", 1u << 20, 'L') + "n"), List{"input_corrupt"});
}

TEST(Tar, IsToldByItsChecksum) {
  EXPECT_TRUE(looks_like_tar(tar_file("a", "")));
  EXPECT_FALSE(looks_like_tar(tar_end()));
  EXPECT_FALSE(looks_like_tar(tar_file("a", "").substr(0, 511)));
  EXPECT_FALSE(looks_like_tar(std::string(1024, 'a')));
}

/// The real program's archives, in each of its formats.
TEST(Tar, ReadsWhatTarWrites) {
  const TempFolder folder;
  const std::string deep = "d/" + std::string(90, 'x') + "/" + std::string(90, 'y');
  std::filesystem::create_directories(folder / deep);
  folder.write("d/one", "1");
  folder.write(deep + "/" + std::string(120, 'z'), "deep");
  for (const std::string format : {"gnu", "pax", "ustar", "oldgnu"}) {
    const std::string path = folder / (format + ".tar");
    const std::string command = "tar -C '" + (folder / "") + "' --format=" + format + " -cf '" +
                                path + "' d/one " + (format == "ustar" ? "" : "d") + " 2>/dev/null";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no tar here";
    const auto inputs = inputs_in(path);
    ASSERT_TRUE(inputs) << format;
    ASSERT_GE(inputs->size(), format == "ustar" ? 1u : 2u) << format;
    for (const Input& input : *inputs) {
      auto opened = open(input);
      ASSERT_TRUE(opened);
      const std::string content = slurp(**opened).value();
      EXPECT_EQ(content, input.name == path + "!d/one" ? "1" : "deep") << input.name;
    }
  }
}

}  // namespace
}  // namespace orrery::trace
