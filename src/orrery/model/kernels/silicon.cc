// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/silicon.h"

namespace orrery::model {
namespace {

using graph::Format;

/// The next wider format that replaces a format without units; `format` itself if there is none.
Format wider(Format format) {
  switch (format) {
    case Format::fp4_block:
      return Format::fp8;
    case Format::fp8_block:
    case Format::fp8_mx:
      return Format::fp8;
    case Format::fp8:
      return Format::bf16;
    case Format::bf16:
      return Format::fp16;
    case Format::fp16:
    case Format::tf32:
      return Format::fp32;
    default:
      return format;
  }
}

}  // namespace

double Silicon::rate(Format format) const {
  for (;;) {
    const double known = peak[static_cast<std::size_t>(format)];
    if (known > 0) return known;
    const Format next = wider(format);
    if (next == format) return 0;
    format = next;
  }
}

}  // namespace orrery::model
