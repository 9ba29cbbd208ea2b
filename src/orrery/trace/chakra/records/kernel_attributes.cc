// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/records/kernel_attributes.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::string_view kKernels = "kernels";
constexpr std::string_view kLaunch = "kernel_launch_ps";
constexpr std::uint64_t kLongestLaunch = 1'000'000'000'000;  // a second

/// False if the attribute has no launch times, or other ones than known.
bool parse_launch_times(const AttributeRecord& attribute, graph::KernelTable& kernels) {
  const std::size_t count = attribute.list.size();
  if (attribute.member != Member::int64_list || (count != 3 && count != 5)) return false;
  for (const std::uint64_t time : attribute.list)
    if (time > kLongestLaunch) return false;
  const auto time = [&](std::size_t i) {
    return i < count ? Time(static_cast<std::int64_t>(attribute.list[i])) : Time{};
  };
  const graph::LaunchTimes times{time(0), time(1), time(2), time(3), time(4)};
  const graph::LaunchTimes known = kernels.launch_times();
  if (!known.is_set()) kernels.set_launch_times(times);
  return !known.is_set() || known == times;
}

}  // namespace

void add_kernels(const graph::KernelTable& kernels, std::vector<AttributeRecord>& to) {
  if (kernels.size() == 0) return;
  std::vector<std::string> texts;
  texts.reserve(kernels.size());
  for (graph::KernelId id = 0; id < kernels.size(); ++id) texts.push_back(to_text(kernels[id]));
  to.push_back(attribute_strings(std::string(kKernels), std::move(texts)));
  const graph::LaunchTimes launch = kernels.launch_times();
  if (!launch.is_set()) return;
  AttributeRecord& times = to.emplace_back(attribute(std::string(kLaunch), Member::int64_list, 0));
  for (const Time time : launch.all())
    times.list.push_back(static_cast<std::uint64_t>(time.count()));
}

std::vector<graph::KernelId> read_kernel_table(std::string_view message, const std::string& where,
                                               graph::KernelTable& kernels, Findings& findings) {
  std::vector<graph::KernelId> numbers;
  if (message.find(kKernels) == std::string_view::npos) return numbers;
  const auto metadata = decode_metadata_record(message, where);
  return metadata ? read_kernel_table(*metadata, where, kernels, findings) : numbers;
}

std::vector<graph::KernelId> read_kernel_table(const MetadataRecord& metadata,
                                               const std::string& where,
                                               graph::KernelTable& kernels, Findings& findings) {
  std::vector<graph::KernelId> numbers;
  for (const AttributeRecord& attribute : metadata.attributes) {
    if (attribute.name == kLaunch && !parse_launch_times(attribute, kernels))
      findings.add(FindingCode::attr_ignored, where + ": " + std::string(kLaunch));
  }
  for (const AttributeRecord& attribute : metadata.attributes) {
    if (attribute.name != kKernels || attribute.member != Member::string_list) continue;
    for (const std::string& text : attribute.texts) {
      const auto kernel = graph::parse_kernel(text);
      if (!kernel) findings.add(FindingCode::attr_ignored, where + ": kernels");
      numbers.push_back(kernel ? kernels.intern(*kernel) : graph::kNoKernel);
    }
    break;
  }
  return numbers;
}

}  // namespace orrery::trace::chakra
