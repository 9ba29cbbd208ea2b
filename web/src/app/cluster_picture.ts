// SPDX-License-Identifier: Apache-2.0
//
// A cluster as nested boxes: the devices of an innermost group, and the groups of each further dimension.
import { svg, type Child } from '../dom';
import * as format from '../format';
import type { ClusterForm } from './cluster_form';

const most = 8; // members of a dimension that are drawn
const gap = 6;

interface Box {
  width: number;
  height: number;
  draw(x: number, y: number): SVGElement;
}

function device(): Box {
  return { width: 22, height: 22, draw: (x, y) => svg('rect', { x, y, width: 22, height: 22, rx: 4, class: 'app-device' }) };
}

// Members in a row, joined by a line, below the label of their link.
function group(member: Box, shown: number, size: number, label: string): Box {
  const columns = Math.min(shown, member.width > 120 ? 4 : most);
  const rows = Math.ceil(shown / columns);
  const more = size > shown;
  const inner = columns * member.width + (columns - 1) * gap;
  const width = Math.max(inner + 2 * gap, label.length * 6.6 + 2 * gap, more ? 110 : 0);
  const top = 20 + gap;
  const height = top + rows * member.height + (rows - 1) * gap + gap + (more ? 16 : 0);
  return {
    width, height,
    draw(x, y) {
      const members: Child[] = [];
      for (let i = 0; i < shown; ++i) members.push(member.draw(x + gap + (i % columns) * (member.width + gap), y + top + Math.floor(i / columns) * (member.height + gap)));
      return svg('g', {}, svg('rect', { x, y, width, height, rx: 6, class: 'app-group' }),
        svg('text', { x: x + gap, y: y + 15, class: 'app-group-text' }, label),
        svg('line', { x1: x + gap, x2: x + width - gap, y1: y + 21, y2: y + 21, class: 'app-link' }), members,
        more && svg('text', { x: x + gap, y: y + height - 7, class: 'app-group-text' }, `… of ${format.count(size)}`));
    },
  };
}

export function drawCluster(form: ClusterForm, linkText: (link: string) => string): SVGElement {
  let box = device();
  form.levels.forEach(({ block, size, link }, at) => {
    const shown = Math.min(size, at === 0 ? most : at === 1 ? 4 : 2);
    box = group(box, shown, size, `${format.count(size)}, ${block.replace('_', ' ')}: ${linkText(link)}`);
  });
  const label = form.levels.map(({ block, size, link }) => `${block.replace('_', ' ')} of ${format.count(size)} by ${linkText(link)}`).join(', inside ');
  return svg('svg', { viewBox: `0 0 ${box.width + 2} ${box.height + 2}`, role: 'img', 'aria-label': `Cluster of ${form.device}: ${label}`, class: 'app-cluster',
    width: box.width + 2, height: box.height + 2 }, box.draw(1, 1));
}
