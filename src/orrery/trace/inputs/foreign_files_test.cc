// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/foreign_files.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::trace {
namespace {

std::string what(std::string_view head, std::string_view path = "file") {
  const ForeignFile* const found = find_foreign_file(head, path);
  if (found != nullptr) EXPECT_FALSE(found->hint.empty());
  return found == nullptr ? "" : std::string(found->what);
}

TEST(ForeignFiles, AreKnownByContentOrName) {
  const std::string binary("\1\2\3\0", 4);
  EXPECT_EQ(what(std::string("NVR\0\20", 5)),
            "a report of Nsight Compute, which measures single kernels");
  EXPECT_EQ(what(binary, "x/a.ncu-rep"), what(std::string("NVR\0", 4)));
  EXPECT_EQ(what("\"ID\",\"Kernel Name\",\"Metric Name\"\n"), what(binary, "a.ncu-rep"));
  EXPECT_EQ(what("\"Index\",\"KernelName\",\"DurationNs\"\n"),
            "a table of rocprof, not a recording");
  EXPECT_EQ(what("\"Kind\",\"Kernel_Name\",\"Start_Timestamp\"\n"),
            what("KernelName,DurationNs\n"));
  EXPECT_EQ(what("version https://git-lfs.github.com/spec/v1\n"),
            "a pointer of Git LFS, not the file itself");
  EXPECT_EQ(what("<!DOCTYPE html><html>"), "a web page");
  EXPECT_EQ(what("\x80\x04\x95" + binary),
            "a Python pickle, such as a snapshot of PyTorch's memory, not a recording");
  EXPECT_EQ(what("\x80\x02}q\x01"), what("\x80\x04\x95" + binary));
  EXPECT_EQ(what("\x80\x03]q\x01"), what("\x80\x04\x95" + binary));
  EXPECT_EQ(what("\x80\x02\n\x05" + binary), "") << "a length and a message";
  EXPECT_EQ(what("\x80\x02"), "");
  EXPECT_EQ(what(binary, "a.perfetto-trace"),
            "a Perfetto trace without the tracks that PyTorch's profiler writes");
  EXPECT_EQ(what(binary, "host.xplane.pb").substr(0, 12), "a file named");
  EXPECT_EQ(what(binary, "events.out.tfevents.17.host").substr(0, 13), "an event file");
  EXPECT_EQ(what("SQLite format 3" + binary).substr(0, 10), "a database");
  EXPECT_EQ(what("step_stats {\n  dev_stats {\n").substr(0, 13), "the text form");
  EXPECT_EQ(what("planes {\n  id: 1\n"), what("step_stats {"));
  EXPECT_EQ(what("<algo name=\"t\">").substr(0, 6), "a plan");
  EXPECT_EQ(what("a,b\n1,2\n"), "a text file, not a trace");
}

// Every refused format has a kind, and its error names what to do and where to read about it.
TEST(ForeignFiles, HaveAHintAndAPage) {
  for (const Format format : {Format::nsys_report, Format::nsys_table, Format::ascend_json,
                              Format::rocprof_json, Format::archive}) {
    const ForeignFile* const found = find_foreign_file(format);
    ASSERT_NE(found, nullptr) << name(format);
    const Error error = foreign_error(*found, "a");
    EXPECT_EQ(error.code, Errc::input_unsupported);
    EXPECT_TRUE(error.hint.ends_with("; see docs/recorded-traces.md")) << error.hint;
  }
  EXPECT_EQ(find_foreign_file(Format::kineto), nullptr);
  EXPECT_EQ(find_foreign_file(Format::foreign), nullptr);
  EXPECT_EQ(foreign_error(*find_foreign_file("version https://git-lfs", "a"), "a").hint,
            "fetch the file: git lfs pull");
}

TEST(ForeignFiles, AreNotGuessed) {
  EXPECT_EQ(what(std::string("\1\2\3\0", 4)), "");
  EXPECT_EQ(what("{\"a\": 1}"), "") << "the reader of JSON names what is missing";
  EXPECT_EQ(what(""), "");
  EXPECT_EQ(what("\n\x10text with the tag of a field"), "");
}

}  // namespace
}  // namespace orrery::trace
