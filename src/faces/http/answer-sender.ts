// Answers go to their connection from here alone. The adapter's own writer tells of a reader that went away on standard
// output, which is the log of the room; here that ends the answer, and is told to nobody.
import type { ServerResponse } from 'node:http';
import { wholeBodyOf } from './whole-body.ts';

/**
 * Sends it; one that is a stream goes on after this returns, until it ends or its reader is gone.
 * @param report told what a stream broke with; its reader sees the connection cut
 */
export function sendAnswer(
  response: Response,
  outgoing: ServerResponse,
  report: (error: unknown) => void,
): void {
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  const pieces = wholeBodyOf(response);
  if (pieces !== null) sendWhole(pieces, outgoing);
  else if (response.body === null) outgoing.end();
  else
    void sendStream(response.body, outgoing).catch((error: unknown) => {
      outgoing.destroy();
      report(error);
    });
}

function sendWhole(pieces: readonly (string | Uint8Array)[], outgoing: ServerResponse): void {
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  outgoing.setHeader('content-length', length);
  for (const piece of pieces.slice(0, -1)) outgoing.write(piece);
  outgoing.end(pieces.at(-1));
}

async function sendStream(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  // What it was waiting for then reads as its end.
  const leave = () => void reader.cancel().catch(() => undefined);
  if (outgoing.destroyed) return leave();
  outgoing.once('close', leave);
  outgoing.on('error', leave);
  outgoing.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (outgoing.destroyed) return;
    if (done) return void outgoing.end();
    if (!outgoing.write(value)) await drained(outgoing);
  }
}

/** Resolves when it takes more, or is over. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      outgoing.off('drain', go);
      outgoing.off('close', go);
      resolve();
    };
    outgoing.on('drain', go);
    outgoing.on('close', go);
  });
}
