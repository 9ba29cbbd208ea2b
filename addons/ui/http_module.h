// SPDX-License-Identifier: Apache-2.0
//
// The interface of the HTTP module, which the program loads only for `orrery ui`.
#pragma once

#include "addons/ui/http.h"

namespace orrery::ui {
inline constexpr const char* kHttpModuleFile = "orrery_http.so";
}

// The module exports only these names.
#pragma GCC visibility push(default)
extern "C" {

/// The version of the program that it was built with. Other versions must not use it.
const char* orrery_http_version();

/// "cpp-httplib 0.11.4"
const char* orrery_http_library();

/// Binds and returns a server, which the caller deletes; null if the address cannot be used
/// (errno).
orrery::ui::HttpServer* orrery_http_open(const orrery::ui::Listen& listen,
                                         orrery::ui::Handler handler);
}
#pragma GCC visibility pop
