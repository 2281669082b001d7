// The index of a room: a row a task, their order, and what changed since a version. It is made for one look, or kept, and then
// looks only at what changed. What did not change stays the same object.
import type { TaskId } from '../../core/ids.ts';
import { type ListedTask, rankOf } from '../../core/task/listed-task.ts';
import { compareNames } from '../../core/task/names.ts';
import { type HeardPaths, RoomFiles } from '../observe/room-files.ts';
import { borrowedIds, isWaiting, statusLookup } from '../observe/snapshot.ts';
import { idOfRef } from '../references.ts';
import type { TaskRow } from '../shapes/task.ts';
import type { KeptIndex, RoomHandle } from '../task-room.ts';
import { addFacts, readTurnFacts, type TaskFacts } from './turn-facts.ts';

interface Entry {
  id: TaskId | null; // As its file says; its row has none where another task has the same.
  row: TaskRow;
  blockers: string[]; // What it waits for, without `task:`.
  version: number; // When its row became what it is.
}

/** The index as it is now: the one that is kept, else one made for this look. @throws RoomError `room_gone`, `io` */
export async function lookAtRoom(deps: RoomHandle): Promise<KeptIndex> {
  const index = deps.ports.index?.() ?? new RoomIndex(deps, null);
  await index.look();
  return index;
}

export class RoomIndex implements KeptIndex {
  readonly files: RoomFiles;
  rows: readonly TaskRow[] = [];
  readonly #deps: RoomHandle;
  readonly #entries = new Map<string, Entry>();
  readonly #finished = new Map<TaskId, number>();
  readonly #stale = new Set<Entry>();
  readonly #epoch: string;
  #byWord = new Map<string, Entry>();
  #order: Entry[] = [];
  #facts: ReadonlyMap<TaskId, TaskFacts> = new Map();
  #version = 0;
  #placedAt = 0;
  #mustPlace = true;
  #looking: Promise<unknown> = Promise.resolve();

  /** @param heard null for a single look */
  constructor(deps: RoomHandle, heard: HeardPaths | null) {
    this.#deps = deps;
    this.files = new RoomFiles(deps, heard);
    this.#epoch = Math.trunc(deps.effects.now()).toString(36);
  }

  /** Looks run one after another. */
  look(): Promise<void> {
    const next = this.#looking.then(() => this.#lookOnce());
    this.#looking = next.catch(() => {});
    return next;
  }

  since(known: string): { version: string; rows: TaskRow[]; order: string[] | null } {
    const [epoch, at] = known.split('-');
    const from = epoch === this.#epoch ? Number(at) : -1;
    const order = this.#placedAt > from ? this.rows.map(({ path }) => path) : null;
    const rows = this.#order.filter(({ version }) => version > from).map(({ row }) => row);
    return { version: `${this.#epoch}-${this.#version}`, rows, order };
  }

  async #lookOnce(): Promise<void> {
    for (const path of await this.files.look())
      this.#takeFile(path, this.files.known.get(path)?.task ?? null);
    const facts = readTurnFacts(this.#deps, this.#finished);
    for (const id of facts.ended) this.#touch(id);
    for (const [id, now] of facts.of) if (!sameFacts(this.#facts.get(id), now)) this.#touch(id);
    for (const id of this.#facts.keys()) if (!facts.of.has(id)) this.#touch(id);
    this.#facts = facts.of;
    this.#version += 1;
    if (this.#mustPlace) this.#place();
    this.#makeRows(facts);
  }

  #takeFile(path: string, task: ListedTask | null): void {
    const before = this.#entries.get(path);
    if (task === null) {
      if (this.#entries.delete(path)) this.#mustPlace = true;
      return;
    }
    if (before !== undefined && standsAsBefore(before, task)) {
      const { id } = before.row;
      before.row = task as TaskRow;
      before.row.id = id;
      this.#stale.add(before);
      return;
    }
    const blockers = task.blocked_by.map(idOfRef);
    const entry = { id: task.id, row: task as TaskRow, blockers, version: 0 };
    this.#entries.set(path, entry);
    this.#stale.add(entry);
    this.#mustPlace = true;
  }

  #touch(id: TaskId): void {
    const entry = this.#byWord.get(id);
    if (entry !== undefined && entry.id === id) this.#stale.add(entry);
  }

  #place(): void {
    const entries = [...this.#entries.values()].sort((a, b) => (a.row.path < b.row.path ? -1 : 1));
    const isTwice = new Set(entries.map(({ id }) => id)).size < entries.length;
    const borrowed = isTwice ? borrowedIds(this.#deps, entries.map(asFile)) : NOTHING_BORROWED;
    this.#byWord = new Map();
    for (const entry of entries) {
      const id = borrowed.has(entry.row.path) ? null : entry.id;
      if (entry.row.id !== id) {
        entry.row = { ...entry.row, id };
        this.#stale.add(entry);
      }
      this.#byWord.set(entry.row.name, entry);
    }
    // Where an id is also a name, the id counts.
    for (const entry of entries) if (entry.row.id !== null) this.#byWord.set(entry.row.id, entry);
    const { firstSeen } = this.#deps.ledger.tasks;
    this.#order = inOrder(
      entries,
      firstSeen,
      ({ row }) => rankOf(row),
      ({ row }) => row,
    );
    this.#placedAt = this.#version;
    this.#mustPlace = false;
  }

  #makeRows(facts: ReturnType<typeof readTurnFacts>): void {
    const find = (word: string) => this.#byWord.get(word)?.row;
    const waiting = this.#order.filter(({ blockers }) => blockers.length > 0);
    const words = waiting.flatMap(({ blockers }) => blockers);
    const statusOf = statusLookup(this.#deps, find, words);
    const isBlocked = ({ blockers, row: { status } }: Entry) =>
      isWaiting({ statusOf }, { blocked_by: blockers, status });
    for (const entry of waiting) if (entry.row.blocked !== isBlocked(entry)) this.#stale.add(entry);
    if (this.#stale.size === 0 && this.#placedAt < this.#version) return;
    for (const entry of this.#stale) {
      // A row that was handed out stays as it is.
      const isNew = entry.row.why_not === undefined;
      entry.row = addFacts(isNew ? entry.row : { ...entry.row }, facts, isBlocked(entry));
      entry.version = this.#version;
    }
    this.#stale.clear();
    this.rows = this.#order.map(({ row }) => row);
  }
}

/** Whether an order that held for the one holds for the other. */
function standsAsBefore({ id, row, blockers }: Entry, now: ListedTask): boolean {
  return (
    id === now.id &&
    row.sort === now.sort &&
    row.created === now.created &&
    rankOf(row) === rankOf(now) &&
    blockers.length === now.blocked_by.length &&
    blockers.every((ref, at) => ref === idOfRef(now.blocked_by[at]!))
  );
}

function sameFacts(before: TaskFacts | undefined, now: TaskFacts): boolean {
  return (
    before !== undefined && (Object.keys(now) as (keyof TaskFacts)[]).every((key) => before[key] === now[key])
  );
}

const NOTHING_BORROWED: ReadonlySet<string> = new Set();
const asFile = ({ id, row: { name, path } }: Entry) => ({ id, name, path });

type Ordered = Pick<ListedTask, 'id' | 'sort' | 'created' | 'path'>;

/** `sort:` first, then rank, then creation (else when it was first seen), then name, T2 before T10. */
export function inOrder<Item>(
  items: readonly Item[],
  firstSeen: () => ReadonlyMap<TaskId, number>,
  rank: (item: Item) => number = () => 0,
  taskOf: (item: Item) => Ordered = (item) => item as Ordered,
): Item[] {
  const seen = items.every((item) => taskOf(item).created) ? null : firstSeen();
  // What decides is found once for each task, not at each comparison.
  const placed = items.map((item) => {
    const { id, path, sort, created } = taskOf(item);
    const seenAt = id === null ? null : seen?.get(id);
    const moment = (created ? Date.parse(created) : seenAt) || Number.POSITIVE_INFINITY;
    return { item, sort: sort ?? Number.POSITIVE_INFINITY, rank: rank(item), moment, path };
  });
  placed.sort((a, b) => {
    if (a.sort !== b.sort) return a.sort - b.sort;
    if (a.rank !== b.rank) return a.rank - b.rank;
    if (a.moment !== b.moment) return a.moment - b.moment;
    return compareNames(a.path, b.path);
  });
  return placed.map(({ item }) => item);
}
