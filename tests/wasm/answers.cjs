// SPDX-License-Identifier: Apache-2.0
//
// node answers.cjs MODULE.js QUESTIONS: answers of the module, one JSON object a line, with milliseconds.
'use strict';
const fs = require('fs');

async function main() {
  const [, , module, questions] = process.argv;
  const orrery = await require(require('path').resolve(module))();
  const call = orrery.cwrap('orrery_call', 'number', ['string', 'string', 'number']);
  const json = orrery.cwrap('orrery_json', 'string', ['number']);
  const status = orrery.cwrap('orrery_status', 'number', ['number']);
  const free = orrery.cwrap('orrery_free', null, ['number']);
  for (const line of fs.readFileSync(questions, 'utf8').split('\n')) {
    const found = /^([a-z -]+?) (\{.*\})$/.exec(line);
    if (!found) continue;
    const begin = performance.now();
    let given;
    try {
      const answer = call(found[1], found[2], 0);
      given = { status: status(answer), json: json(answer) };
      free(answer);
    } catch (error) {
      given = { status: -1, json: String(error) };
    }
    process.stdout.write(`${JSON.stringify({ ...given, ms: performance.now() - begin })}\n`);
  }
}

main();
