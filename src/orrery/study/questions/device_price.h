// SPDX-License-Identifier: Apache-2.0
//
// Prices of devices, as the option --price of all commands accepts them.
#pragma once

#include <string>

#include "orrery/core/error.h"

namespace orrery::study {

/// The price of a device per hour, in any currency.
struct DevicePrice {
  std::string text;    ///< as typed
  std::string device;  ///< name in the catalog, or as typed; empty: of any device
  double price = 0;
};

/// Parses "2.5" or "h100=2.5". 0 is a price: an hour of devices that are paid for costs nothing,
/// and prices of a search space may be 0, too. Errc: usage (no number of at least 0).
[[nodiscard]] Result<DevicePrice> parse_device_price(const std::string& text);

/// The price for a cluster of `device`, a name in the catalog; empty: it is in no catalog. Errc:
/// usage (a price of another device).
[[nodiscard]] Result<double> price_of(const DevicePrice& price, const std::string& device);
/// The same for a price as typed. Errc: also those of parse_device_price().
[[nodiscard]] Result<double> price_of(const std::string& text, const std::string& device);

}  // namespace orrery::study
