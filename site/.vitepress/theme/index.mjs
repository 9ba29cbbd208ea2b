// SPDX-License-Identifier: Apache-2.0
//
// VitePress's theme with the fonts of the system, wider pages, and a copy button that copies commands without their
// output.
import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';

// The lines of a console block that are commands, without "$ ".
function commands(text) {
  const found = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('$ ')) found.push(line.slice(2));
    else if (found.at(-1)?.endsWith('\\')) found.push(line);
  }
  return found.join('\n');
}

function copy_commands(event) {
  const button = event.target.closest?.('.language-console > button.copy');
  if (!button || !navigator.clipboard) return;
  event.stopPropagation();
  void navigator.clipboard.writeText(commands(button.parentElement.querySelector('pre').innerText)).then(() => {
    button.classList.add('copied');
    setTimeout(() => button.classList.remove('copied'), 2000);
  });
}

export default {
  extends: DefaultTheme,
  enhanceApp() {
    if (typeof window !== 'undefined') window.addEventListener('click', copy_commands, { capture: true });
  },
};
