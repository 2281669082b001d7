// The body of one delivery, within bounds: of itself, and of all that are being read together.
import type { IncomingMessage } from 'node:http';

/** It is larger than any a tracker sends. */
export class TooLarge extends Error {}
/** Those that are being read together take all the room there is. */
export class Crowded extends Error {}

/** Linear's own bound; an issue, a comment and what they were before fit into it many times. */
const MAX_BYTES = 5 * 2 ** 20;
const MAX_BYTES_TOGETHER = 64 * 2 ** 20;

let held = 0;

/** @throws TooLarge, Crowded, or what the connection broke with */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) throw new TooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      size += (part as Buffer).length;
      held += (part as Buffer).length;
      if (size > MAX_BYTES) throw new TooLarge();
      if (held > MAX_BYTES_TOGETHER) throw new Crowded();
      parts.push(part as Buffer);
    }
    return Buffer.concat(parts, size);
  } finally {
    held -= size;
  }
}
