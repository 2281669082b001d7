// Answers whose body is known in full go to the connection as they are: as the body of a `Response` a list of megabytes
// would be copied, and read back through a stream.
import type { ServerResponse } from 'node:http';

type Body = string | Uint8Array;

const bodies = new WeakMap<Response, Body>();

/** An answer with this body, to be sent by {@link sendWhole}. */
export function wholeAnswer(body: Body, init: { status: number; headers: Record<string, string> }): Response {
  const response = new Response(null, init);
  bodies.set(response, body);
  return response;
}

/** Sends it, when it is one of {@link wholeAnswer}; else false. */
export function sendWhole(response: Response, outgoing: ServerResponse, isHead: boolean): boolean {
  const body = bodies.get(response);
  if (body === undefined) return false;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  const headers: Record<string, string | number> = { 'content-length': length };
  for (const [name, value] of response.headers) headers[name] = value;
  outgoing.writeHead(response.status, headers);
  outgoing.end(isHead ? undefined : body);
  return true;
}
