// Whether the settings' files are as they were: a look at their stamps, without reading them.
import { readdirSync, statSync } from 'node:fs';
import type { Room } from './room.ts';

/** Differs when room.yaml or an agent's file was changed, added or removed. */
export function settingsStamp(room: Room): string {
  const agents = listOrNothing(room.agentsDir).map((name) => `agents/${name}/agent.json`);
  return ['room.yaml', ...agents].map((path) => `${path} ${stampOf(room.at(path))}`).join('\n');
}

/** Differs when a file was replaced, or a name in a folder added or removed; `-` where nothing is. */
export function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  } catch {
    // A link in a circle, say: it is one file's trouble, told where that file is read.
    return '?';
  }
}

function listOrNothing(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    // Absent, or not for us to read: what is wrong with it is said where agents are read.
    return [];
  }
}
