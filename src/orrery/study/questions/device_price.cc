// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/device_price.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::study {

Result<DevicePrice> parse_device_price(const std::string& text) {
  const std::size_t at = text.find('=');
  const bool named = at != std::string::npos;
  const auto price = parse_number(named ? std::string_view(text).substr(at + 1) : text);
  if (!price || !std::isfinite(*price) || *price < 0 || at == 0)
    return fail(Errc::usage, "--price", in_quotes(text) + " is not a price",
                "the price of a device per hour, 0 or more: 2.5, or h100-sxm=2.5");
  DevicePrice made{text, text.substr(0, named ? at : 0), *price};
  if (const auto* const entry = platform::find_device(made.device); named && entry != nullptr)
    made.device = entry->name;  // "h100" is "h100-sxm"
  return made;
}

Result<double> price_of(const DevicePrice& price, const std::string& device) {
  if (price.device.empty() || price.device == device) return price.price;
  return fail(Errc::usage, "--price",
              fmt::format("the cluster has no device {}", in_quotes(price.device)),
              device.empty() ? "give a number: 2.5" : fmt::format("its device is {}", device));
}

Result<double> price_of(const std::string& text, const std::string& device) {
  const auto price = parse_device_price(text);
  return price ? price_of(*price, device) : tl::unexpected(price.error());
}

}  // namespace orrery::study
