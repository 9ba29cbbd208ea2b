// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/model/kernels/silicon_file.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/model/kernels/table/table_file.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::study {
namespace {

/// The data sheet of the device that the table at `where` names.
Result<model::Silicon> described(const std::string& name, const std::string& where,
                                 const std::vector<model::Silicon>& own) {
  const auto found = std::find_if(own.begin(), own.end(), [&](const model::Silicon& is) {
    return is.name == name || is.name == catalog_name(name);
  });
  if (found != own.end()) return *found;
  if (const auto* entry = platform::find_device(catalog_name(name)))
    return model::silicon_of(*entry);
  std::vector<std::string_view> names;
  for (const model::Silicon& is : own) names.push_back(is.name);
  for (const platform::DeviceEntry& known : platform::devices()) names.push_back(known.name);
  const std::string near = did_you_mean(catalog_name(name), names);
  return fail(
      Errc::input_mismatch, where, fmt::format("the catalog has no device {}", in_quotes(name)),
      near.empty() ? "describe it in a file of devices (--device-sheets FILE: a line such as "
                     "\"mine memory=2e12 bf16=300e12 processors=100 clock=1.5e9\")"
                   : near);
}

void add_new(model::Silicon silicon, std::vector<model::Silicon>& known) {
  const auto same = [&](const model::Silicon& is) { return is.name == silicon.name; };
  if (std::none_of(known.begin(), known.end(), same)) known.push_back(std::move(silicon));
}

}  // namespace

std::string catalog_name(std::string name) {
  for (char& c : name)
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

Result<KernelTables> read_kernel_tables(const std::vector<std::string>& tables,
                                        const std::string& devices, Findings& findings) {
  std::vector<model::Silicon> own;
  if (!devices.empty()) {
    const auto text = config::read_text(devices, limits::kMeasuredBytes);
    if (!text) return tl::unexpected(text.error());
    auto read = model::read_silicons(*text, devices);
    if (!read) return tl::unexpected(read.error());
    own = *std::move(read);
  }
  KernelTables made;
  for (const std::string& path : tables) {
    auto rows = model::read_measured(path);
    if (!rows) return tl::unexpected(rows.error());
    std::vector<model::Silicon> silicons;  // each device once
    for (std::string& name : rows->devices) {
      auto silicon = described(name, path, own);
      if (!silicon) return tl::unexpected(silicon.error());
      name = silicon->name;
      add_new(*std::move(silicon), silicons);
    }
    for (const model::Silicon& silicon : silicons) {
      if (auto fine = model::check_measured(*rows, silicon, findings); !fine) {
        Error error = fine.error();
        error.code = Errc::input_range;  // an error in the file
        return tl::unexpected(std::move(error));
      }
    }
    model::append(made.rows, *rows);
    for (model::Silicon& silicon : silicons) add_new(std::move(silicon), made.silicons);
  }
  return made;
}

}  // namespace orrery::study
