// The operations over HTTP are those of the room: for the person with their token, and for an assistant with one of its own.
import { describe, expect } from 'vitest';
import type { OpenRoom } from '../../src/app/open-room.ts';
import { createRoomApi } from '../../src/app/room-api.ts';
import { answerMcp } from '../../src/mcp/serve-mcp.ts';
import { createHttpSend } from '../../src/remote/http-way.ts';
import { createRemoteClient } from '../../src/remote/remote-client.ts';
import { prepareApi } from '../../src/server/serve.ts';
import type { Actor } from '../../src/tasks/task-room.ts';
import { seedRoom, testOperations } from '../conformance/operations.ts';
import { openTestRoom, type TestRoom } from '../tasks/test-room.ts';

const ASKS: Record<string, Actor> = {
  'the person': { kind: 'person' },
  'an assistant': { kind: 'assistant', client: 'helper' },
};

describe.each(Object.entries(ASKS))('%s', (_name, actor) => {
  testOperations({
    answers: 'whole',
    open: async () => {
      const room = openTestRoom();
      const { tasks, close } = await serveOperations(room, actor);
      seedRoom(room);
      return {
        ...{ tasks, room, actor },
        async close() {
          await close();
          await room.close();
        },
      };
    },
  });
});

/** A test room behind the real server; what is asked of it beside its operations is not there. */
async function serveOperations(room: TestRoom, actor: Actor) {
  const { deps, tasks } = room;
  const { effects } = deps;
  const runtime = {
    tasks,
    caller: { kind: 'person' },
    events: deps.events,
    api: async () => createRoomApi(deps),
  } as Partial<OpenRoom>;
  const tcp = { host: '127.0.0.1', port: 0, names: [], tls: null, withoutTls: false };
  const api = await prepareApi({ tcp, version: '0.0.0', boardDir: null }, answerMcp);
  const served = await api.open({
    runtime: runtime as OpenRoom,
    effects,
    heard: () => 0,
    workers: null,
    webhooks: null,
  });
  const { tokens } = await (runtime as OpenRoom).api();
  expect(tokens.check(served.newToken ?? '')).toMatchObject({ kind: 'own', access: 'full' });
  const given = { name: 'helper', access: 'assistant', tasks: null, agents: null, expiresAt: null } as const;
  const token = actor.kind === 'person' ? served.newToken : tokens.create(given).token;
  const send = createHttpSend({ url: served.url ?? '', token: token ?? '' }, { fetch });
  return { tasks: createRemoteClient(send), close: api.close };
}
