// What all task files say now: readings of the ledger, with what changed on disk since. Where paths of changes are reported, it is
// kept, and only those files are read again. Writes no task file and observes nothing.
import { readdirSync, statSync } from 'node:fs';
import { isRoomError } from '../../core/errors.ts';
import { asListed, type ListedReading, type ListedTask, unpackForList } from '../../core/task/listed-task.ts';
import type { InvalidFile, TaskReading } from '../../core/task/task.ts';
import { NOT_UTF8, passedOver, runScan, statTask } from '../../store/files/scan.ts';
import { lookAtStatuses } from '../../store/files/settings.ts';
import { type FileRow, type FileStamp, sameStamp } from '../../store/ledger/tasks/files.ts';
import type { RoomHandle } from '../task-room.ts';

/** The paths of which something was heard, counted from the start. */
export interface HeardPaths {
  count(): number;
  /** The paths since that count; null when so many are not kept. */
  since(count: number): readonly string[] | null;
}

interface KnownFile extends FileStamp {
  task: ListedTask | null; // Null for a file that can't be read as a task.
  invalid: InvalidFile | null;
}

interface Marks {
  heard: number;
  written: number;
  folder: string | null; // The folder's stamp; null where it may change again unseen.
}

const UNSETTLED_MS = 100; // A folder's time has the resolution of a clock tick.
// Reading this many again at each command would be felt; fewer are not worth a write.
const WORTH_KEEPING = 50;
const NO_STAMP: FileStamp = { size: -1, mtimeMs: 0, ctimeMs: 0, ino: 0 };

export class RoomFiles {
  readonly known = new Map<string, KnownFile>();
  readonly #deps: RoomHandle;
  readonly #heard: HeardPaths | null;
  readonly #odd = new Map<string, InvalidFile>();
  #marks: Marks | null = null;
  #statuses: string | null = null;
  #changed = new Set<string>();

  /** @param heard null for a single look */
  constructor(deps: RoomHandle, heard: HeardPaths | null) {
    this.#deps = deps;
    this.#heard = heard;
  }

  /** Readable files with keys that look mistyped, in the order of paths. */
  odd(): InvalidFile[] {
    return [...this.#odd.values()].sort(byPath);
  }

  /** Files that can't be read, in the order of paths; not those that say that they are deleted. */
  invalid(): InvalidFile[] {
    const all = [...this.known.values()].flatMap(({ invalid }) => invalid ?? []);
    return all.filter(({ deleted }) => deleted !== true).sort(byPath);
  }

  /** Takes in what changed. @returns the paths of that. @throws RoomError `room_gone`, `io` */
  async look(): Promise<ReadonlySet<string>> {
    // Before the look: what happens during it is looked at again.
    const now = this.#heard === null ? null : marksOf(this.#deps, this.#heard);
    if (this.#heard === null) lookAtStatuses(this.#deps);
    else this.#lookAtStatuses();
    const paths = this.#marks === null || now === null ? null : this.#heardSince(this.#marks, now);
    await (paths === null ? this.#lookAtAll() : this.#lookAt(paths));
    this.#marks = now;
    const news = this.#changed;
    this.#changed = new Set();
    return news;
  }

  /** Files that may say something else by other statuses of the room's own are read again. */
  #lookAtStatuses(): void {
    const now = JSON.stringify(this.#deps.config().statuses);
    if (this.#statuses !== null && this.#statuses !== now) {
      this.#marks = null;
      for (const [path, file] of this.known)
        if (file.invalid !== null || file.task?.own_status !== undefined)
          this.known.set(path, { ...file, ...NO_STAMP });
    }
    this.#statuses = now;
  }

  async #lookAtAll(): Promise<void> {
    const { files } = this.#deps.ledger;
    if (this.known.size === 0) {
      for (const file of files.cached()) this.#put(file.path, file, unpackForList(file.line));
      for (const row of files.odd()) if (this.known.has(row.path)) this.#noteOdd(row);
    }
    const scan = runScan(this.#deps.room, this.known, sameStamp);
    for (const path of scan.gone) this.#drop(path);
    const rows = await this.#read(scan.changed.map(({ path }) => path));
    if (this.#heard === null && rows.length > WORTH_KEEPING) keep(this.#deps, rows);
    for (const { path, reason } of scan.skipped)
      if (reason === NOT_UTF8) this.#put(path, NO_STAMP, { ok: false, invalid: unnameable(path) });
  }

  async #lookAt(paths: Iterable<string>): Promise<void> {
    const { room, ledger } = this.#deps;
    const anew: string[] = [];
    for (const path of paths) {
      if (!path.startsWith(FOLDER) || passedOver(path.slice(FOLDER.length)) !== null) continue;
      const stamp = statTask(room.at(path));
      const before = this.known.get(path);
      if (stamp === null || typeof stamp === 'string') this.#drop(path);
      else if (before === undefined || !sameStamp(before, stamp)) {
        // The daemon may have read it already.
        const kept = ledger.files.get(path);
        if (kept !== null && sameStamp(kept.stamp, stamp)) this.#takeIn(kept);
        else anew.push(path);
      }
    }
    await this.#read(anew);
  }

  /** A file that is being saved at this moment stays as it was: what it says at rest is heard of, too. */
  async #read(paths: readonly string[]): Promise<FileRow[]> {
    const rows = await readAll(this.#deps, paths);
    for (const row of rows) this.#takeIn(row);
    const found = new Set(rows.map(({ path }) => path));
    for (const path of paths)
      if (!found.has(path) && statTask(this.#deps.room.at(path)) === null) this.#drop(path);
    return rows;
  }

  #takeIn(row: FileRow): void {
    const { path, stamp, reading } = row;
    this.#noteOdd(row);
    const listed = reading.ok && { ok: true as const, task: asListed(reading.task, stamp.mtimeMs) };
    this.#put(path, stamp, listed || (reading as Extract<TaskReading, { ok: false }>));
  }

  #put(path: string, { size, mtimeMs, ctimeMs, ino }: FileStamp, reading: ListedReading): void {
    const said = reading.ok
      ? { task: reading.task, invalid: null }
      : { task: null, invalid: reading.invalid };
    this.known.set(path, { size, mtimeMs, ctimeMs, ino, ...said });
    this.#changed.add(path);
  }

  #noteOdd({ path, reading }: FileRow): void {
    const problems = reading.ok ? reading.task.oddKeys : undefined;
    if (problems === undefined) this.#odd.delete(path);
    else this.#odd.set(path, { path, problems });
  }

  #drop(path: string): void {
    if (this.known.delete(path)) this.#changed.add(path);
    this.#odd.delete(path);
  }

  /** Null when too much happened to look at it path by path. */
  #heardSince(before: Marks, now: Marks): Set<string> | null {
    const { room, ledger } = this.#deps;
    const paths = this.#heard!.since(before.heard);
    if (paths === null) return null;
    const dirty = new Set(paths);
    if (now.written !== before.written) {
      const sql = 'SELECT path FROM writes WHERE done > ?';
      for (const path of ledger.database.column<string>(sql, before.written)) dirty.add(path);
    }
    if (now.folder !== null && now.folder === before.folder) return dirty;
    const names = new Set(readdirSync(room.tasksDir).map((name) => FOLDER + name));
    for (const path of names) {
      if (path.includes('\uFFFD')) return null;
      if (!this.known.has(path)) dirty.add(path);
    }
    for (const path of this.known.keys()) if (!names.has(path)) dirty.add(path);
    return dirty;
  }
}

const FOLDER = 'tasks/';
const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : Number(a.path > b.path));

function marksOf({ ledger, room, effects }: RoomHandle, heard: HeardPaths): Marks {
  const sql = 'SELECT coalesce(max(done), 0) AS done FROM writes';
  const stat = statSync(room.tasksDir, { throwIfNoEntry: false });
  const isSettled = stat !== undefined && Math.abs(effects.now() - stat.mtimeMs) >= UNSETTLED_MS;
  return {
    heard: heard.count(),
    written: ledger.database.column<number>(sql)[0]!,
    folder: isSettled ? `${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}` : null,
  };
}

/** A task file that no command could be given: it is shown, so that its owner renames it. */
function unnameable(path: string): InvalidFile {
  const hint = 'rename the file (mv), its bytes are no text';
  return { path, problems: [{ path, line: 1, col: 1, message: NOT_UTF8, hint }] };
}

/** What one file with this stamp says; null when it is gone, or being saved at this moment. @throws RoomError `io` */
export async function readFresh(deps: RoomHandle, path: string, stamp: FileStamp) {
  const known = deps.ledger.files.get(path);
  if (known !== null && sameStamp(known.stamp, stamp)) return known.reading;
  return (await readAll(deps, [path]))[0]?.reading ?? null;
}

/** Reads these files anew, as many at once as is good for a disk. @throws RoomError `io` */
export async function readAll(deps: RoomHandle, paths: readonly string[]): Promise<FileRow[]> {
  if (paths.length === 0) return [];
  // Loaded here: it brings the YAML parser, and most of the time nothing changed.
  const { readFileRow } = await import('./read-file-row.ts');
  const rows: FileRow[] = [];
  // Files that were just saved rest for a moment each: at once that is one moment.
  for (let at = 0; at < paths.length; at += 64) {
    const batch = await Promise.all(paths.slice(at, at + 64).map((path) => readFileRow(deps, path)));
    for (const row of batch) {
      if (row === null || row === 'unstable') continue;
      const { text: _, ...kept } = row;
      rows.push(kept);
    }
  }
  return rows;
}

function keep(deps: RoomHandle, rows: readonly FileRow[]): void {
  if (deps.ports.daemonRuns()) return;
  try {
    deps.ledger.transaction(() => {
      for (const row of rows) deps.ledger.files.put(row, false);
    });
  } catch (error) {
    // It would only have made the next command quicker.
    if (!isRoomError(error, 'locked') && !isRoomError(error, 'io')) throw error;
  }
}
