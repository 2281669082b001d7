// The official client, linked in memory to the MCP server of a test room as one caller has it.
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { RoomClient } from '../../src/app/open-room.ts';
import { createServer } from '../../src/mcp/serve-mcp.ts';
import type { ToolCaller } from '../../src/operations/tools/tool.ts';
import type { Dialect } from '../../src/operations/tools/tool-list.ts';

export type LinkedClient = Awaited<ReturnType<typeof linkClient>>;

export async function linkClient(caller: ToolCaller, dialect: Dialect) {
  const { tasks, actor, agent, access, task, programs } = caller;
  const isTurn = actor.kind === 'agent';
  const openRoom = async (): Promise<RoomClient> => ({
    ...{ tasks, here: null, close: async () => {} },
    caller: isTurn ? actor : { kind: 'person' },
    ...(isTurn ? { turn: () => ({ agent: agent!, access, task, programs, statuses: {} }) } : {}),
  });
  const server = createServer({ access: 'full', dialect, version: '0', openRoom }, (call) => call);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'linked', version: '1' });
  await Promise.all([server.connect(far), client.connect(near)]);
  // From then on the client holds each answer against the output that its tool declares.
  await client.listTools();
  return {
    client,
    async call(name: string, input: object) {
      const answer = await client.callTool({ name, arguments: input as Record<string, unknown> });
      const [first] = answer.content as { text: string }[];
      return { text: first!.text, isError: answer.isError === true };
    },
    close: () => client.close(),
  };
}
