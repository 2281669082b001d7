// The operations by MCP tools, in each dialect as far as it has them, are those of the room: same files, same refusals.
import { describe } from 'vitest';
import type { Client, OutputOf } from '../../src/operations/client.ts';
import type { Dialect } from '../../src/operations/tools/tool-list.ts';
import { seedRoom, testOperations } from '../conformance/operations.ts';
import { agentIn, assistantIn } from '../operations/tools/tool-room.ts';
import { openTestRoom } from '../tasks/test-room.ts';
import { type LinkedClient, linkClient } from './linked-client.ts';
import { operationsByClaudeTools, operationsByTodoTools, operationsByTools } from './tool-operations.ts';

type ByTools = (client: LinkedClient, look: (ref: string) => Promise<OutputOf<'show'>>) => Partial<Client>;

const BY: Readonly<Record<Dialect, ByTools>> = {
  taskroom: operationsByTools,
  claude: operationsByClaudeTools,
  todo: operationsByTodoTools,
};

describe.each(Object.entries(BY))('in the dialect %s', (dialect, byTools) => {
  describe.each(['agent', 'assistant'] as const)('as an %s', (kind) => {
    testOperations({
      answers: 'outcome',
      async open() {
        const room = openTestRoom();
        seedRoom(room);
        if (kind === 'agent') room.runTurn('b11111111', 'abc12345');
        const caller = kind === 'agent' ? agentIn(room, 'b11111111', 'abc12345') : assistantIn(room);
        const client = await linkClient(caller, dialect as Dialect);
        return {
          tasks: byTools(client, (ref) => room.call('show', { ref })),
          room,
          actor: caller.actor,
          async close() {
            await client.close();
            await room.close();
          },
        };
      },
    });
  });
});
