// SPDX-License-Identifier: Apache-2.0
//
// Builds elements. Text only ever becomes text: names come from traces and may be hostile, so nothing in
// this project parses a string as HTML.

export type Child = Node | string | number | null | undefined | false | Child[];
export type Attributes = Record<string, string | number | boolean | null | undefined | EventListener>;

const svgNamespace = 'http://www.w3.org/2000/svg';

function set(element: Element, key: string, value: Attributes[string]): void {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === 'function') {
    if (!key.startsWith('on')) throw new Error(`${key} is no event`);
    element.addEventListener(key.slice(2), value);
    return;
  }
  if (key.startsWith('on') || key === 'style' || key === 'srcdoc') throw new Error(`${key} cannot be set by text`);
  if (key === 'href' && !String(value).startsWith('#')) throw new Error('links stay on this page');
  element.setAttribute(key, value === true && !key.startsWith('aria-') ? '' : String(value));
}

export function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

// el('button', { class: 'x', onclick: f }, 'text', el('b', {}, 'more'))
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const key of Object.keys(attributes)) set(element, key, attributes[key]);
  append(element, children);
  return element;
}

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(svgNamespace, tag);
  for (const key of Object.keys(attributes)) set(element, key, attributes[key]);
  append(element, children);
  return element;
}

export function clear(element: Element): void {
  element.replaceChildren();
}

// Styles that depend on data; the page's policy allows them only this way.
export function styled<E extends HTMLElement | SVGElement>(element: E, styles: Record<string, string>): E {
  for (const key of Object.keys(styles)) element.style.setProperty(key, styles[key]);
  return element;
}

let shownPages: ReadonlySet<string> | null = null;

// The pages of this report, by id; those without content are not among them.
export function setPages(ids: readonly string[]): void {
  shownPages = new Set(ids);
}

export function hasPage(page: string): boolean {
  return shownPages?.has(page) ?? true;
}

// A link to another page of the report; only text where the report does not have the page.
export function pageLink(page: string, args: Record<string, string | number>, ...children: Child[]): HTMLElement {
  return hasPage(page) ? el('a', { href: address(page, args) }, ...children) : el('span', {}, ...children);
}

export function address(page: string, args: Record<string, string | number> = {}): string {
  const query = Object.keys(args)
    .map((key) => `${encodeURIComponent(key)}=${encodeURIComponent(String(args[key]))}`)
    .join('&');
  return `#/${page}${query && `?${query}`}`;
}
