// SPDX-License-Identifier: Apache-2.0
//
// Server-sent events from the pieces of a stream. (EventSource cannot send the token.)
// Source: HTML Standard, section 9.2.6, "Interpreting an event stream".
export interface ServerEvent {
  name: string;
  data: string;
}

export class EventReader {
  private left = '';

  // The events that end in this piece.
  take(piece: string): ServerEvent[] {
    const blocks = (this.left + piece).replaceAll('\r\n', '\n').split('\n\n');
    this.left = blocks.pop() ?? '';
    return blocks.map(eventOf).filter((event) => event.data !== '');
  }
}

function eventOf(block: string): ServerEvent {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line)!;
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
  return { name, data: data.join('\n') };
}
