// Where the screen has the room from: the API of the daemon that runs it, here over its unix socket or on another machine, and
// where none runs, the room itself, opened in this process to read it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { followRoom } from '../../app/follow-room.ts';
import type { OpenRoom } from '../../app/open-room.ts';
import { findDaemonHere } from '../../app/remote-room.ts';
import { RoomError } from '../../core/errors.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { InputOf, OperationName, OutputOf } from '../../operations/client.ts';
import { createHttpSend, type RemoteDaemon } from '../../remote/http-way.ts';
import { createRemoteClient } from '../../remote/remote-client.ts';
import type { TopRequest } from '../../server/shapes/faces.ts';
import type { Link } from '../model/screen-state.ts';

/** Carries out one operation for the person. @throws RoomError */
export type Call = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;

export interface Source {
  link: Link; // How changes are heard of before anything was heard.
  call: Call;
  /** Calls `onNews` whenever something may have changed; resolves when nothing more is to be heard here. */
  follow(onNews: OnNews, signal: AbortSignal): Promise<void>;
  lookAtAll(): void; // The next look is one at everything.
  close(): Promise<void>;
}

type OnNews = (link: Link) => void;
type Api = RemoteDaemon & Pick<Effects, 'fetch'>;

const SILENCE_MS = 45_000; // The daemon says something every 15 s.
const TICK_MS = 100; // How often the ledger is asked whether it changed.

/** @throws RoomError as the room can't be opened, `not_allowed` inside a turn */
export async function openSource({ remote, effects, openRoom }: TopRequest): Promise<Source> {
  if (remote !== null) return overApi({ ...remote, fetch: effects.fetch }, effects, 'lost');
  const { here } = await openRoom({ readOnly: true });
  if (here === null)
    throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
  const daemon = await reachDaemon(here.room.ownDir, effects);
  if (daemon === null) return besideRoom(here, effects);
  await here.close();
  return daemon;
}

function overApi(api: Api, effects: Effects, link: Link): Source {
  const { call } = createRemoteClient(createHttpSend(api, api));
  return {
    link,
    call: (name, input) => call(name, input, { kind: 'person' }),
    lookAtAll() {},
    follow: (onNews, signal) => followEvents(api, effects, onNews, signal),
    close: async () => {},
  };
}

/** Server-sent events, until they end or fall silent. */
async function followEvents(api: Api, effects: Effects, onNews: OnNews, signal: AbortSignal): Promise<void> {
  const { url, token, fetch } = api;
  const silence = new AbortController();
  let timer: Timer | null = null;
  const awake = () => {
    timer?.cancel();
    timer = effects.setTimer(SILENCE_MS, () => silence.abort(), true);
  };
  try {
    awake();
    const { ok, body } = await fetch(new URL('/api/events', url).href, {
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
      headers: { authorization: `Bearer ${token}` },
    });
    if (!ok || body === null) return;
    onNews('live');
    for await (const bytes of body) {
      awake();
      if (Buffer.from(bytes).includes('data:')) onNews('live');
    }
  } catch {
    // It can't be reached, or not any more.
  } finally {
    (timer as Timer | null)?.cancel();
    silence.abort();
  }
}

/** The daemon that runs the room here, asked with the person's token; null where none answers. @param ownDir the room's `.taskroom` */
async function reachDaemon(ownDir: string, effects: Effects): Promise<Source | null> {
  try {
    const { over, effects: here } = findDaemonHere({ ownDir });
    const source = overApi({ ...over, ...here }, effects, 'live');
    await source.call('roomFacts', {});
    return source;
  } catch {
    return null;
  }
}

/** Ends when a daemon has come. */
async function besideRoom(here: OpenRoom, effects: Effects): Promise<Source> {
  const { ownDir } = here.room;
  const { follow, lookAtAll } = await followRoom(here, effects, TICK_MS);
  const isOver = async () =>
    existsSync(join(ownDir, 'api.json')) && (await reachDaemon(ownDir, effects)) !== null;
  return {
    ...{ link: 'files', lookAtAll },
    call: (name, input) => here.tasks.call(name, input, here.caller, true),
    follow: (onNews, signal) => follow(() => onNews('files'), signal, isOver),
    close: () => here.close(),
  };
}
