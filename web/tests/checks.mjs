// SPDX-License-Identifier: Apache-2.0
//
// What every page must be: readable, within the window, and the same to those who do not see it. Every function
// runs inside the page and answers with sentences about what is wrong.

// Text whose contrast with what is behind it is below 4.5 : 1 (WCAG 2, AA), from computed styles.
export function lowContrast() {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const paint = canvas.getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const parse = (color) => {
    if (!known.has(color)) {
      paint.clearRect(0, 0, 1, 1);
      paint.fillStyle = color;
      paint.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
      known.set(color, [r, g, b, a / 255]);
    }
    return known.get(color);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reverse().reduce((under, color) => over(color, under), [255, 255, 255]);
  };
  const light = ([r, g, b]) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const opacity = (element) => {
    let value = 1;
    for (let at = element; at; at = at.parentElement) value *= Number(getComputedStyle(at).opacity);
    return value;
  };
  const wrong = new Set();
  const judge = (element, color, text) => {
    const back = behind(element);
    const [r, g, b, a] = parse(color);
    const [x, y] = [light(over([r, g, b, a * opacity(element)], back)), light(back)];
    const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    if (ratio < 4.495) wrong.add(`contrast ${ratio.toFixed(2)} of "${text.trim().slice(0, 40)}" in ${element.tagName.toLowerCase()}.${element.className}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() === '' || element.closest('script, style, noscript, option, .hidden-visually, .skip')) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const style = getComputedStyle(element);
    judge(element, element instanceof SVGElement ? style.fill : style.color, texts.currentNode.data);
  }
  for (const input of document.querySelectorAll('input[placeholder]')) {
    if (input.checkVisibility()) judge(input, getComputedStyle(input, '::placeholder').color, input.placeholder);
  }
  return [...wrong];
}

// Pictures, controls and regions without a name; what a screen reader would trip over.
export function unnamed() {
  const wrong = [];
  const say = (what, element) => wrong.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const named = (element) => (element.getAttribute('aria-label') ?? element.getAttribute('aria-labeledby') ?? '').trim() !== '';
  const picture = (element) => {
    const host = element.closest('[role="img"], [role="application"], [aria-hidden="true"]');
    return host !== null && (host.getAttribute('aria-hidden') === 'true' || named(host));
  };
  for (const element of document.querySelectorAll('canvas, svg')) if (!picture(element) && !named(element)) say('picture without text', element);
  for (const element of document.querySelectorAll('img')) if (!element.hasAttribute('alt')) say('image without alt', element);
  for (const element of document.querySelectorAll('input, select, textarea')) {
    if (!named(element) && element.labels.length === 0) say('control without a label', element);
  }
  for (const element of document.querySelectorAll('button, a[href], summary')) {
    if (!named(element) && element.textContent.trim() === '') say('control without text', element);
  }
  for (const element of document.querySelectorAll('[role="img"], [role="region"], [role="group"]')) if (!named(element)) say('role without a name', element);
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  for (const id of ids.filter((one, i) => ids.indexOf(one) !== i)) wrong.push(`two elements are called ${id}`);
  if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
  if (document.documentElement.lang === '') wrong.push('no language');
  return wrong;
}

// How far the page reaches out of the window sideways.
export function overflow() {
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (over <= 0) return [];
  const widest = [...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest('.scroll'));
  return [`${over} px too wide: ${widest.slice(0, 3).map((element) => `${element.tagName.toLowerCase()}.${element.className}`).join(', ')}`];
}

// A page that shows nothing, or says that it cannot.
export function empty() {
  const main = document.querySelector('main');
  const wrong = [];
  if (main.querySelector('[role="alert"]')) wrong.push(main.querySelector('[role="alert"]').textContent);
  if (main.textContent.trim().length < 60) wrong.push(`hardly any text: "${main.textContent}"`);
  if (/\b(NaN|undefined|Infinity|\[object)/.test(main.textContent)) wrong.push(`odd text: "${main.textContent.match(/.{0,40}(NaN|undefined|Infinity|\[object).{0,20}/s)[0]}"`);
  for (const canvas of main.querySelectorAll('canvas')) {
    if (!canvas.checkVisibility() || canvas.width === 0 || canvas.height === 0 || canvas.matches('[aria-hidden]')) continue;
    const paint = canvas.getContext('2d');
    const { data } = paint.getImageData(0, 0, canvas.width, canvas.height);
    if (!data.some((value) => value !== 0)) wrong.push(`an empty picture: ${canvas.outerHTML.slice(0, 120)}`);
  }
  return wrong;
}

// Tables that must be scrolled to be seen to their right end.
export function clipped() {
  return [...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => `"${box.ariaLabel}" is ${box.scrollWidth} px wide in ${box.clientWidth} px`);
}
