// Answers whose body is known in full go to the connection as they are: as the body of a `Response` a list of megabytes
// would be copied, and read back through a stream.
import type { ServerResponse } from 'node:http';

/** In pieces where it is long. */
export type WholeBody = string | Uint8Array | readonly Uint8Array[];

const bodies = new WeakMap<Response, WholeBody>();

/** An answer with this body, to be sent by {@link sendWhole}. */
export function wholeAnswer(
  body: WholeBody,
  init: { status: number; headers: Record<string, string> },
): Response {
  const response = new Response(null, init);
  bodies.set(response, body);
  return response;
}

/** Sends it, when it is one of {@link wholeAnswer}; else false. */
export function sendWhole(response: Response, outgoing: ServerResponse, isHead: boolean): boolean {
  const body = bodies.get(response);
  if (body === undefined) return false;
  const pieces = Array.isArray(body) ? (body as readonly Uint8Array[]) : [body as string | Uint8Array];
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const headers: Record<string, string | number> = { 'content-length': length };
  for (const [name, value] of response.headers) headers[name] = value;
  outgoing.writeHead(response.status, headers);
  if (!isHead) for (const piece of pieces.slice(0, -1)) outgoing.write(piece);
  outgoing.end(isHead ? undefined : pieces.at(-1));
  return true;
}
