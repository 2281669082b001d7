// A PNG with the same pixels and fewer bytes: flat pictures are smallest without the filters that a browser chooses.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

export function smallPng(png: Buffer): Buffer {
  const pixels: Buffer[] = [];
  let header = Buffer.alloc(0);
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = Buffer.from(data);
    if (type === 'IDAT') pixels.push(data);
    at += length + 12;
  }
  const rows = withoutFilters(inflateSync(Buffer.concat(pixels)), header);
  const packed = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Undoes the filter of each row (PNG §9.2); each says by its first byte that it has none. */
function withoutFilters(data: Buffer, header: Buffer): Buffer {
  const pixelBytes = header[9] === 6 ? 4 : 3;
  const stride = header.readUInt32BE(0) * pixelBytes + 1;
  for (let row = 0; row < data.length; row += stride) {
    const filter = data[row]!;
    data[row] = 0;
    for (let at = row + 1; at < row + stride; at += 1) {
      const left = at - row > pixelBytes ? data[at - pixelBytes]! : 0;
      const above = row === 0 ? 0 : data[at - stride]!;
      const corner = row === 0 || at - row <= pixelBytes ? 0 : data[at - stride - pixelBytes]!;
      data[at] = (data[at]! + predicted(filter, left, above, corner)) & 0xff;
    }
  }
  return data;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}
