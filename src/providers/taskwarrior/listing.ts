// What changed since a cursor, told by content alone: the cursor holds a fingerprint of each task, so that a change
// shows whatever its `modified` says (it has one second, other devices sync older ones in, a wait ends by itself).
import { createHash } from 'node:crypto';
import type { Cursor, Page, RemoteTask } from '../provider.ts';

/** Above it tasks share a fingerprint, and a change lists those that share it too; keeps a cursor below 64 KB. */
const MAX_PRINTS = 8192;
/** Characters of base64url: 42 bits a fingerprint. */
const PRINT_LENGTH = 7;
const PAGE_SIZE = 200;

/** Tasks that share a fingerprint, and the fingerprint of what they say now. */
interface Slot {
  print: string;
  tasks: RemoteTask[];
}

/** Pages of the difference; the cursor stays where it was until the last one. */
export function* listPages(
  tasks: readonly RemoteTask[],
  cursor: Cursor | null,
  maxPrints = MAX_PRINTS,
): Generator<Page> {
  const known = readCursor(cursor);
  const slots = slotsOf(tasks, maxPrints);
  // Fingerprints, sorted, one after the other; null before anything was listed to its end.
  const next = writeCursor(
    slots
      .map(({ print }) => print)
      .sort()
      .join(''),
  );
  const start = writeCursor(null);
  const changed = slots
    .filter(({ print }) => known === null || !known.has(print))
    .flatMap((slot) => slot.tasks);
  const items = (known === null ? changed.filter(({ admitted }) => admitted) : changed).sort(byChange);
  for (let at = 0; at === 0 || at < items.length; at += PAGE_SIZE) {
    const isLast = at + PAGE_SIZE >= items.length;
    yield { items: items.slice(at, at + PAGE_SIZE), next: isLast ? next : known ? cursor! : start };
  }
}

function byChange(a: RemoteTask, b: RemoteTask): number {
  return a.updatedAt - b.updatedAt || (a.ref < b.ref ? -1 : 1);
}

function slotsOf(tasks: readonly RemoteTask[], maxPrints: number): Slot[] {
  if (tasks.length <= maxPrints) return tasks.map((task) => ({ print: printOf(task), tasks: [task] }));
  const shared = new Map<number, RemoteTask[]>();
  for (const task of [...tasks].sort((a, b) => (a.ref < b.ref ? -1 : 1))) {
    const slot = digest(task.ref).readUInt32BE() % maxPrints;
    const there = shared.get(slot);
    if (there) there.push(task);
    else shared.set(slot, [task]);
  }
  return [...shared.values()].map((together) => ({ print: printOf(together), tasks: together }));
}

function printOf(content: unknown): string {
  return digest(JSON.stringify(content)).toString('base64url').slice(0, PRINT_LENGTH);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function writeCursor(prints: string | null): Cursor {
  return JSON.stringify({ v: 1, prints });
}

/** Null for no cursor, and for one that is not ours: a listing from the start costs time, never a change. */
function readCursor(cursor: Cursor | null): Set<string> | null {
  let mark: { v?: unknown; prints?: unknown } | null;
  try {
    mark = JSON.parse(cursor ?? 'null') as typeof mark;
  } catch {
    return null;
  }
  if (mark?.v !== 1 || typeof mark.prints !== 'string') return null;
  return new Set(mark.prints.match(new RegExp(`.{${PRINT_LENGTH}}`, 'g')));
}
