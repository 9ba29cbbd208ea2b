// SPDX-License-Identifier: Apache-2.0
//
// A recording of JAX in which all kernels of one kind last half as long: what is replayed is what
// changed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/study/recordings/replay.h"
#include "orrery/trace/xplane/xplane_testing.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;
namespace xplane = trace::xplane;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

/// Copies a message, with `change` of the content of its fields with this number. `change` returns
/// the new content.
template <class Change>
std::string changed(std::string_view message, std::uint32_t number, Change change) {
  std::string out;
  pbf_writer writer(out);
  pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    const std::uint32_t tag = reader.tag();
    switch (reader.wire_type()) {
      case pbf_wire_type::varint:
        writer.add_uint64(tag, reader.get_uint64());
        break;
      case pbf_wire_type::fixed64:
        writer.add_fixed64(tag, reader.get_fixed64());
        break;
      case pbf_wire_type::fixed32:
        writer.add_fixed32(tag, reader.get_fixed32());
        break;
      default: {
        const auto view = reader.get_view();
        const std::string_view content(view.data(), view.size());
        const std::string is = tag == number ? change(content) : std::string(content);
        writer.add_message(tag, is);
      }
    }
  }
  return out;
}

/// Ids of the metadata of events of a plane whose names begin with `kind`.
std::map<std::uint64_t, bool> ids_of(std::string_view plane, std::string_view kind) {
  std::map<std::uint64_t, bool> ids;
  pbf_reader reader(plane.data(), plane.size());
  while (reader.next(xplane::kEventMetadata, pbf_wire_type::length_delimited)) {
    pbf_reader entry = reader.get_message();
    std::uint64_t id = 0;
    while (entry.next()) {
      if (entry.tag() == xplane::kMapKey) {
        id = entry.get_uint64();
        continue;
      }
      pbf_reader metadata = entry.get_message();
      while (metadata.next(xplane::kEventName, pbf_wire_type::length_delimited)) {
        const auto name = metadata.get_view();
        ids[id] = std::string_view(name.data(), name.size()).starts_with(kind);
      }
    }
  }
  return ids;
}

/// The event with half its duration if its metadata is one of `ids`.
std::string halved_event(std::string_view event, const std::map<std::uint64_t, bool>& ids) {
  std::string out;
  pbf_writer writer(out);
  pbf_reader reader(event.data(), event.size());
  bool of_kind = false;
  while (reader.next()) {
    const std::uint32_t tag = reader.tag();
    if (reader.wire_type() != pbf_wire_type::varint) {
      writer.add_message(tag, reader.get_view());
      continue;
    }
    const std::uint64_t value = reader.get_uint64();
    if (tag == xplane::kEventMetadataOf) of_kind = ids.count(value) != 0 && ids.at(value);
    writer.add_uint64(tag, tag == xplane::kDuration && of_kind ? value / 2 : value);
  }
  return out;
}

std::string halved(const std::string& file, std::string_view kind) {
  return changed(file, xplane::kPlanes, [&](std::string_view plane) {
    const auto ids = ids_of(plane, kind);
    return changed(plane, xplane::kLines, [&](std::string_view line) {
      return changed(line, xplane::kEvents,
                     [&](std::string_view event) { return halved_event(event, ids); });
    });
  });
}

/// Total times of kernels in ps: of one kind, and of all.
struct KernelTimes {
  std::int64_t kind = 0, all = 0;
  std::int64_t recorded = 0, simulated = 0;  ///< of the rank
};

/// Times of each rank as simulated, in ps.
std::vector<KernelTimes> replayed(const fs::path& file, const std::string& kind, double scale = 1) {
  ReplayQuestion question;
  question.recorded.traces = {file.string()};
  question.keep_profiles = true;
  if (scale != 1) question.scales.named = {{kind, scale}};
  Watch watch;
  const auto made = replay(question, watch);
  EXPECT_TRUE(made) << to_string(made.error());
  std::vector<KernelTimes> times;
  if (!made) return times;
  for (const ReplayedRank& rank : made->ranks) {
    KernelTimes& sum = times.emplace_back();
    sum.recorded = rank.recorded.count();
    sum.simulated = rank.simulated.count();
    for (profile::EventId e = 0; e < rank.profile->events.size(); ++e) {
      const profile::Event& event = rank.profile->events[e];
      if (event.kind != profile::Kind::kernel) continue;
      sum.all += event.duration.count();
      if (rank.profile->name(e).starts_with(kind)) sum.kind += event.duration.count();
    }
  }
  return times;
}

class XplaneReplay : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("orrery_xplane_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const char* name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  /// Replays a file, the file with halved kernels, and the file with the option that halves them.
  void expect_change(const std::string& bytes, const std::string& kind, std::size_t ranks) {
    constexpr double kTolerance = 0.005;
    const fs::path file = write("whole.xplane.pb", bytes);
    const auto before = replayed(file, kind);
    const auto in_file = replayed(write("halved.xplane.pb", halved(bytes, kind)), kind);
    const auto by_option = replayed(file, kind, 0.5);
    ASSERT_EQ(before.size(), ranks);
    ASSERT_EQ(in_file.size(), ranks);
    ASSERT_EQ(by_option.size(), ranks);
    for (std::size_t i = 0; i < ranks; ++i) {
      const KernelTimes& is = before[i];
      const auto near = [](std::int64_t found, std::int64_t expected) {
        return std::abs(static_cast<double>(found - expected)) <=
               kTolerance * static_cast<double>(expected);
      };
      const std::int64_t half = is.kind / 2, all = is.all - half;
      EXPECT_GT(half, 0);
      EXPECT_PRED2(near, is.simulated, is.recorded);
      EXPECT_PRED2(near, in_file[i].kind, half);
      EXPECT_PRED2(near, in_file[i].all, all);
      EXPECT_PRED2(near, by_option[i].kind, half);
      EXPECT_PRED2(near, by_option[i].all, all);
      EXPECT_PRED2(near, in_file[i].simulated, in_file[i].recorded);
      EXPECT_LE(by_option[i].simulated, is.simulated);
    }
  }

 private:
  fs::path folder_;
};

TEST_F(XplaneReplay, HalvedKernelsOfASmallFile) {
  expect_change(xplane::testing::two_devices(), "Cijk_", 2);
}

TEST_F(XplaneReplay, HalvedKernelsOfAConvolution) {
  std::ifstream file(std::string(core_testing::kSourceFolder) +
                         "/../shared/data/xla/tracelens/jax_conv_minimal_08.xplane.pb",
                     std::ios::binary);
  if (!file) GTEST_SKIP() << "no recordings of JAX";
  std::ostringstream bytes;
  bytes << file.rdbuf();
  expect_change(bytes.str(), "input_transpose_fusion", 8);
}

}  // namespace
}  // namespace orrery::study
