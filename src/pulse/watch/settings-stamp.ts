// What tells from outside that settings were saved: a stamp over room.yaml and the agents' files.
import { readdirSync, statSync } from 'node:fs';
import type { Room } from '../../store/room.ts';

/** Differs when one of the files was saved, came or went. */
export function settingsStamp(room: Room): string {
  const agents = listOrNothing(room.agentsDir).map((name) => `agents/${name}/agent.json`);
  return ['room.yaml', ...agents].map((path) => stampOf(room.at(path))).join(' ');
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '-' : `${path}:${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}

function listOrNothing(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    // Absent, or not for us to read: what is wrong with it is said where agents are read.
    return [];
  }
}
