// The Model Context Protocol over HTTP: each request is answered on its own, by the same server as on standard input.
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { AnswerMcp } from '../server/shapes/faces.ts';
import { createServer } from './mcp-server.ts';

export const answerMcp: AnswerMcp = async (request, call) => {
  const { runtime, access, client, version, maxBytes, report } = call;
  // The room is the daemon's own: it stays open after the call.
  const openRoom = async () => ({ ...runtime, close: async () => {} });
  const serving = {
    ...({ access, dialect: 'taskroom', version, openRoom } as const),
    ...(client !== null && { client }),
  };
  const errors: Error[] = [];
  const handler = createMcpHandler(() => createServer(serving, (work) => work), {
    onerror: (error) => void errors.push(error),
    maxRequestBodySize: maxBytes,
  });
  const response = await handler.fetch(request);
  // Who sent a request that is refused is told why.
  const isRefused = response.status >= 400 && response.status < 500;
  for (const error of errors) if (!isRefused && !error.message.startsWith('Rejected inbound')) report(error);
  return response;
};
