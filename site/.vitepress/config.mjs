// SPDX-License-Identifier: Apache-2.0
//
// The site's configuration. site/stage.py writes the pages and the navigation into dist; the result is
// dist/html. ORRERY_SITE_BASE: the path below which a server publishes the site, "/" by default.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const build = fileURLToPath(new URL('../dist/', import.meta.url));
const { version, changes, nav, sidebar } = JSON.parse(readFileSync(`${build}navigation.json`, 'utf8'));
const base = process.env.ORRERY_SITE_BASE ?? '/';
// Files with these names are no pages.
process.env.VITE_EXTRA_EXTENSIONS = 'c,cc,et,h,log';

// The anchors that GitHub gives headings; slug() in site/markdown.py has the same rule.
const slugify = (text) => text.trim().toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');

// Text is text, as on GitHub: no templates, no attributes in braces, no emoji codes, no links without a scheme.
function plain_markdown(md) {
  md.core.ruler.disable('emoji');
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  const escaped = (token) => md.utils.escapeHtml(token.content).replaceAll('{{', '&#123;&#123;');
  md.renderer.rules.text = (tokens, i) => escaped(tokens[i]);
  md.renderer.rules.code_inline = (tokens, i) => `<code>${escaped(tokens[i])}</code>`;
}

const text_of = (node) => node.value ?? node.children.map(text_of).join('');

// Words of a command, each in an element that does not break: a line never ends within "--cluster".
function words(text) {
  return text.split(/( +)/).filter(Boolean).map((word) => (word.startsWith(' ') ? { type: 'text', value: word } :
    { type: 'element', tagName: 'span', properties: { class: 'word' }, children: [{ type: 'text', value: word }] }));
}

// Commands in console blocks ("$ …", and their continuation lines) and output have classes for the style sheet.
const console_lines = {
  name: 'console-lines',
  code(node) {
    if (this.options.lang !== 'console') return;
    let continued = false;
    for (const line of node.children.filter(({ type }) => type === 'element')) {
      const text = text_of(line);
      const command = continued || text.startsWith('$ ');
      continued = command && text.endsWith('\\');
      this.addClassToHast(line, command ? 'command' : 'output');
      if (command) line.children = words(text);
    }
  },
};

export default defineConfig({
  base,
  title: 'Orrery',
  titleTemplate: ':title · Orrery',
  description: 'Simulator of machine-learning training clusters',
  lang: 'en',
  srcDir: './dist/pages',
  srcExclude: ['public/**'],
  outDir: './dist/html',
  cacheDir: './dist/cache',
  metaChunk: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }]],
  markdown: {
    html: false,
    attrs: { disable: true },
    anchor: { slugify },
    codeTransformers: [console_lines],
    config: plain_markdown,
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: [...nav, { text: version, link: changes }],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    footer: { message: 'Apache License 2.0' },
  },
});
