// SPDX-License-Identifier: Apache-2.0
//
// node dev/ui_server.mjs PROGRAM FOLDER [PORT]: serves dist/app.html and the API of `orrery ui`, by running PROGRAM once for
// each question. For work on the page and its tests only: it checks the token and the names of files, and limits nothing.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const page = process.env.ORRERY_APP ?? fileURLToPath(new URL('../dist/app.html', import.meta.url));
const reports = process.env.ORRERY_PAGE; // a page of reports other than the one that is built into PROGRAM
const statusOf = { 0: 200, 1: 200, 2: 422, 3: 422, 4: 422, 5: 413 };
const arguments_of = { list: ['list', 'filter'], schema: ['format', 'command'], doctor: ['file'], run: ['prefix'], search: ['space'] };

function words(command, question) {
  const first = arguments_of[command] ?? [];
  const options = [];
  for (const [key, value] of Object.entries(question)) {
    if (first.includes(key) || value === false) continue;
    const option = `--${key.replaceAll('_', '-')}`;
    if (value === true) options.push(option);
    else for (const one of [value].flat()) options.push(option, String(one));
  }
  return [...command.split('/'), ...first.filter((key) => key in question).map((key) => String(question[key])), ...options,
    ...(command === 'schema' ? [] : ['--json']), ...(command === 'run' && String(question.output).endsWith('.html') && reports ? ['--page', reports] : [])];
}

// Starts the server on 127.0.0.1; resolves to its address, its token and how to end it.
export function serve({ program, folder, token = randomBytes(16).toString('hex'), port = 0 }) {
  const jobs = new Map();
  const send = (response, status, body, type = 'application/json') => {
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  };
  const refuse = (response, status, what) => send(response, status, { orrery: 3, error: { code: '', name: '', where: '', what, hint: '' }, findings: [] });

  function start(command, question) {
    const id = randomBytes(8).toString('hex');
    const child = spawn(program, [...words(command, question), ...(command === 'search' ? ['--progress', 'json'] : [])], { cwd: folder });
    const job = { id, command, state: 'running', progress: null, status: null, text: '', listeners: new Set(), child };
    let lines = '';
    child.stdout.setEncoding('utf8').on('data', (text) => { job.text += text; });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      const all = (lines + text).split('\n');
      lines = all.pop();
      for (const line of all) {
        if (!line.startsWith('{"progress"')) continue;
        job.progress = JSON.parse(line).progress;
        for (const tell of job.listeners) tell('progress', show(job));
      }
    });
    job.ended = new Promise((done) => {
      child.on('error', (error) => { job.text = ''; console.error(error); done(); });
      child.on('close', (status) => {
        job.status = status;
        job.state = status === null ? 'cancelled' : 'done';
        for (const tell of job.listeners) tell('done', { status });
        done();
      });
    });
    jobs.set(id, job);
    return job;
  }

  const show = ({ id, command, state, progress, status }) => ({ job: id, command, state, progress, status });
  const answer = (response, job) => {
    if (job.state === 'cancelled') refuse(response, 499, 'cancelled');
    else send(response, statusOf[job.status] ?? 500, job.text);
  };

  function onJob(request, response, [id, what]) {
    const job = jobs.get(id);
    if (!job) return refuse(response, 404, 'no such job');
    if (request.method === 'DELETE') {
      job.child.kill();
      return send(response, 204, '');
    }
    if (what === 'answer') return job.state === 'running' ? refuse(response, 409, 'the job runs') : answer(response, job);
    if (what !== 'events') return send(response, 200, show(job));
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const tell = (event, data) => {
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      if (event === 'done') response.end();
    };
    tell('progress', show(job));
    if (job.state !== 'running') return tell('done', { status: job.status });
    job.listeners.add(tell);
    request.on('close', () => job.listeners.delete(tell));
  }

  function onFile(request, response, name, body) {
    if (name === '') return send(response, 200, { files: readdirSync(folder).map((one) => ({ name: one, bytes: statSync(join(folder, one)).size })) });
    if (!/^[\w][\w.-]*$/.test(name)) return refuse(response, 400, `${name} is no name of a file in the folder`);
    const file = join(folder, name);
    if (request.method === 'GET') return existsSync(file) ? send(response, 200, readFileSync(file), 'application/octet-stream') : refuse(response, 404, `there is no ${name}`);
    if (existsSync(file) && !readFileSync(file).equals(body)) return refuse(response, 409, `there is another ${name}`);
    writeFileSync(file, body);
    send(response, 201, '');
  }

  async function onRequest(request, response) {
    const path = request.url.split('?')[0];
    if (path === '/') return send(response, 200, readFileSync(page), 'text/html; charset=utf-8');
    if (request.headers.authorization !== `Bearer ${token}`) return refuse(response, 401, 'the token is wrong');
    const body = Buffer.concat(await chunks(request));
    const [, version, ...rest] = path.split('/').map(decodeURIComponent);
    if (version !== 'v1') return refuse(response, 404, 'no such path');
    if (rest[0] === 'version') return send(response, 200, { version: 'development', folder, api: 1 });
    if (rest[0] === 'files') return onFile(request, response, rest.slice(1).join('/'), body);
    if (rest[0] === 'jobs') return onJob(request, response, rest.slice(1));
    const job = start(rest.join('/'), JSON.parse(body.toString() || '{}'));
    if (request.headers.prefer === 'respond-async') return send(response, 202, { job: job.id });
    response.on('close', () => { if (job.state === 'running') job.child.kill(); });
    await job.ended;
    answer(response, job);
  }

  const server = createServer((request, response) => {
    onRequest(request, response).catch((error) => refuse(response, 500, String(error)));
  });
  return new Promise((done) => {
    server.listen(port, '127.0.0.1', () => done({
      address: `http://127.0.0.1:${server.address().port}/`, token,
      close: () => new Promise((closed) => {
        for (const { child } of jobs.values()) child.kill();
        server.close(closed);
        server.closeAllConnections();
      }),
    }));
  });
}

async function chunks(request) {
  const all = [];
  for await (const chunk of request) all.push(chunk);
  return all;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [program, folder, port] = process.argv.slice(2);
  if (!program || !folder) {
    console.error('usage: node dev/ui_server.mjs PROGRAM FOLDER [PORT]');
    process.exit(2);
  }
  const { address, token } = await serve({ program: resolve(program), folder: resolve(folder), port: Number(port ?? 0) });
  console.log(`${address}#token=${token}`);
}
