// Settings that were saved: counted once they are quiet, since editors write them in several steps, and found by a stamp
// over room.yaml and the agents' files where no event told of them.
import { readdirSync, statSync } from 'node:fs';
import type { Effects, Timer } from '../../effects.ts';
import type { Room } from '../../store/room.ts';

export interface SettingsWatch {
  /** Something happened to one of the files. */
  changed(): void;
  /** Looks whether they were saved unseen. */
  check(): void;
  close(): void;
}

const QUIET_MS = 200;

export function createSettingsWatch(
  room: Room,
  effects: Pick<Effects, 'setTimer'>,
  onSaved: () => void,
): SettingsWatch {
  let stamp = settingsStamp(room);
  let timer: Timer | null = null;
  function take(): void {
    stamp = settingsStamp(room);
    onSaved();
  }
  function changed(): void {
    timer?.cancel();
    timer = effects.setTimer(QUIET_MS, take, true);
  }
  return {
    changed,
    check() {
      if (settingsStamp(room) !== stamp) changed();
    },
    close: () => timer?.cancel(),
  };
}

/** Differs when one of the files was saved, came or went. */
function settingsStamp(room: Room): string {
  const agents = listOrNothing(room.agentsDir).map((name) => `agents/${name}/agent.json`);
  return ['room.yaml', ...agents].map((path) => stampOf(room.at(path))).join(' ');
}

function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${path}:${stat.ino}:${stat.size}:${stat.mtimeMs}`;
  } catch {
    // A link in a circle, say: it is one file's trouble, told where that file is read.
    return `${path}:?`;
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
