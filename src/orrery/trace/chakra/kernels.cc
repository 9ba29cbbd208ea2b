// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/kernels.h"

namespace orrery::trace::chakra {
namespace {

constexpr std::string_view kKernels = "kernels";

}  // namespace

AttributeRecord attribute_kernels(const graph::KernelTable& kernels) {
  std::vector<std::string> texts;
  texts.reserve(kernels.size());
  for (graph::KernelId id = 0; id < kernels.size(); ++id) texts.push_back(to_text(kernels[id]));
  return attribute_strings(std::string(kKernels), std::move(texts));
}

std::vector<graph::KernelId> take_kernels(std::string_view message, const std::string& where,
                                          graph::KernelTable& kernels, Findings& findings) {
  std::vector<graph::KernelId> numbers;
  if (message.find(kKernels) == std::string_view::npos) return numbers;
  const auto metadata = decode_metadata_record(message, where);
  return metadata ? take_kernels(*metadata, where, kernels, findings) : numbers;
}

std::vector<graph::KernelId> take_kernels(const MetadataRecord& metadata, const std::string& where,
                                          graph::KernelTable& kernels, Findings& findings) {
  std::vector<graph::KernelId> numbers;
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
