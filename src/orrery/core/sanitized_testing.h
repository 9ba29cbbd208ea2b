// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orrery {

/// Whether this build runs with the address or thread sanitizer. Sanitizers check memory accesses,
/// not numbers, and slow tests down about ten times. A test that repeats itself to confirm a number
/// therefore runs few rounds there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// The rounds of a test: `all`, or `few` with a sanitizer.
template <class Count>
constexpr Count rounds(Count all, Count few) {
  return kSanitized ? few : all;
}

}  // namespace orrery
