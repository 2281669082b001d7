// What all task files say, each in one line of its reading, and who keeps that in memory.
import { isReadable } from '../core/task/packed-reading.ts';
import type { InvalidFile } from '../core/task/task.ts';
import type { Skipped } from '../store/scan.ts';

/** A file with the first line of its packed reading. */
export interface FileLine {
  readonly path: string;
  readonly line: string;
  /** How the line begins, where the whole is put together anew each time it is asked for. */
  readonly start?: string;
}

/** Whether the file could be read as a task. */
export function isTask(file: FileLine): boolean {
  return isReadable(file.start ?? file.line);
}

export interface Lines {
  files: readonly FileLine[];
  skipped: Skipped[];
  /** Files with keys that look mistyped. */
  odd: InvalidFile[];
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
