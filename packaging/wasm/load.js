// SPDX-License-Identifier: Apache-2.0
//
// Before the code that emscripten writes. Its fetch() of a path fails in Node, so Node reads the module itself.
if (typeof process === 'object' && process.versions && process.versions.node && !Module['wasmBinary']) {
  Module['wasmBinary'] = require('fs').readFileSync(require('path').join(__dirname, 'orrery.wasm'));
}
