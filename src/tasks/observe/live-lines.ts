// What all task files say, kept in memory by the daemon: ten thousand files are looked at once, and from then on only those
// of which the watcher heard, which we wrote ourselves, or whose names came or went.
import { readdirSync, statSync } from 'node:fs';
import { halvesOf } from '../../core/task/listed-line.ts';
import { isReadable, lineOf } from '../../core/task/packed-reading.ts';
import type { InvalidFile } from '../../core/task/task.ts';
import { NOT_UTF8, passedOver, statTask } from '../../store/scan.ts';
import type { FileLine, HeardPaths, Lines, LiveLines } from '../file-lines.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { TaskRoom } from '../task-room.ts';
import { inPathOrder, oddKeysOf, readFresh, readLines, unnameableLine } from './snapshot.ts';

// Lines as they are kept by the thousand: most tasks have the same to say of owner, labels, steps and the like, which is more
// than half of a line and stands in memory once.
type LineKeeper = (path: string, line: string) => FileLine;

/** Where every task says something else, a few are looked through in vain. */
const MOST_ENDS = 500;

function lineKeeper(): LineKeeper {
  const ends = new Map<string, string>();
  return (path, line) => {
    if (!isReadable(line)) return { path, line };
    const [start, end] = halvesOf(line);
    const same = ends.get(end);
    if (same !== undefined) return new KeptLine(path, start, same);
    if (ends.size === MOST_ENDS) ends.clear();
    ends.set(end, end);
    return new KeptLine(path, start, end);
  };
}

class KeptLine implements FileLine {
  readonly path: string;
  readonly start: string;
  readonly #end: string;

  constructor(path: string, start: string, end: string) {
    this.path = path;
    this.start = start;
    this.#end = end;
  }

  /** Put together anew each time. */
  get line(): string {
    return this.start + this.#end;
  }
}

interface Kept {
  keep: LineKeeper;
  /** By name: the folder's names are compared with them again and again. */
  files: Map<string, FileLine>;
  /** Why, by path. */
  skipped: Map<string, string>;
  /** Files with keys that look mistyped, by path. */
  odd: Map<string, InvalidFile>;
  /** In the order of their paths; null after a line became another. */
  order: FileLine[] | null;
  marks: Marks;
}

/** How far the look went. */
interface Marks {
  heard: number;
  /** Counter of our own writes. */
  written: number;
  /** The folder's stamp; null where its names are to be looked at again. */
  folder: string | null;
}

/** A folder's time has the resolution of a clock tick: one that was changed this recently may change again unseen. */
const UNSETTLED_MS = 100;

const FOLDER = 'tasks/';
const nameIn = (path: string) => path.slice(FOLDER.length);

export function createLiveLines(handle: RoomHandle, heard: HeardPaths): LiveLines {
  let kept: Kept | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<Lines> => {
    if (kept === null || !(await bringUpToDate(handle, kept, heard))) kept = await lookAtAll(handle, heard);
    return linesOf(kept);
  };
  return {
    // One look after the other.
    read() {
      const next = last.then(read);
      last = next.catch(() => {
        kept = null;
      });
      return next;
    },
  };
}

async function lookAtAll(handle: RoomHandle, heard: HeardPaths): Promise<Kept> {
  // Before the look: what happens during it is looked at again.
  const marks = { heard: heard.count(), written: writtenBy(handle.deps), folder: stampOfFolder(handle.deps) };
  const { files, skipped, odd } = await readLines({
    ...handle,
    ports: { ...handle.ports, lines: () => null },
  });
  // Without their stamps, and each without what others say alike: ten thousand of them are kept.
  const keep = lineKeeper();
  const lines = files.map(({ path, line }) => keep(path, line));
  return {
    keep,
    files: new Map(lines.map((file) => [nameIn(file.path), file])),
    skipped: new Map(skipped.map(({ path, reason }) => [path, reason])),
    odd: new Map(odd.map((file) => [file.path, file])),
    order: lines,
    marks,
  };
}

/** @returns false when too much was heard to look at it path by path */
async function bringUpToDate(handle: RoomHandle, kept: Kept, heard: HeardPaths): Promise<boolean> {
  const { deps } = handle;
  const { marks } = kept;
  const paths = heard.since(marks.heard);
  if (paths === null) return false;
  const written = writtenBy(deps);
  const dirty = new Set(paths);
  if (written !== marks.written) for (const path of writtenSince(deps, marks.written)) dirty.add(path);
  const folder = stampOfFolder(deps);
  if (folder === null || folder !== marks.folder) compareNames(deps, kept, dirty);
  kept.marks = { heard: marks.heard + paths.length, written, folder };
  for (const path of dirty) if (path.startsWith(FOLDER)) await lookAt(handle, kept, path);
  return true;
}

function writtenBy({ ledger }: TaskRoom): number {
  const sql = 'SELECT coalesce(max(done), 0) AS done FROM writes';
  return Number(ledger.database.prepare(sql).get()!.done);
}

function writtenSince({ ledger }: TaskRoom, done: number): string[] {
  const rows = ledger.database.prepare('SELECT path FROM writes WHERE done > ?').all(done);
  return rows.map(({ path }) => path as string);
}

/** Null where it may change again within the same tick, and where there is none. */
function stampOfFolder({ room, effects }: TaskRoom): string | null {
  const stat = statSync(room.tasksDir, { throwIfNoEntry: false });
  if (stat === undefined || Math.abs(effects.now() - stat.mtimeMs) < UNSETTLED_MS) return null;
  return `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}`;
}

function compareNames({ room }: TaskRoom, kept: Kept, dirty: Set<string>): void {
  const { files, skipped } = kept;
  const listed = readdirSync(room.tasksDir);
  let known = 0;
  for (const name of listed) {
    if (files.has(name)) known += 1;
    else if (!skipped.has(`${FOLDER}${name}`)) dirty.add(`${FOLDER}${name}`);
  }
  if (known === files.size && skipped.size === 0) return;
  const names = new Set(listed);
  for (const path of skipped.keys()) if (!names.has(nameIn(path))) skipped.delete(path);
  for (const [name, { path }] of files) {
    if (names.has(name)) continue;
    files.delete(name);
    kept.odd.delete(path);
    kept.order = null;
  }
}

async function lookAt(handle: RoomHandle, kept: Kept, path: string): Promise<void> {
  const name = nameIn(path);
  const unnameable = name.includes('\uFFFD') ? NOT_UTF8 : null;
  const there = statTask(handle.deps.room.at(path));
  const stamp = (there === null ? null : passedOver(name)) ?? there ?? unnameable;
  kept.skipped.delete(path);
  kept.odd.delete(path);
  if (typeof stamp === 'string') kept.skipped.set(path, stamp);
  if (stamp === NOT_UTF8) return put(kept, path, unnameableLine(path));
  if (stamp === null || typeof stamp === 'string') return drop(kept, name);
  const reading = await readFresh(handle, path, stamp);
  if (reading?.ok === false && reading.invalid.deleted) return drop(kept, name);
  if (reading !== null) put(kept, path, lineOf(reading, stamp.mtimeMs));
  for (const odd of reading === null ? [] : oddKeysOf({ path, reading })) kept.odd.set(path, odd);
  // Being saved at this moment: what it says once it rests is heard of, too.
}

function drop(kept: Kept, name: string): void {
  if (kept.files.delete(name)) kept.order = null;
}

function put(kept: Kept, path: string, line: string): void {
  const name = nameIn(path);
  if (kept.files.get(name)?.line === line) return;
  kept.files.set(name, kept.keep(path, line));
  kept.order = null;
}

function linesOf(kept: Kept): Lines {
  if (kept.order === null) {
    kept.order = [...kept.files.values()];
    inPathOrder(kept.order);
  }
  const skipped = [...kept.skipped].map(([path, reason]) => ({ path, reason }));
  const odd = [...kept.odd.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files: kept.order, skipped, odd };
}
