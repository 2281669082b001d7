// The room's own id, by which its comments upstream are known as its own. It moves with the room, survives a lost ledger
// (a file beside it holds it too), and is made anew only when a person says that this is another room.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newTag } from '../../core/ids.ts';
import type { Effects } from '../../effects.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Room } from '../room.ts';

const FILE = 'room-id';
const META = 'room.id';
const ID = /^[0-9a-z]{10}$/;

/** The id; made, and put down in both places, when there is none. */
export function keepRoomId(room: Room, ledger: Ledger, effects: Effects): string {
  const known = readRoomId(room, ledger);
  const id = known ?? newTag(effects.randomBytes);
  if (ledger.meta.get(META) !== id) ledger.meta.set(META, id);
  if (readFile(room) !== id) write(room, id);
  return id;
}

/** The id, null while the room has none. */
export function readRoomId(room: Room, ledger: Ledger): string | null {
  return ledger.meta.get(META) ?? readFile(room);
}

export function renewRoomId(room: Room, ledger: Ledger, effects: Effects): void {
  const id = newTag(effects.randomBytes);
  ledger.meta.set(META, id);
  write(room, id);
}

function readFile(room: Room): string | null {
  const path = join(room.ownDir, FILE);
  const id = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return ID.test(id) ? id : null;
}

function write(room: Room, id: string): void {
  mkdirSync(room.ownDir, { recursive: true });
  const path = join(room.ownDir, FILE);
  writeFileSync(`${path}.new`, `${id}\n`);
  renameSync(`${path}.new`, path);
}
