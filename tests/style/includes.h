// SPDX-License-Identifier: Apache-2.0
//
// Who includes whom, over many files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::style {

/// One sentence per violation.
using Violations = std::vector<std::string>;

/// "src/orrery/graph/x.h", "include/orrery/graph/x.h" → "graph", "apps/orrery/main.cc" →
/// "apps/orrery", "addons/bench/plan/x.h" → "addons/bench", "addons/bench/text/x.h" →
/// "addons/bench/text" (command/ likewise), anything else → "".
[[nodiscard]] std::string room_of(const std::string& path);

/// The room of what an include names: "orrery/graph/x.h", "addons/bench/plan/x.h",
/// "apps/orrery/session.h".
[[nodiscard]] std::string room_of_include(const std::string& included);

/// What a file includes between quotes, in order.
[[nodiscard]] std::vector<std::string> includes(std::string_view text);

/// What each includes, or imports.
using IncludeTable = std::map<std::string, std::set<std::string>>;

/// The folder of a file inside rooms ("workload/spec", "workload") and the folders of its room that
/// it includes.
void add_folders(const std::string& path, std::string_view text, IncludeTable& folders);

/// A header as others include it ("orrery/graph/graph.h", "addons/bench/plan/fills.h"), with what
/// it includes.
void add_header(const std::string& path, std::string_view text, IncludeTable& files);

/// A file of TypeScript ("web/src/dom.ts"), with those of the page that it imports.
void add_script(const std::string& path, std::string_view text, IncludeTable& files);

/// Folders or files that include each other in a circle.
[[nodiscard]] Violations check_circles(const IncludeTable& table);

/// Whether a path is in tests/ of an add-on.
[[nodiscard]] bool is_in_addon_tests(const std::string& path);

/// Whether a file exists for tests, fuzzers and benchmarks alone, as its name or place says.
[[nodiscard]] bool is_for_tests(const std::string& path);

/// Headers that only files for tests include, and are not called `x_testing.h`; and those called so
/// that others include. `files`: what each file includes.
[[nodiscard]] Violations check_test_headers(const IncludeTable& files);

}  // namespace orrery::style
