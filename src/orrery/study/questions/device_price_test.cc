// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/device_price.h"

#include <gtest/gtest.h>

#include <optional>

namespace orrery::study {
namespace {

struct Typed {
  const char* text;
  std::optional<double> price;  ///< empty: an error
  const char* device = "";
};

constexpr Typed kTyped[] = {{"2.5", 2.5},
                            {"0", 0},
                            {"h100-sxm=0", 0, "h100-sxm"},
                            {"H100=2.5", 2.5, "h100-sxm"},
                            {"mine=1e-3", 0.001, "mine"},
                            {"-1", {}},
                            {"h100=-0.5", {}},
                            {"cheap", {}},
                            {"h100=", {}},
                            {"=2", {}},
                            {"", {}},
                            {"inf", {}},
                            {"nan", {}},
                            {"h100=1=2", {}},
                            {"2.5 USD", {}}};

TEST(DevicePrice, IsANumberOfAtLeastZero) {
  for (const Typed& one : kTyped) {
    const auto price = parse_device_price(one.text);
    ASSERT_EQ(price.has_value(), one.price.has_value()) << one.text;
    if (!price) {
      EXPECT_EQ(price.error().code, Errc::usage);
      EXPECT_EQ(price.error().where, "--price");
      EXPECT_FALSE(price.error().hint.empty());
      continue;
    }
    EXPECT_EQ(price->price, *one.price) << one.text;
    EXPECT_EQ(price->device, one.device) << one.text;
  }
}

TEST(DevicePrice, IsOfTheDeviceOfTheCluster) {
  const DevicePrice any{"2", "", 2}, named{"h100=3", "h100-sxm", 3};
  EXPECT_EQ(price_of(any, "b200"), 2);
  EXPECT_EQ(price_of(any, ""), 2);
  EXPECT_EQ(price_of(named, "h100-sxm"), 3);
  EXPECT_EQ(price_of(named, "b200").error().hint, "its device is b200");
  EXPECT_EQ(price_of(named, "").error().hint, "give a number: 2.5");
}

}  // namespace
}  // namespace orrery::study
