// What all task files say, each in one line of its reading, and who keeps that in memory.
import type { InvalidFile } from '../core/task/task.ts';
import type { Skipped } from '../store/scan.ts';

/** A file with the first line of its packed reading. */
export interface FileLine {
  path: string;
  line: string;
}

export interface Lines {
  files: readonly FileLine[];
  skipped: Skipped[];
  /** Files with keys that look mistyped. */
  odd: InvalidFile[];
  /** The same object for the same line as at the last look. */
  isKept?: true;
}

/** Kept by the daemon. */
export interface LiveLines {
  /** What every file says now, in the order of paths. @throws RoomError `room_gone`, `io` */
  read(): Promise<Lines>;
}

/** What the watcher and the sweeps of the daemon came by, counted from its start. */
export interface HeardPaths {
  count(): number;
  /** The paths since that count; null when so many are not kept. */
  since(count: number): readonly string[] | null;
}
