// SPDX-License-Identifier: Apache-2.0
//
// Decompression: whole, in pieces, damaged, hostile.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include <random>

#include "orrery/core/limits.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/io/file_sink.h"
#include "orrery/trace/io/io_testing.h"

namespace orrery::trace {
namespace {

using testing::gzip;
using testing::slurp;
using testing::source;
using testing::TempFolder;
using testing::zstd;

Result<std::string> unpacked(std::string_view bytes, std::size_t step = 65536) {
  auto plain = decompress(source(bytes), "x");
  if (!plain) return tl::unexpected(plain.error());
  return slurp(**plain, step);
}

/// Hands out one byte at a time.
class Dripping final : public ByteSource {
 public:
  explicit Dripping(std::string_view bytes) : bytes_(bytes) {}
  Result<std::size_t> read(std::span<std::byte> into) override {
    if (into.empty() || bytes_.empty()) return 0;
    into[0] = static_cast<std::byte>(bytes_[0]);
    bytes_.remove_prefix(1);
    return 1;
  }

 private:
  std::string_view bytes_;
};

std::string trace_like(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i)
    text += R"({"ph": "X", "name": "op", "ts": )" + std::to_string(i * 7919) + "},\n";
  return text;
}

TEST(Unpack, GivesBackWhatWasPackedWhateverTheStep) {
  const std::string text = trace_like(300'000);
  for (const std::string& packed : {text, gzip(text), zstd(text), zstd(text, 19)}) {
    for (const std::size_t step : {1u, 7u, 4096u, 1u << 20}) {
      if (step == 1 && packed.size() == text.size()) continue;
      const auto plain = unpacked(packed, step);
      ASSERT_TRUE(plain) << to_string(plain.error());
      EXPECT_TRUE(*plain == text);
    }
    auto slow = decompress(std::make_unique<Dripping>(packed), "x");
    ASSERT_TRUE(slow);
    EXPECT_TRUE(slurp(**slow).value() == text);
  }
}

TEST(Unpack, GivesBackAnyBytes) {
  rc::check([](const std::string& text, const std::string& more) {
    RC_ASSERT(unpacked(gzip(text)).value() == text);
    RC_ASSERT(unpacked(zstd(text)).value() == text);
    // Several in a row are one stream.
    RC_ASSERT(unpacked(gzip(text) + gzip(more)).value() == text + more);
    RC_ASSERT(unpacked(zstd(text) + zstd(more)).value() == text + more);
  });
}

TEST(Unpack, LeavesOtherBytesAlone) {
  for (const std::string& text : {std::string(), std::string("a"), std::string("\x1F"),
                                  std::string("\x28\xB5\x2F"), std::string("{}")}) {
    EXPECT_EQ(unpacked(text).value(), text);
  }
}

TEST(Unpack, SkipsFramesThatHoldNoContent) {
  const std::string skippable("\x50\x2A\x4D\x18\x04\0\0\0abcd", 12);
  EXPECT_EQ(unpacked(skippable + zstd("content")).value(), "content");
  EXPECT_EQ(unpacked(zstd("one") + skippable + zstd("two")).value(), "onetwo");
}

TEST(Unpack, StopsAtPadding) {
  EXPECT_EQ(unpacked(gzip("content") + std::string(512, '\0')).value(), "content");
  EXPECT_EQ(unpacked(zstd("content") + std::string(512, '\0')).value(), "content");
}

TEST(Unpack, SaysWhereDamageIs) {
  const std::string text = trace_like(200'000);
  for (const bool old : {true, false}) {
    const std::string packed = old ? gzip(text) : zstd(text);
    for (const std::size_t size :
         {packed.size() / 3, packed.size() / 2, packed.size() - 5, packed.size() - 1}) {
      const auto cut = unpacked(packed.substr(0, size));
      ASSERT_FALSE(cut);
      EXPECT_EQ(cut.error().code, Errc::input_truncated);
      EXPECT_EQ(cut.error().where, "x:byte " + std::to_string(size));
      EXPECT_EQ(cut.error().what, "the compressed data is truncated");
    }
    const auto garbage = unpacked(packed + "garbage!");
    ASSERT_FALSE(garbage);
    EXPECT_EQ(garbage.error().code, Errc::input_corrupt);
    std::string broken = packed;
    broken[packed.size() / 2] = static_cast<char>(~broken[packed.size() / 2]);
    broken[packed.size() / 2 + 1] = static_cast<char>(~broken[packed.size() / 2 + 1]);
    const auto damaged = unpacked(broken);
    EXPECT_TRUE(!damaged || *damaged != text);  // zstd here has no checksum
  }
}

/// What came before the damage is there first, and the damage stays.
TEST(Unpack, HandsOutWhatIsWholeBeforeTheDamage) {
  const std::string text = trace_like(400'000);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const std::string cut = packed.substr(0, packed.size() - 9);
    auto plain = decompress(source(cut), "x");
    ASSERT_TRUE(plain);
    std::string got;
    std::vector<std::byte> some(10'000);
    while (true) {
      const auto count = (*plain)->read(some);
      if (!count) break;
      ASSERT_GT(*count, 0u);
      got.append(reinterpret_cast<const char*>(some.data()), *count);
    }
    EXPECT_GT(got.size(), text.size() / 4);
    EXPECT_EQ(got, text.substr(0, got.size()));
    EXPECT_FALSE((*plain)->read(some));
  }
}

/// Whatever can be read of a damaged file, in steps.
std::string readable(std::string_view packed, std::size_t step) {
  auto plain = decompress(source(packed), "x");
  std::string got;
  std::vector<std::byte> some(step);
  while (plain) {
    const auto count = (*plain)->read(some);
    if (!count) return got;
    EXPECT_GT(*count, 0u);
    if (*count == 0) break;
    got.append(reinterpret_cast<const char*>(some.data()), *count);
  }
  ADD_FAILURE() << "not damaged";
  return got;
}

/// Found by fuzzing: what came out in the very step that met the damage was lost (gzip), or all of
/// a small frame (zstd), so that the size of the steps decided where a damaged file seemed to end.
TEST(Unpack, EndsAtTheSamePlaceWhateverTheStep) {
  const std::string text = trace_like(100'000);
  std::string broken = gzip(text);
  for (std::size_t i = broken.size() / 2; i < broken.size() / 2 + 8; ++i) broken[i] = '\xFF';
  const TempFolder folder;
  auto sink = FileSink::create(folder / "t.zst", {});
  ASSERT_TRUE(sink && (*sink)->write(text) && (*sink)->close());
  auto file = open_file(folder / "t.zst");
  std::string changed = slurp(**file).value();
  changed.back() = static_cast<char>(~changed.back());  // the checksum
  std::string small = zstd(text) + std::string("\x28\xB5\x2F\xFD\xFF\xFF\xFF\xFF");
  const std::string cut = gzip(std::string(1 << 20, ' ')).substr(0, 500);
  // A block of 1088 bytes as they are, behind it something that is no block.
  const std::string raw = std::string("\x28\xB5\x2F\xFD\x04\x08\x00\x22\x00", 9) +
                          std::string(1088, 'r') + "\xFF\xFF\xFF\xFF\xFF";
  for (const std::string& packed : {broken, changed, small, cut, raw}) {
    const std::string first = readable(packed, 61);
    EXPECT_GT(first.size(), 1000u);
    EXPECT_TRUE(readable(packed, 4096) == first);
    EXPECT_TRUE(readable(packed, 1 << 20) == first);
  }
}

TEST(Unpack, NeverCrashesOnDamage) {
  const std::string text = trace_like(20'000);
  for (const std::string& packed : {gzip(text), zstd(text, 1), zstd(text, 19)}) {
    for (std::size_t at = 0; at < packed.size(); at += 3) {
      std::string bytes = packed;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
      const auto plain = unpacked(bytes, 5000);
      EXPECT_TRUE(plain || !plain.error().what.empty());
    }
  }
}

/// A gigabyte of nothing in some 30 KB: refused soon, and never in memory.
TEST(Unpack, RefusesBombs) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 19);
  const std::string zeros(1 << 20, '\0');
  std::string bomb(1 << 20, '\0');
  ZSTD_outBuffer out{bomb.data(), bomb.size(), 0};
  for (int i = 0; i < 1024; ++i) {
    ZSTD_inBuffer in{zeros.data(), zeros.size(), 0};
    while (in.pos < in.size) ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
  }
  ZSTD_inBuffer end{nullptr, 0, 0};
  while (ZSTD_compressStream2(context, &out, &end, ZSTD_e_end) != 0) {
  }
  ZSTD_freeCCtx(context);
  bomb.resize(out.pos);
  ASSERT_LT(bomb.size(), 64u << 10);

  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  auto plain = decompress(source(bomb), "bomb.zst");
  ASSERT_TRUE(plain);
  std::vector<std::byte> some(1 << 20);
  std::uint64_t total = 0;
  while (true) {
    const auto count = (*plain)->read(some);
    if (!count) {
      EXPECT_EQ(count.error().code, Errc::limit_exceeded);
      break;
    }
    ASSERT_GT(*count, 0u);
    total += *count;
  }
  EXPECT_LE(total, 2 * limits::kInflateFloor);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10);  // KiB
}

TEST(Unpack, AllowsWhatRepeatsItselfOverLongDistances) {
  // The same steps over and over, each with a little of its own: more than gzip could honestly do.
  const std::string step = trace_like(1 << 20);
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i < 160; ++i) {
    text += step;
    for (int own = 0; own < 350; ++own) text += std::to_string(random() % 100'000'000) + "\n";
  }
  const std::string packed = zstd(text, 9);
  ASSERT_GT(text.size() / packed.size(), limits::kInflateRatio);
  const auto plain = unpacked(packed);
  ASSERT_TRUE(plain) << to_string(plain.error());
  EXPECT_TRUE(*plain == text);
}

TEST(Unpack, RefusesWindowsThatNeedTooMuchMemory) {
  // A frame with a window of 2 GiB and one empty block.
  const std::string frame("\x28\xB5\x2F\xFD\x00\xA8\x01\x00\x00", 9);
  const auto refused = unpacked(frame);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::limit_exceeded);
  EXPECT_EQ(refused.error().what, "needs a window of more than 128 MiB for decompression");
}

TEST(FileSink, PacksByTheNameAndAlwaysTheSame) {
  const TempFolder folder;
  const std::string text = trace_like(500'000);
  for (const std::string name : {"a.json", "a.json.gz", "a.json.zst"}) {
    std::string first;
    for (const std::size_t step : {500'000u, 999u}) {
      const std::string path = folder / name;
      auto sink = FileSink::create(path, {.force = true});
      ASSERT_TRUE(sink);
      for (std::size_t at = 0; at < text.size(); at += step)
        ASSERT_TRUE((*sink)->write(std::string_view(text).substr(at, step)));
      ASSERT_TRUE((*sink)->close());
      auto file = open_file(path);
      ASSERT_TRUE(file);
      const std::string bytes = slurp(**file).value();
      EXPECT_EQ(bytes.size() == text.size(), name == "a.json");
      EXPECT_TRUE(unpacked(bytes).value() == text);
      EXPECT_TRUE(first.empty() || bytes == first) << name;
      first = bytes;
    }
  }
}

TEST(FileSink, ReplacesNothingUnasked) {
  const TempFolder folder;
  for (const std::string name : {"a.json", "a.json.gz"}) {
    ASSERT_TRUE(FileSink::create(folder / name, {}).value()->close());
    const auto refused = FileSink::create(folder / name, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::output_exists);
    auto abandoned = FileSink::create(folder / name, {.force = true});
    ASSERT_TRUE(abandoned && (*abandoned)->write("half of it"));
  }
  const auto names = std::filesystem::directory_iterator(folder / "");
  EXPECT_EQ(std::distance(begin(names), end(names)), 2) << "no other files";
}

TEST(FileSink, WritesEmptyFiles) {
  const TempFolder folder;
  for (const std::string name : {"e", "e.gz", "e.zst"}) {
    auto sink = FileSink::create(folder / name, {});
    ASSERT_TRUE(sink && (*sink)->close());
    auto file = open_file(folder / name);
    ASSERT_TRUE(file);
    auto plain = decompress(std::move(*file), name);
    ASSERT_TRUE(plain);
    EXPECT_EQ(slurp(**plain).value(), "");
  }
}

}  // namespace
}  // namespace orrery::trace
