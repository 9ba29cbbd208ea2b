// SPDX-License-Identifier: Apache-2.0
//
// `npm run build` makes dist/report.html and dist/app.html, each one file with everything in it, which runs nothing but
// its own script. A report may load nothing; the app may ask the server that it came from. Equal sources give equal bytes.
// ORRERY_DIST: another folder than dist.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const folder = process.env.ORRERY_DIST ?? 'dist';
const sha256 = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

// What a report may do.
function report_policy(script, style) {
  return [
    "default-src 'none'",
    `script-src ${sha256(script)}`,
    `style-src ${sha256(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

// The app shows reports in frames, which inherit its policy: it allows the script and the style sheet of the report, too.
function app_policy(script, style) {
  const report = readFileSync(`${folder}/report.html`, 'utf8');
  const of_report = (kind) => {
    const found = report.match(new RegExp(`${kind}-src ('sha256-[^']+')`));
    if (!found) throw new Error(`${folder}/report.html has no policy: build it first (npm run build)`);
    return found[1];
  };
  return [
    "default-src 'none'",
    `script-src ${sha256(script)} ${of_report('script')}`,
    `style-src ${sha256(style)} ${of_report('style')}`,
    'img-src data: blob:',
    "connect-src 'self'",
    'frame-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

// Puts the one script and the one style sheet into the page, the script last: the data stands before it.
function single_file(source, target, policy) {
  return {
    name: 'orrery-single-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const scripts = files.filter((file) => file.type === 'chunk');
      const styles = files.filter((file) => file.fileName.endsWith('.css'));
      const page = files.find((file) => file.fileName === source);
      const others = files.length - scripts.length - styles.length - 1;
      if (!page || scripts.length !== 1 || styles.length !== 1 || others !== 0) {
        this.error('expected one page, one script and one style sheet');
      }
      const script = scripts[0].code.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
      const style = String(styles[0].source).trim();
      if (/<\/style/i.test(style)) this.error('the style sheet would end too early');
      const html = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, '')
        .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
        .replace(
          /(\s*)<title>/,
          (_all, space) =>
            `${space}<meta http-equiv="Content-Security-Policy" content="${policy(script, style)}" />${space}<title>`,
        )
        .replace(/(\s*)<\/head>/, (all) => `\n    <style>${style}</style>${all}`)
        .replace(/(\s*)<\/body>/, (all) => `\n    <script>${script}</script>${all}`);
      for (const file of files) delete bundle[file.fileName];
      this.emitFile({ type: 'asset', fileName: target, source: html });
    },
  };
}

// While developing, the page shows dev/sample.json, or the file that ORRERY_DATA names.
function sample_data() {
  return {
    name: 'orrery-sample-data',
    apply: 'serve',
    transformIndexHtml(html) {
      const data = readFileSync(process.env.ORRERY_DATA ?? 'dev/sample.json', 'utf8').replaceAll('<', '\\u003c');
      return html.replace('id="orrery-data">', (all) => all + data);
    },
  };
}

export default defineConfig(({ mode }) => ({
  base: './',
  publicDir: false,
  plugins: mode === 'app' ? [single_file('app.html', 'app.html', app_policy)]
    : [single_file('index.html', 'report.html', report_policy), sample_data()],
  build: {
    outDir: folder,
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4096,
    rollupOptions: { input: mode === 'app' ? 'app.html' : 'index.html', output: { format: 'iife', inlineDynamicImports: true } },
  },
}));
