// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/units.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "orrery/core/text/suggest.h"

namespace orrery {
namespace {

TEST(Units, ReadsBytes) {
  EXPECT_EQ(parse_bytes("64 MiB")->count(), 64ll << 20);
  EXPECT_EQ(parse_bytes("64MiB")->count(), 64ll << 20);
  EXPECT_EQ(parse_bytes("1.5 GB")->count(), 1'500'000'000);
  EXPECT_EQ(parse_bytes(" 1 kB ")->count(), 1000);
  EXPECT_EQ(parse_bytes("0")->count(), 0);
}

TEST(Units, ReadsBandwidth) {
  EXPECT_EQ(parse_bandwidth("50 GB/s")->count(), 50e9);
  EXPECT_EQ(parse_bandwidth("400 Gb/s")->count(), 50e9);
  EXPECT_EQ(parse_bandwidth("400Gbps")->count(), 50e9);
  EXPECT_EQ(parse_bandwidth("400 Gbit/s")->count(), 50e9);
  EXPECT_EQ(parse_bandwidth("50 GiB/s")->count(), 50.0 * 1073741824.0);
}

TEST(Units, ReadsTimeAndFlops) {
  EXPECT_EQ(parse_time("1.5 us")->count(), 1'500'000);
  EXPECT_EQ(parse_time("1.5 µs")->count(), 1'500'000);
  EXPECT_EQ(parse_time("0.1us")->count(), 100'000);
  EXPECT_EQ(parse_time("2 min")->count(), 120 * kPsPerSecond);
  EXPECT_EQ(parse_flops("989 TFLOP/s")->count(), 989e12);
  EXPECT_EQ(parse_flops("312 TFLOPS")->count(), 312e12);
}

struct Bad {
  std::string_view text;
  Errc code;
};

TEST(Units, RefusesWhatIsNotAQuantity) {
  for (const Bad& bad :
       {Bad{"", Errc::config_type}, Bad{"fast", Errc::config_type},
        Bad{"nan GB/s", Errc::config_type}, Bad{"inf", Errc::config_type},
        Bad{"50", Errc::config_unit}, Bad{"50 GB", Errc::config_unit},
        Bad{"50 GQ/s", Errc::config_unit}, Bad{"-1 GB/s", Errc::config_range},
        Bad{"1e400 GB/s", Errc::config_range}, Bad{"1e308 GB/s", Errc::config_range}}) {
    const Result<Bandwidth> result = parse_bandwidth(bad.text, "here");
    ASSERT_FALSE(result) << bad.text;
    EXPECT_EQ(result.error().code, bad.code) << bad.text;
    EXPECT_EQ(result.error().where, "here");
  }
  EXPECT_EQ(parse_bytes("1 Gb").error().code, Errc::config_unit);
  EXPECT_EQ(parse_time("1e9 h").error().code, Errc::config_range);
  EXPECT_EQ(parse_time("5 m").error().code, Errc::config_unit);
  EXPECT_EQ(parse_integer("1.5").error().code, Errc::config_type);
  EXPECT_EQ(parse_number("1x").error().code, Errc::config_type);
}

TEST(Units, WritesForPeople) {
  EXPECT_EQ(format_time(Time(117'780'000)), "117.8 us");
  EXPECT_EQ(format_time(Time(0)), "0 ns");
  EXPECT_EQ(format_time(Time(999'960'000)), "1 ms");
  EXPECT_EQ(format_time(ns(1500)), "1.5 us");
  EXPECT_EQ(format_time(Time(12'345 * kPsPerSecond)), "12345 s");
  EXPECT_EQ(format_bytes(Bytes(64ll << 20)), "64 MiB");
  EXPECT_EQ(format_bytes(Bytes(1'500'000'000)), "1.5 GB");
  EXPECT_EQ(format_bytes(Bytes(1'000)), "1 kB");
  EXPECT_EQ(format_bytes(Bytes(512)), "512 B");
  EXPECT_EQ(format_bandwidth(Bandwidth(450e9)), "450 GB/s");
  EXPECT_EQ(format_bandwidth(Bandwidth(50.0 * 1073741824.0)), "53.69 GB/s");
  EXPECT_EQ(format_flops(FlopRate(989.4e12)), "989.4 TFLOP/s");
  EXPECT_EQ(format_count(117'780), "117,780");
  EXPECT_EQ(format_count(-1'234'567), "-1,234,567");
  EXPECT_EQ(format_count(100), "100");
}

TEST(Units, ExactTextParsesBack) {
  rc::check("time", [](std::int64_t count) {
    const Time time(count < 0 ? -(count / 2048) : count / 2048);
    RC_ASSERT(*parse_time(exact_time(time)) == time);
  });
  rc::check("bytes", [](std::uint32_t count) {
    const Bytes bytes(static_cast<std::int64_t>(count) * 1000);
    RC_ASSERT(*parse_bytes(exact_bytes(bytes)) == bytes);
    RC_ASSERT(*parse_bytes(exact_bytes(Bytes(count))) == Bytes(count));
  });
  rc::check("bandwidth", [](std::uint32_t mantissa, std::uint8_t scale) {
    const Bandwidth rate(std::ldexp(static_cast<double>(mantissa), scale % 40) / 7);
    RC_ASSERT(*parse_bandwidth(exact_bandwidth(rate)) == rate);
    RC_ASSERT(parse_flops(exact_flops(FlopRate(rate.count())))->count() == rate.count());
  });
  EXPECT_EQ(exact_bandwidth(Bandwidth(450e9)), "450 GB/s");
  EXPECT_EQ(exact_time(ns(500)), "500 ns");
}

TEST(Suggest, FindsTheNearest) {
  constexpr std::string_view names[] = {"bandwidth", "latency", "size", "block"};
  EXPECT_EQ(nearest("bandwith", names), "bandwidth");
  EXPECT_EQ(nearest("Latnecy", names), "latency");
  EXPECT_EQ(nearest("zzz", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest(std::string(1000, 'x'), names), "");
  EXPECT_EQ(did_you_mean("blok", names), "did you mean \"block\"?");
  EXPECT_EQ(join(names), "bandwidth, latency, size, block");
}

}  // namespace
}  // namespace orrery
