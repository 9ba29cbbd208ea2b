// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/indices/lookups.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

namespace orrery::trace {
namespace {

Result<std::vector<TableLookups>> read(std::string_view text, const BagShape& shape = {}) {
  return read_lookups(std::make_unique<MemorySource>(std::as_bytes(std::span(text))), "t", shape);
}

using Numbers = std::vector<std::int64_t>;

std::string npy(std::string_view type, std::string_view shape, std::string_view bytes) {
  std::string header = "{'descr': '" + std::string(type) +
                       "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  header.resize(118, ' ');
  header.back() = '\n';
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + std::string(bytes);
}

template <class Number>
std::string bytes_of(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number number : numbers)
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

Errc code_of(std::string_view text, const BagShape& shape = {}) {
  const auto tables = read(text, shape);
  EXPECT_FALSE(tables);
  if (tables) return Errc::usage;
  EXPECT_FALSE(tables.error().where.empty());
  return tables.error().code;
}

TEST(Lookups, ABagALine) {
  const auto is = read("# indices\n3, 4 ,3\n\n7\n");
  ASSERT_TRUE(is) << to_string(is.error());
  ASSERT_EQ(is->size(), 1u);
  EXPECT_EQ(is->front().indices, (Numbers{3, 4, 3, 7}));
  EXPECT_EQ(is->front().ends, (Numbers{3, 3, 4}));
}

TEST(Lookups, OneIndexALineInBagsOfTwo) {
  const auto is = read("3\n4\r\n3\n7", {"", "", 2, 1});
  ASSERT_TRUE(is);
  EXPECT_EQ(is->front().ends, (Numbers{2, 4}));
  EXPECT_EQ(code_of("3\n4\n3\n", {"", "", 2, 1}), Errc::usage);
  EXPECT_EQ(code_of("3 4\n3\n", {"", "", 1, 1}), Errc::usage);  // it says itself
}

TEST(Lookups, ColumnsWithTables) {
  const auto is = read("table,bag,index\na,0,5\na,0,6\nb,0,5\na,1,5\nb,2,9\n");
  ASSERT_TRUE(is) << to_string(is.error());
  ASSERT_EQ(is->size(), 2u);
  EXPECT_EQ((*is)[0].table, "a");
  EXPECT_EQ((*is)[0].indices, (Numbers{5, 6, 5}));
  EXPECT_EQ((*is)[0].ends, (Numbers{2, 3}));
  EXPECT_EQ((*is)[1].ends, (Numbers{1, 2}));
  EXPECT_EQ(read("index\n4\n5\n")->front().ends, (Numbers{1, 2}));
}

TEST(Lookups, NumpyArrays) {
  for (const std::string& text :
       {npy("<i8", "(3,)", bytes_of<std::int64_t>({4, 5, 1ll << 40})),
        npy(">i8", "(3,)", std::string("\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\5\0\0\1\0\0\0\0\0", 24))}) {
    const auto is = read(text);
    ASSERT_TRUE(is) << to_string(is.error());
    EXPECT_EQ(is->front().indices, (Numbers{4, 5, 1ll << 40}));
    EXPECT_EQ(is->front().bags(), 3);
  }
  EXPECT_EQ(read(npy("<i4", "(2,)", bytes_of<std::int32_t>({4, 5})))->front().indices,
            (Numbers{4, 5}));
  EXPECT_EQ(read(npy("<u4", "(1,)", bytes_of<std::uint32_t>({4'000'000'000u})))->front().indices,
            (Numbers{4'000'000'000}));
}

TEST(Lookups, NumpyArraysThatAreNone) {
  const std::string five = bytes_of<std::int64_t>({1, 2, 3, 4, 5});
  EXPECT_EQ(code_of(npy("<f8", "(5,)", five)), Errc::input_unsupported);
  EXPECT_EQ(code_of(npy("<i8", "(1, 5)", five)), Errc::input_unsupported);
  EXPECT_EQ(code_of(npy("<i8", "()", five)), Errc::input_unsupported);
  EXPECT_EQ(code_of(npy("<i8", " ,", five)), Errc::input_unsupported);  // found by fuzzing
  EXPECT_EQ(code_of(npy("<i8", "(", five)), Errc::input_corrupt);
  EXPECT_EQ(code_of(npy("<i8", "(6,)", five)), Errc::input_truncated);
  EXPECT_EQ(code_of(npy("<i8", "(4,)", five)), Errc::input_corrupt);
  EXPECT_EQ(code_of(npy("<i8", "(99999999999999,)", five)), Errc::limit_exceeded);
  EXPECT_EQ(code_of(npy("<i8", "(999999999999999999999999,)", five)), Errc::input_corrupt);
  EXPECT_EQ(code_of(npy("<i8", "(1,)", bytes_of<std::int64_t>({-1}))), Errc::input_range);
  EXPECT_EQ(code_of(npy("<i4", "(1,)", bytes_of<std::int32_t>({-1}))), Errc::input_range);
  EXPECT_EQ(code_of(npy("<i8", "(0,)", "")), Errc::input_empty);
  EXPECT_EQ(code_of(std::string("\x93NUMPY\x01\x00\x76", 9)), Errc::input_truncated);
  EXPECT_EQ(code_of(std::string("\x93NUMPY\x07\x00\x76\x00\x20\x20", 12)), Errc::input_unsupported);
  EXPECT_EQ(code_of(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)), Errc::limit_exceeded);
}

TEST(Lookups, HostileText) {
  EXPECT_EQ(code_of(""), Errc::input_empty);
  EXPECT_EQ(code_of("\n\n\n"), Errc::input_empty);
  EXPECT_EQ(code_of("1 -2\n"), Errc::input_range);
  EXPECT_EQ(code_of("99999999999999999999\n"), Errc::input_range);
  EXPECT_EQ(code_of("1 2.5\n"), Errc::input_corrupt);
  EXPECT_EQ(code_of("1\nindex\n"), Errc::input_corrupt);
  EXPECT_EQ(code_of("table,row\na,1\n"), Errc::input_unsupported);
  EXPECT_EQ(code_of("index,index\n1,1\n"), Errc::input_unsupported);
  EXPECT_EQ(code_of("table,index\na\n"), Errc::input_corrupt);
  EXPECT_EQ(code_of("table,index\na,1,2,3,4\n"), Errc::input_corrupt);
  EXPECT_EQ(code_of(std::string("\0\1\2\3", 4)), Errc::input_corrupt);
  EXPECT_EQ(code_of(std::string("PK\x03\x04", 4) + std::string(90, 'x')), Errc::input_unsupported);
  EXPECT_EQ(code_of("\x80\x02}q"), Errc::input_unsupported);
}

class LookupFiles : public testing::Test {
 protected:
  LookupFiles() { std::filesystem::create_directories(folder_); }
  ~LookupFiles() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "orrery_lookups";
};

TEST_F(LookupFiles, OffsetsWithAndWithoutTheEnd) {
  const std::string indices =
      file("i.npy", npy("<i4", "(4,)", bytes_of<std::int32_t>({5, 6, 5, 7})));
  for (const char* offsets : {"0\n1\n1", "0 1 1 4"}) {
    const auto is = read_lookups(indices, {file("o.txt", offsets), "", 0, 1});
    ASSERT_TRUE(is) << to_string(is.error());
    EXPECT_EQ(is->front().ends, (Numbers{1, 1, 4}));
  }
  for (const char* wrong : {"1 2", "0 3 2", "0 5"})
    EXPECT_EQ(read_lookups(indices, {file("o.txt", wrong), "", 0, 1}).error().code,
              Errc::input_range);
}

TEST_F(LookupFiles, LengthsOfTwoTables) {
  const std::string indices = file("i.txt", "5\n6\n5\n7\n");
  const auto is = read_lookups(indices, {"", file("l.txt", "1 0 2 1"), 0, 2});
  ASSERT_TRUE(is) << to_string(is.error());
  ASSERT_EQ(is->size(), 2u);
  EXPECT_EQ((*is)[0].indices, (Numbers{5}));
  EXPECT_EQ((*is)[0].ends, (Numbers{1, 1}));
  EXPECT_EQ((*is)[1].indices, (Numbers{6, 5, 7}));
  EXPECT_EQ((*is)[1].ends, (Numbers{2, 3}));
  EXPECT_EQ(read_lookups(indices, {"", file("l.txt", "1 0 2"), 0, 1}).error().code,
            Errc::input_range);
  EXPECT_EQ(
      read_lookups(indices, {"", file("l.txt", "9223372036854775807 9223372036854775807"), 0, 1})
          .error()
          .code,
      Errc::input_range);
  EXPECT_EQ(read_lookups(indices, {"", file("l.txt", "1 0 2 1"), 0, 3}).error().code, Errc::usage);
  EXPECT_EQ(read_lookups(indices, {"a", "b", 0, 1}).error().code, Errc::usage);
}

TEST_F(LookupFiles, FilesThatAreNotThere) {
  EXPECT_EQ(read_lookups("/nowhere/i.npy", {}).error().code, Errc::input_not_found);
}

}  // namespace
}  // namespace orrery::trace
