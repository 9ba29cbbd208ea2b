// SPDX-License-Identifier: Apache-2.0
//
// Marks of points, distinguished by shape as well as by color.
import type { Colors } from '../../theme';

const crowded = 2000; // from so many points on estimated ones are small squares

export const isCrowded = (count: number): boolean => count > crowded;

// Filled where it is simulated, a ring where it is only estimated.
export function drawPoint(context: CanvasRenderingContext2D, x: number, y: number, filled: boolean, small: boolean): void {
  if (small) {
    context.fillRect(x - 1.25, y - 1.25, 2.5, 2.5);
    return;
  }
  context.beginPath();
  context.arc(x, y, 3.5, 0, 2 * Math.PI);
  if (filled) context.fill();
  else context.stroke();
}

function path(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

export function drawDiamond(context: CanvasRenderingContext2D, x: number, y: number, colors: Colors, filled: boolean): void {
  path(context, x, y, 6);
  context.fillStyle = filled ? colors.critical : colors.card;
  context.fill();
  context.lineWidth = filled ? 1.5 : 2;
  context.strokeStyle = filled ? colors.card : colors.critical;
  context.stroke();
}

export function drawRing(context: CanvasRenderingContext2D, x: number, y: number, color: string, size: number): void {
  context.beginPath();
  context.arc(x, y, size, 0, 2 * Math.PI);
  context.lineWidth = 2.5;
  context.strokeStyle = color;
  context.stroke();
}
