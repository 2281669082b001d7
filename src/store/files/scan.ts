// Finding what changed in tasks/ and artifacts/: a listing and a stat of each file against the stamps of last time. Reads no
// text. The scan is the truth; watch events only say where to look sooner.
import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode, RoomError } from '../../core/errors.ts';
import { compareNames } from '../../core/task/names.ts';
import { type FileStamp, sameStamp, stampOf } from '../ledger/tasks/files.ts';
import { asIo, type Room } from '../room.ts';

export type Skipped = { path: string; reason: string };

export interface ScanResult {
  changed: { path: string; stamp: FileStamp }[];
  gone: string[]; // Known files that are not there any more.
  skipped: Skipped[];
  total: number;
}

/** The reason of a name that no path of ours can hold. */
export const NOT_UTF8 = 'its name is not UTF-8';
const NOT_MARKDOWN = 'not a .md file';
const SUBFOLDER = 'a folder; a task is a file in tasks/ itself';
const STEP = 2_000; // Small enough that the event loop answers within a few milliseconds between two steps.

/** Why an entry of tasks/ is no task file, or null when it may be one. Looks at the name alone. */
export function passedOver(name: string): string | null {
  if (name.endsWith('.md') && !name.startsWith('.')) return null;
  if (name.startsWith('.'))
    return name.endsWith('.swp') || name.startsWith('.#') ? 'editor file' : 'hidden file';
  if (name.endsWith('~') || /^#.*#$/.test(name) || name === '4913') return 'editor file';
  return NOT_MARKDOWN;
}

/** The stamp of a task file, a reason why it is none, or null when there is nothing. A symbolic link is followed only to a regular .md file
 * of another folder, and only the first of several links to it. Never throws: what can't be looked at is one file's trouble.
 * @param firstLink of the folder's links; without it they are looked up */
export function statTask(absolute: string, firstLink?: FirstLink): FileStamp | string | null {
  const stat = lookAt(absolute, firstLink);
  return stat === null || typeof stat === 'string' ? stat : stampOf(stat);
}

/** The same with all that the disk says, of which a scan keeps nothing where the file is as it was. */
function lookAt(absolute: string, firstLink?: FirstLink): Stats | string | null {
  try {
    const stat = lstatSync(absolute, { throwIfNoEntry: false });
    if (!stat) return null;
    if (stat.isFile()) return stat;
    if (stat.isSymbolicLink()) return statLink(absolute, firstLink);
    return stat.isDirectory() ? SUBFOLDER : 'not a regular file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : `can't be looked at (${code})`;
  }
}

export function isTaskFile(absolute: string): boolean {
  const stamp = statTask(absolute);
  return stamp !== null && typeof stamp !== 'string';
}

/** Scans in steps; drive it with {@link runScan} or {@link runScanGently}.
 * @param known stamps of last time, by path, or as much of them as `isSame` compares
 * @throws RoomError `room_gone` when tasks/ can't be listed */
function* scanSteps<Known>(
  room: Room,
  known: ReadonlyMap<string, Known>,
  isSame: (before: Known, stamp: FileStamp) => boolean,
): Generator<number, ScanResult, void> {
  const result: ScanResult = { changed: [], gone: [], skipped: [], total: 0 };
  const names = list(room);
  let seen = 0;
  const notThere = new Set<string>();
  const firstLink = firstLinks(room.tasksDir);
  // Joined by hand: the names come from the listing, and there may be a hundred thousand.
  const folder = `${room.tasksDir}/`;
  for (let at = 0; at < names.length; at += 1) {
    if (at > 0 && at % STEP === 0) yield at;
    const name = names[at]!;
    const path = `tasks/${name}`;
    // Bytes that are no UTF-8 are listed as U+FFFD, a name that leads to nothing.
    const stat =
      passedOver(name) ?? lookAt(folder + name, firstLink) ?? (name.includes('\uFFFD') ? NOT_UTF8 : null);
    if (stat === null || typeof stat === 'string') {
      notThere.add(path);
      const isFolder =
        stat === NOT_MARKDOWN && statSync(folder + name, { throwIfNoEntry: false })?.isDirectory();
      if (stat !== null) result.skipped.push({ path, reason: isFolder ? SUBFOLDER : stat });
      continue;
    }
    result.total += 1;
    const before = known.get(path);
    if (before !== undefined) seen += 1;
    if (before === undefined || !isSame(before, stat)) result.changed.push({ path, stamp: stampOf(stat) });
  }
  if (seen < known.size) {
    const listed = new Set(names.map((name) => `tasks/${name}`));
    result.gone = [...known.keys()].filter((path) => !listed.has(path) || notThere.has(path));
  }
  return result;
}

/** Throws RoomError `room_gone` where tasks/ is not there: then no file in it was deleted. */
export function assertFolder(room: Room): void {
  if (statSync(room.tasksDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw gone(`${room.tasksDir} is not there`);
}

function list(room: Room): string[] {
  try {
    return readdirSync(room.tasksDir);
  } catch (error) {
    throw gone(`can't list ${room.tasksDir}: ${(error as Error).message}`, error);
  }
}

function gone(message: string, cause?: unknown): RoomError {
  const hint = 'put the folder back; the runtime looks again by itself';
  return new RoomError('room_gone', message, { cause, hint });
}

export function runScan<Known>(
  room: Room,
  known: ReadonlyMap<string, Known>,
  isSame: (before: Known, stamp: FileStamp) => boolean,
): ScanResult {
  const steps = scanSteps(room, known, isSame);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Lets the event loop breathe between steps. */
export async function runScanGently(room: Room, known: ReadonlyMap<string, FileStamp>): Promise<ScanResult> {
  const steps = scanSteps(room, known, sameStamp);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await new Promise((resolve) => setImmediate(resolve));
  return step.value;
}

/** The first link of a folder that leads to a file. */
type FirstLink = (target: string) => string | undefined;

/** What the link at `absolute` leads to, or the reason why it is passed over. */
function statLink(absolute: string, firstLink = firstLinks(dirname(absolute))): Stats | string {
  const target = targetOf(absolute);
  if (typeof target === 'string') return target;
  const first = firstLink(target.path);
  return first === undefined || first === basename(absolute) ? target.stat : sameFile(first);
}

/** Few folders hold links: they are listed when the first one is met. */
function firstLinks(folder: string): FirstLink {
  let first: Map<string, string> | null = null;
  return (target) => {
    first ??= readLinks(folder);
    return first.get(target);
  };
}

function readLinks(folder: string): Map<string, string> {
  const first = new Map<string, string>();
  const links = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isSymbolicLink() && entry.name.endsWith('.md') && !entry.name.startsWith('.'),
  );
  for (const name of links.map((entry) => entry.name).sort()) {
    const target = targetOf(join(folder, name));
    if (typeof target !== 'string' && !first.has(target.path)) first.set(target.path, name);
  }
  return first;
}

const sameFile = (name: string): string => `another name of ${name}: two names of one file are one task`;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'broken symlink',
  ENOTDIR: 'broken symlink',
  ELOOP: 'a symlink that leads back to itself',
  ENAMETOOLONG: 'a symlink to a name that is too long',
};

/** The file that a link leads to, or the reason why it is passed over. */
function targetOf(absolute: string): { path: string; stat: Stats } | string {
  try {
    const path = realpathSync.native(absolute);
    const stat = statSync(path);
    if (stat.isDirectory()) return 'a symlink to a folder';
    if (!stat.isFile()) return 'a symlink to no regular file';
    if (!path.endsWith('.md')) return 'a symlink to a file that is no .md';
    const isBeside = dirname(path) === realpathSync.native(dirname(absolute));
    return isBeside ? sameFile(basename(path)) : { path, stat };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return REASONS[code] ?? `a symlink that can't be followed (${code})`;
  }
}

export const ARTIFACTS = 'artifacts';

export interface ArtifactScan {
  names: string[];
  changed: { name: string; stamp: FileStamp }[];
  /** Known ones that are not there any more; empty while the folder itself is gone, since then none was deleted. */
  gone: string[];
}

/** @throws RoomError `io` when the folder is there and can't be listed */
export function scanArtifacts(room: Room, known: ReadonlyMap<string, FileStamp | null>): ArtifactScan {
  const names: string[] = [];
  const changed: ArtifactScan['changed'] = [];
  const listed = listArtifacts(room);
  for (const file of listed?.sort(compareNames) ?? []) {
    const stamp = passedOver(file) ?? statTask(room.at(`${ARTIFACTS}/${file}`));
    if (stamp === null || typeof stamp === 'string' || file.includes('\uFFFD')) continue;
    const name = file.slice(0, -'.md'.length);
    names.push(name);
    const before = known.get(name) ?? null;
    if (before === null || !sameStamp(before, stamp)) changed.push({ name, stamp });
  }
  const there = new Set(names);
  const gone = listed === null ? [] : [...known.keys()].filter((name) => !there.has(name));
  return { names, changed, gone };
}

function listArtifacts(room: Room): string[] | null {
  try {
    return readdirSync(room.at(ARTIFACTS));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw asIo(error, room.at(ARTIFACTS), 'list');
  }
}
