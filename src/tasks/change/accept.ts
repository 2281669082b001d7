// The person accepts what changed while a turn ran and gives rights; from then on it counts.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { onDisk } from '../../store/room.ts';
import { findTarget } from '../lookup/locate.ts';
import { readUnsaid, type Unsaid } from '../observe/handed-over.ts';
import { refresh } from '../observe/refresh.ts';
import type { RoomHandle } from '../task-room.ts';

/** @param what a file's path, a task, or an inbox key, whose text must be the same still; absent for all. @throws RoomError */
export async function accept(deps: RoomHandle, what: string | undefined) {
  const { ports } = deps;
  await refresh(deps);
  const wanted = await chosen(deps, what);
  deps.ledger.transaction(() => {
    for (const one of wanted) take(deps, one, what);
  });
  deps.ledger.messages.send({ kind: 'settings' }, deps.effects.now());
  ports.ring();
  const accepted = wanted.map(({ what: path, task, name, text }) => ({ what: path, task, name, text }));
  return { accepted, daemon: ports.daemonRuns() };
}

async function chosen(deps: RoomHandle, what: string | undefined): Promise<Unsaid[]> {
  const all = readUnsaid(deps);
  if (what === undefined) return all;
  const named = all.filter((one) => one.what === what || `rights:${one.hash}` === what);
  if (named.length > 0) return named;
  if (what.startsWith('rights:'))
    throw new RoomError('conflict', 'this has changed since', 'look at it again: taskroom inbox');
  const isFile = /[/.]/.test(what) && !what.startsWith('tasks/');
  const { id } = isFile ? { id: null } : await findTarget(deps, what);
  const ofTask = all.filter(({ task }) => task !== null && task === id);
  if (ofTask.length > 0) return ofTask;
  throw new RoomError('not_found', `${what} has nothing to accept`, 'see: taskroom inbox');
}

function take(deps: RoomHandle, { source, what }: Unsaid, asked: string | undefined): void {
  const { saidWords } = deps.ledger;
  const { seen } = saidWords.get(source)!;
  if (source.startsWith('owner:')) return void saidWords.delete(source);
  const now = source.startsWith('file:') ? textsNow(resolve(deps.room.dir, what)) : seen;
  if (asked?.startsWith('rights:') && now[0] !== seen[0])
    throw new RoomError('conflict', `${what} has changed since`, 'look at it again: taskroom inbox');
  saidWords.put({ source, said: now, seen: now });
}

function textsNow(path: string): string[] {
  return existsSync(path) ? [onDisk(path, () => readFileSync(path, 'utf8'), 'read')] : [];
}
