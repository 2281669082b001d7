// A room whose daemon runs on another machine: its operations, chores and mirrors, carried by the daemon's API. What needs the
// room's own files is done beside it, and says so.
import { RoomError } from '../../core/errors.ts';
import { createEventBus } from '../../core/events.ts';
import { type Effects, sleep } from '../../effects.ts';
import { carryOperation } from '../../operations/table/carry-operation.ts';
import { linkAt } from '../../remote/board-link.ts';
import { createHttpWay, type HttpWay } from '../../remote/http-way.ts';
import { createRemoteOperations } from '../../remote/remote-operations.ts';
import { createSocketFetch, SOCKET_URL } from '../../remote/socket-fetch.ts';
import { daemonHere, type Runtime } from '../../runtime.ts';
import type { RoomFacts } from '../shapes/room-facts.ts';
import { liveElsewhere } from './live-elsewhere.ts';

export interface Elsewhere {
  url: string;
  token: string;
}

/** @throws RoomError `bad_input`, `unavailable`, `unauthorized` */
export async function openRoomElsewhere(where: Elsewhere, effects: Effects): Promise<Runtime> {
  const way = createHttpWay(where, effects);
  const facts = await createFacts(way);
  const tasks = createRemoteOperations(way.send);
  const beside = (): never => {
    throw new RoomError('refused', `this runs beside the files of its room, and they are at ${where.url}`, {
      hint: 'run it on that machine; for a room here give --room, or leave --url and TASKROOM_URL out',
    });
  };
  return {
    room: onlyDir(facts.now().dir, beside),
    events: createEventBus(() => undefined),
    tasks,
    caller: { kind: 'person' },
    problems: () => facts.now().problems,
    trouble: () => facts.now().trouble,
    holder: facts.holder,
    lacks: async () => null,
    async outputReader(agent) {
      const { outputReaderOf } = await import('../../runtime.ts');
      const format = new Map(facts.now().formats).get(agent) ?? null;
      return format === null ? null : outputReaderOf(format, effects);
    },
    async toolCaller({ client, access }) {
      const actor = { kind: 'assistant', client } as const;
      const asAssistant = createRemoteOperations(
        createHttpWay({ ...where, assistant: client }, effects).send,
      );
      return {
        tasks: createRemoteOperations((name, input) =>
          carryOperation(asAssistant, { actor, access }, name, input),
        ),
        ...{ actor, access, task: null, agent: null, programs: false },
        sleep: (ms) => sleep(effects, ms),
      };
    },
    async boardLink() {
      return linkAt(where.url, null, await way.call({ method: 'post', path: '/api/links' }, {}));
    },
    close: facts.settled,
    config: beside,
    agents: beside,
    api: async () => beside(),
    live: async () => liveElsewhere(tasks),
    placeOf: () => null,
    startPulse: async () => beside(),
  };
}

/** The room over the daemon that runs it on this machine. @throws RoomError `unavailable` */
export async function openRoomOfDaemonHere(dir: string, effects: Effects): Promise<Runtime> {
  const { socket, token } = await daemonHere(dir);
  return openRoomElsewhere({ url: SOCKET_URL, token }, { ...effects, fetch: createSocketFetch(socket) });
}

/** A path there is none here. */
function onlyDir(dir: string, beside: () => never): Runtime['room'] {
  return new Proxy({ dir } as Runtime['room'], {
    get: (room, name) => (name === 'dir' ? room.dir : beside()),
  });
}

const FACTS = { method: 'get', path: '/api/facts' } as const;

/** The facts as they were told last: each look at who holds the room has them asked for anew. */
async function createFacts(way: HttpWay) {
  let known = await way.call<RoomFacts>(FACTS, {});
  let pending: Promise<unknown> = Promise.resolve();
  const ask = async () => {
    try {
      known = await way.call<RoomFacts>(FACTS, {});
    } catch (error) {
      if (!(error instanceof RoomError)) throw error;
      // It answers no more: nobody holds the room, as far as can be told from here.
      known = { ...known, holder: null };
    }
  };
  let isAsking = false;
  return {
    now: () => known,
    holder() {
      if (!isAsking) {
        isAsking = true;
        pending = pending.then(ask).finally(() => {
          isAsking = false;
        });
      }
      return known.holder;
    },
    settled: async () => void (await pending),
  };
}
