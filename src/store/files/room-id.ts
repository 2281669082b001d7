// The room's own id, by which its comments upstream are known as its own. It moves with the room, survives a lost ledger
// (a file beside it holds it too), and is made anew only when a person says that this is another room.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newTag } from '../../core/ids.ts';
import type { Effects } from '../../effects.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Room } from '../room.ts';

const META = 'room.id';
const ID = /^[0-9a-z]{10}$/;

/** The id; made when there is none, and put down where it is missing. */
export function keepRoomId(room: Room, ledger: Ledger, effects: Effects): string {
  const id = readRoomId(room, ledger) ?? newTag(effects.randomBytes);
  if (ledger.meta.get(META) !== id || readFile(room) !== id) write(room, ledger, id);
  return id;
}

export const readRoomId = (room: Room, ledger: Ledger) => ledger.meta.get(META) ?? readFile(room);

export function renewRoomId(room: Room, ledger: Ledger, effects: Effects): void {
  write(room, ledger, newTag(effects.randomBytes));
}

function readFile({ ownDir }: Room): string | null {
  const path = join(ownDir, 'room-id');
  const id = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return ID.test(id) ? id : null;
}

function write({ ownDir }: Room, ledger: Ledger, id: string): void {
  ledger.meta.set(META, id);
  mkdirSync(ownDir, { recursive: true });
  const path = join(ownDir, 'room-id');
  writeFileSync(`${path}.new`, `${id}\n`);
  renameSync(`${path}.new`, path);
}
