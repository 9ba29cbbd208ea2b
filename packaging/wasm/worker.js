// SPDX-License-Identifier: Apache-2.0
//
// After the code that emscripten writes, in the worker of a page. The first message has the module, each other one a
// question: a command, its options as JSON, and the texts of files that it names.
let orrery = null;

self.onmessage = async ({ data }) => {
  if (data.module) {
    orrery = createOrrery({ wasmBinary: data.module });
    return;
  }
  const { id, command, question, files } = data;
  try {
    const own = await orrery;
    for (const name of Object.keys(files)) own.FS.writeFile(name, files[name]);
    const call = own.cwrap('orrery_call', 'number', ['string', 'string', 'number']);
    const answer = call(command, question, 0);
    if (answer === 0) throw new Error('out of memory');
    const json = own.cwrap('orrery_json', 'string', ['number'])(answer);
    own.cwrap('orrery_free', null, ['number'])(answer);
    self.postMessage({ id, json });
  } catch (error) {
    self.postMessage({ id, failure: String(error) });
  }
};
