// The input of a request, validated with the schemas of its route: parameters, query and a JSON body.
import * as z from 'zod';
import { RoomError } from '../../core/errors.ts';
import { parsed } from '../../operations/accept-input.ts';
import { HttpFault } from './problem.ts';
import type { Route } from './route.ts';

/** The bound of a turn's report, too. */
export const MAX_BODY_BYTES = 1024 * 1024;
const NOTHING = z.strictObject({});

/** @throws RoomError `bad_input`, HttpFault 413, 415 */
export async function readInput(route: Route, request: Request, params: Readonly<Record<string, string>>) {
  const query = queryOf(request.url);
  const body = route.body && (await readBody(request));
  if (route.isRaw) return { params, query, body };
  return {
    params: route.params === undefined ? {} : parsed(route.params, params),
    query: parsed(route.query ?? NOTHING, query),
    body: route.body && parsed(route.body, body),
  };
}

/** A value that is given once is a text, several are a list. */
function queryOf(url: string): Record<string, string | string[]> {
  const query = Map.groupBy(new URL(url).searchParams, ([name]) => name);
  const texts = (pairs: [string, string][]) =>
    pairs.length === 1 ? pairs[0]![1] : pairs.map(([, text]) => text);
  return Object.fromEntries([...query].map(([name, pairs]) => [name, texts(pairs)]));
}

async function readBody(request: Request): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return {};
  const media = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(media))
    throw new HttpFault(415, 'bad_input', 'the body is not said to be JSON', {
      hint: 'send it with content-type: application/json',
    });
  const text = attempt('UTF-8', () => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  return attempt('JSON', () => JSON.parse(text));
}

async function readBytes({ headers, body }: Request): Promise<Buffer> {
  assertFits(Number(headers.get('content-length') ?? 0));
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    assertFits(size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws HttpFault 413 */
export function assertFits(bytes: number): void {
  if (bytes <= MAX_BODY_BYTES) return;
  throw new HttpFault(413, 'bad_input', `a body has at most ${MAX_BODY_BYTES} bytes`, {
    ...{ hint: 'give a shorter text', headers: { connection: 'close' } },
  });
}

function attempt<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RoomError('bad_input', `the body is not ${what}`, { cause: error });
  }
}
