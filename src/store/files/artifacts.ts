// The documents in artifacts/: which there are, and which changed since they were last looked at. Reads no text.

import { readdirSync } from 'node:fs';
import { compareNames } from '../../core/task/names.ts';
import { type FileStamp, sameStamp } from '../ledger/tasks/files.ts';
import { asIo, isOneOf, type Room } from '../room.ts';
import { passedOver, statTask } from './scan.ts';

export const ARTIFACTS = 'artifacts';

export interface ArtifactScan {
  /** Names without `.md`, in order. */
  names: string[];
  /** Those that are new or changed. */
  changed: { name: string; stamp: FileStamp }[];
  /** Known ones that are not there any more; empty while the folder itself is gone, since then none was deleted. */
  gone: string[];
}

/** @throws RoomError `io` when the folder is there and can't be listed */
export function scanArtifacts(room: Room, known: ReadonlyMap<string, FileStamp | null>): ArtifactScan {
  const scan: ArtifactScan = { names: [], changed: [], gone: [] };
  const listed = list(room);
  if (listed === null) return scan;
  for (const file of listed.sort(compareNames)) {
    const stamp = passedOver(file) ?? statTask(room.at(`${ARTIFACTS}/${file}`));
    if (stamp === null || typeof stamp === 'string' || file.includes('\uFFFD')) continue;
    const name = file.slice(0, -'.md'.length);
    scan.names.push(name);
    const before = known.get(name) ?? null;
    if (before === null || !sameStamp(before, stamp)) scan.changed.push({ name, stamp });
  }
  const there = new Set(scan.names);
  scan.gone = [...known.keys()].filter((name) => !there.has(name));
  return scan;
}

function list(room: Room): string[] | null {
  try {
    return readdirSync(room.at(ARTIFACTS));
  } catch (error) {
    if (isOneOf(error, 'ENOENT', 'ENOTDIR')) return null;
    throw asIo(error, room.at(ARTIFACTS), 'list');
  }
}
