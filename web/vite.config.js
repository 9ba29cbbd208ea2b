// SPDX-License-Identifier: Apache-2.0
//
// `npm run build` makes dist/report.html: one file with everything in it, which may load nothing and
// runs nothing but its own script. Equal sources give equal bytes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const sha256 = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

function policy(script, style) {
  return [
    "default-src 'none'",
    `script-src ${sha256(script)}`,
    `style-src ${sha256(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

// Puts the one script and the one style sheet into the page, the script last: the data stands before it.
function single_file() {
  return {
    name: 'orrery-single-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const scripts = files.filter((file) => file.type === 'chunk');
      const styles = files.filter((file) => file.fileName.endsWith('.css'));
      const page = files.find((file) => file.fileName === 'index.html');
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
      this.emitFile({ type: 'asset', fileName: 'report.html', source: html });
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

export default defineConfig({
  base: './',
  publicDir: false,
  plugins: [single_file(), sample_data()],
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4096,
    rollupOptions: { output: { format: 'iife', inlineDynamicImports: true } },
  },
});
