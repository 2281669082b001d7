// What a request says, read and validated as its route asks for: parameters, query and a JSON body of a bounded size.
import * as z from 'zod';
import { RoomError } from '../../core/errors.ts';
import { parsed } from '../../operations/accept-input.ts';
import { HttpFault } from './problem.ts';
import type { Route } from './route.ts';

/** As long as what a turn's agent may report at once. */
export const MAX_BODY_BYTES = 1024 * 1024;

export interface RawInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

const NOTHING = z.strictObject({});

/** @throws RoomError `bad_input`, HttpFault 413, 415 */
export async function readInput(
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<RawInput> {
  const query = queryOf(request.url);
  if (route.isRaw) return { params, query, body: route.body && (await readBody(request)) };
  return {
    params: route.params === undefined ? {} : parsed(route.params, params),
    query: parsed(route.query ?? NOTHING, query),
    body: route.body && parsed(route.body, await readBody(request)),
  };
}

/** A value that is given once is a text, several are a list, which only some take. */
function queryOf(url: string): Record<string, string | string[]> {
  const at = url.indexOf('?');
  const query: Record<string, string | string[]> = Object.create(null);
  if (at < 0) return {};
  for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
    const before = query[name];
    query[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return { ...query };
}

async function readBody(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text === '') return {};
  const media = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(media))
    throw new HttpFault(
      415,
      new RoomError('bad_input', 'the body is not said to be JSON', {
        hint: 'send it with content-type: application/json',
      }),
    );
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RoomError('bad_input', 'the body is not JSON', { cause: error });
  }
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLong();
  if (request.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw tooLong();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new RoomError('bad_input', 'the body is not UTF-8', { cause: error });
  }
}

function tooLong(): HttpFault {
  const error = new RoomError('bad_input', `a body has at most ${MAX_BODY_BYTES} bytes`, {
    hint: 'give a shorter text',
  });
  return new HttpFault(413, error, { headers: { connection: 'close' } });
}
