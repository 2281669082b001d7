// The Model Context Protocol on this process's standard input and output, until the client goes away, and over HTTP, where each
// request is answered on its own.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { RoomError } from '../core/errors.ts';
import { DIALECTS, type Dialect } from '../operations/tools/tool-list.ts';
import type { AnswerMcp } from '../server/shapes/faces.ts';
import { createServer, type OpenForCall, type Serving } from './mcp-server.ts';

/** What decides over the tools that are served. */
export interface McpOptions extends Pick<Serving, 'access' | 'version'> {
  dialect: string;
  /** Aborts to stop serving. */
  signal: AbortSignal;
  /** Is given what is no answer: for standard error. */
  report(text: string): void;
}

/**
 * Resolves when the client is gone, or asked to, and all that was asked for is carried out.
 * @throws RoomError `bad_input` for an unknown dialect
 */
export async function serveMcp(options: McpOptions, openRoom: OpenForCall): Promise<void> {
  const { access, version, signal, report } = options;
  const serving: Serving = { access, version, dialect: dialectOf(options.dialect), openRoom };
  const calls = new Set<Promise<unknown>>();
  const track = <Result>(call: Promise<Result>): Promise<Result> => {
    const settled = call.catch(() => undefined);
    calls.add(settled);
    void settled.then(() => calls.delete(settled));
    return call;
  };
  const transport = new StdioServerTransport();
  const over = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error'] as const) process.stdin.once(event, () => resolve());
    process.stdout.once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serveStdio(() => createServer(serving, track), {
    transport,
    onerror: (error) => report(`mcp: ${error.message}`),
  });
  await over;
  await Promise.all(calls);
  await handle.close();
  process.stdin.destroy();
}

function dialectOf(word: string): Dialect {
  const found = DIALECTS.find((each) => each === word);
  if (found !== undefined) return found;
  throw new RoomError('bad_input', `there is no dialect ${JSON.stringify(word)}`, {
    hint: `known: ${DIALECTS.join(', ')}`,
  });
}

export const answerMcp: AnswerMcp = async (request, call) => {
  const { runtime, access, client, version, maxBytes, report } = call;
  // The room is the daemon's own: it stays open after the call.
  const openRoom = async () => ({ ...runtime, close: async () => {} });
  const serving = {
    ...({ access, dialect: 'taskroom', version, openRoom } as const),
    ...(client !== null && { client }),
  };
  const errors: Error[] = [];
  const handler = createMcpHandler(() => createServer(serving), {
    onerror: (error) => void errors.push(error),
    maxRequestBodySize: maxBytes,
  });
  const response = await handler.fetch(request);
  // Who sent a request that is refused is told why.
  const isRefused = response.status >= 400 && response.status < 500;
  for (const error of errors) if (!isRefused && !error.message.startsWith('Rejected inbound')) report(error);
  return response;
};
