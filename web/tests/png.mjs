// SPDX-License-Identifier: Apache-2.0
//
// PNG files as a browser's screenshots are: 8 bits a channel, RGB or RGBA, not interlaced. Read to look at them,
// written anew with a palette to keep them small.
import { deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

// The nearest of left, above and above left to what they predict together.
function paeth(left, above, corner) {
  const [toLeft, toAbove, toCorner] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

// What each of the five filters predicts.
const predictions = [() => 0, (left) => left, (_, above) => above, (left, above) => (left + above) >> 1, paeth];

// Adds to every byte what its row's filter, named by the row's first byte, predicts.
function unfiltered(rows, row, height, channels) {
  for (let y = 0; y < height; ++y) {
    const prediction = predictions[rows[y * (row + 1)]];
    for (let x = 0, at = y * (row + 1) + 1; x < row; ++x, ++at) {
      const left = x < channels ? 0 : rows[at - channels];
      const above = y === 0 ? 0 : rows[at - row - 1];
      rows[at] += prediction(left, above, x < channels || y === 0 ? 0 : rows[at - row - 1 - channels]);
    }
  }
  return rows;
}

// { width, height, rgb }: three bytes a pixel.
export function readPng(bytes) {
  if (!bytes.subarray(0, 8).equals(signature)) throw new Error('not a PNG');
  let [width, height, channels, palette] = [0, 0, 0, null];
  const parts = [];
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const data = bytes.subarray(at + 8, at + 8 + length);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') {
      [width, height, channels] = [data.readUInt32BE(0), data.readUInt32BE(4), { 2: 3, 3: 1, 6: 4 }[data[9]]];
      if (data[8] !== 8 || !channels || data[12] !== 0) throw new Error('not a PNG as a browser writes it');
    } else if (type === 'PLTE') palette = data;
    else if (type === 'IDAT') parts.push(data);
    at += 12 + length;
  }
  const rows = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0, to = 0; y < height; ++y) {
    const begin = y * (width * channels + 1) + 1;
    for (let at = begin; at < begin + width * channels; at += channels) {
      to += palette ? palette.copy(rgb, to, 3 * rows[at], 3 * rows[at] + 3) : rows.copy(rgb, to, at, at + 3);
    }
  }
  return { width, height, rgb };
}

function crc32(bytes) {
  let rest = ~0;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; ++bit) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return ~rest >>> 0;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

// The 256 commonest colors, and for every color of the picture the place of the nearest of them.
function paletteOf(times) {
  const common = [...times.keys()].sort((a, b) => times.get(b) - times.get(a) || a - b).slice(0, 256);
  const parts = (color) => [color >> 16, (color >> 8) & 255, color & 255];
  const palette = common.map(parts);
  const far = ([r, g, b], [R, G, B]) => (r - R) ** 2 + (g - G) ** 2 + (b - B) ** 2;
  const place = new Map(common.map((color, i) => [color, i]));
  for (const color of times.keys()) {
    if (place.has(color)) continue;
    const wanted = parts(color);
    let [nearest, least] = [0, Infinity];
    palette.forEach((one, i) => {
      const distance = far(one, wanted);
      if (distance < least) [nearest, least] = [i, distance];
    });
    place.set(color, nearest);
  }
  return { palette: Buffer.from(palette.flat()), place };
}

// With a palette: what is drawn has few colors, the edges of letters many that hardly differ.
export function writePng(picture) {
  const { width, height, rgb } = picture;
  const { palette, place } = paletteOf(timesOf(picture));
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0, from = 0; y < height; ++y) {
    for (let at = y * (width + 1) + 1; at < (y + 1) * (width + 1); ++at, from += 3) rows[at] = place.get(rgb.readUIntBE(from, 3));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8);
  const packed = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([signature, chunk('IHDR', head), chunk('PLTE', palette), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))]);
}

// How often each color stands in a picture.
function timesOf({ rgb }) {
  const times = new Map();
  for (let at = 0; at < rgb.length; at += 3) {
    const color = rgb.readUIntBE(at, 3);
    times.set(color, (times.get(color) ?? 0) + 1);
  }
  return times;
}

// How many colors there are, and which part of the picture the commonest takes.
export function colorsOf(picture) {
  const times = timesOf(picture);
  return { count: times.size, commonest: Math.max(...times.values()) / (picture.width * picture.height) };
}
