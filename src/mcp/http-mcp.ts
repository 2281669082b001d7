// The Model Context Protocol over HTTP: each request is answered on its own, by the same server as on standard input.
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { OpenRoom } from '../app/open-room.ts';
import type { Access } from '../core/config/agent-config.ts';
import { createServer } from './mcp-server.ts';

export interface HttpMcpCall {
  runtime: OpenRoom;
  access: Access;
  /** Who calls, where that is known otherwise than by its own word. */
  client: string | null;
  version: string;
  maxBytes: number;
  report(error: Error): void;
}

/** @param request with its body unread */
export async function answerMcp(request: Request, call: HttpMcpCall): Promise<Response> {
  const { runtime, access, client, version, maxBytes, report } = call;
  // The room is the daemon's own: it stays open after the call.
  const openRoom = async () => ({ ...runtime, close: async () => {} });
  const serving = {
    access,
    dialect: 'taskroom',
    version,
    openRoom,
    ...(client === null ? {} : { client }),
  } as const;
  const errors: Error[] = [];
  const handler = createMcpHandler(() => createServer(serving, (work) => work), {
    onerror: (error) => void errors.push(error),
    maxRequestBodySize: maxBytes,
  });
  const response = await handler.fetch(request);
  // What it refuses is told to whoever sent it.
  const isRefused = response.status >= 400 && response.status < 500;
  for (const error of errors) if (!isRefused && !error.message.startsWith('Rejected inbound')) report(error);
  return response;
}
