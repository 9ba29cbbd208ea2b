// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orrery {

/// Whether the address or thread sanitizer watches this build. It looks at memory, not at figures,
/// and makes tests ten times as long: one that repeats itself to make sure of a figure has enough
/// with a few rounds there.
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

/// What a test repeats: `all` rounds, or `few` under a sanitizer.
template <class Count>
constexpr Count rounds(Count all, Count few) {
  return kSanitized ? few : all;
}

}  // namespace orrery
