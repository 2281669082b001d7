// Listing a source: pages are read to their end, new issues become tasks as they come, known ones wait until the guard
// has seen them all. The cursor is kept only while everything before it is recorded.
import { existsSync } from 'node:fs';
import type { TaskId } from '../core/ids.ts';
import type { NamedIssue, Page, RemoteTask } from '../providers/provider.ts';
import type { MirrorRow } from '../store/ledger/mirrors/mirrors.ts';
import type { SourceRow } from '../store/ledger/mirrors/sources.ts';
import type { SyncDeps } from './contract.ts';
import { attach } from './mirror/mirror-record.ts';
import { createTasks } from './pairing/create-tasks.ts';
import { adoptPublished } from './pairing/pair-task.ts';
import { adoptClaim, type Claims, readClaims } from './pairing/rebuild-mirrors.ts';
import { hashOf } from './plan/keys.ts';
import { readAhead } from './read-ahead.ts';
import { fetchMany, isDry, type SyncPass, skip, tell } from './sync-pass.ts';

export interface Known {
  task: TaskId;
  remote: RemoteTask;
}

export interface Pulled {
  /** Mirrors whose issues were asked for by name and are not visible any more. */
  gone?: readonly MirrorRow[];
  /** Known issues that were listed, each once, as they were listed last. */
  known: Known[];
  /** All that was listed, by uid. */
  listed: ReadonlySet<string>;
  /** Everything was listed from the beginning, so that what is not in it is not there. */
  whole: boolean;
  /** To be kept once the known ones are dealt with; null when something failed before. */
  cursor: string | null;
  /** Files that say they mirror an issue nobody listed. */
  claims: Claims;
}

/**
 * Lists what changed and, when `full`, all there is: a whole listing shows only what the filter admits, so that it can't
 * stand in for the changes of what is followed.
 * @throws RoomError as `provider.list`
 */
export async function pull(pass: SyncPass, source: SourceRow, full: boolean): Promise<Pulled> {
  const listing = newListing();
  const cursor = await list(pass, listing, source.cursor, true);
  listing.listed = source.cursor === null ? listing.listed : new Set();
  if (full && source.cursor !== null) await list(pass, listing, null, false);
  const whole = full || source.cursor === null;
  return {
    known: knownIn(listing),
    listed: listing.listed,
    whole,
    cursor: listing.complete ? cursor : null,
    claims: listing.claims ?? (whole && !isDry(pass) ? readClaims(pass) : new Map()),
  };
}

/** What was listed so far. */
type Listing = ReturnType<typeof newListing>;

function newListing() {
  const known = new Map<TaskId, RemoteTask>();
  return { known, listed: new Set<string>(), claims: null as Claims | null, complete: true };
}

function knownIn({ known }: Listing): Known[] {
  return [...known].map(([task, remote]) => ({ task, remote }));
}

/** @returns the cursor at its end */
async function list(
  pass: SyncPass,
  listing: Listing,
  from: string | null,
  advance: boolean,
): Promise<string | null> {
  let cursor = from;
  const given = new Map<string, number>();
  for await (const come of readAhead(pass.provider.list(from, pass.signal))) {
    pass.faults = 0;
    const circle = come.findIndex((page) => isCircle(given, page));
    const pages = circle < 0 ? come : come.slice(0, circle);
    const last = pages.at(-1);
    if (last) {
      const items = pages.flatMap((page) => page.items);
      const fresh = sortOut(pass, listing, items);
      listing.complete = (await createTasks(pass, fresh)) && listing.complete;
      cursor = last.next;
      const recorded = listing.complete && listing.known.size === 0;
      if (advance && recorded && !isDry(pass)) pass.deps.ledger.sources.update(pass.chore, { cursor });
      tell(pass, 'pulling', listing.listed.size, null);
    }
    if (circle >= 0) break;
  }
  return cursor;
}

// A page may come once more where a cursor overlaps; what comes a third time comes for ever.
const TIMES = 2;

/** The same page under the same cursor, or again and again under any: a provider that lists it so lists it for ever. */
function isCircle(given: Map<string, number>, { items, next }: Page): boolean {
  const words = hashOf(JSON.stringify(items.length > 0 ? items : next));
  const exact = hashOf(JSON.stringify([next, words]));
  const times = (given.get(words) ?? 0) + 1;
  const isRepeated = times > TIMES || (items.length > 0 && given.has(exact));
  given.set(words, times).set(exact, 1);
  return isRepeated;
}

/** @returns the issues that are to become tasks */
function sortOut(pass: SyncPass, listing: Listing, items: readonly RemoteTask[]): RemoteTask[] {
  const fresh = new Map<string, RemoteTask>();
  for (const item of items) {
    listing.listed.add(item.uid);
    const row = followedRow(pass, item);
    if (row === 'elsewhere') continue;
    if (row) {
      listing.known.set(row.task, item);
      continue;
    }
    const made = adoptPublished(pass, item);
    if (made !== null) {
      listing.known.set(made, item);
      continue;
    }
    listing.claims ??= readClaims(pass);
    const claimed = listing.claims.has(item.ref);
    const task = adoptClaim(pass, listing.claims, item);
    if (task !== null) listing.known.set(task, item);
    else if (item.admitted && !claimed) fresh.set(item.uid, item);
  }
  return [...fresh.values()];
}

/** The mirror of a listed issue; `elsewhere` when it is not this chore's to follow, null when it has none. */
function followedRow(pass: SyncPass, item: RemoteTask): MirrorRow | 'elsewhere' | null {
  const { deps, chore, config } = pass;
  const { mirrors } = deps.ledger;
  const row = mirrors.byUid(config.provider, item.uid);
  if (row === null) return null;
  if (row.chore !== chore) {
    if (isChoreThere(deps, row.chore)) return elsewhere(pass, row, item);
    if (!isDry(pass)) mirrors.update(row.task, { chore });
  }
  if (row.state !== 'detached') return row;
  // A file that a person deleted does not come back because its issue was touched.
  if (row.cause !== 'remote_gone') return 'elsewhere';
  if (!isDry(pass)) attach(pass, row);
  return row;
}

/** Two chores may mirror one source; two servers whose issues bear the same ids are more than a room can tell apart. */
function elsewhere(pass: SyncPass, row: MirrorRow, { ref, url }: RemoteTask): 'elsewhere' {
  const [theirs, ours] = [row.url, url].map((text) =>
    text === null ? null : (URL.parse(text)?.host ?? null),
  );
  if (theirs !== null && ours !== null && theirs !== ours) {
    const why = `an issue of ${theirs} that chores/${row.chore}.md mirrors has the same identity: mirror this server in a room of its own`;
    skip(pass, { ref, task: null, what: 'issue', why });
  }
  return 'elsewhere';
}

/** Whether the chore exists, readable or not: one with a mistake in it still governs its mirrors. */
export function isChoreThere(deps: SyncDeps, name: string): boolean {
  return deps.chores().some((chore) => chore.name === name) || existsSync(deps.room.at(`chores/${name}.md`));
}

/**
 * Asks for issues by name, as a webhook tells them: the known ones, new ones that the filter admits, and those that are not
 * visible any more. Moves no cursor: the next listing shows them all again.
 * @throws RoomError as `provider.get`
 */
export async function pullNamed(pass: SyncPass, issues: readonly NamedIssue[]): Promise<Pulled> {
  const asked = new Map<string, MirrorRow | null>();
  for (const issue of issues) {
    const row = rowOf(pass, issue);
    const ref = row?.ref ?? issue.ref;
    if (ref !== null && pass.factory.owns(ref, pass.config)) asked.set(ref, row);
  }
  const found = await fetchMany(pass, [...asked.keys()]);
  const listing = newListing();
  await createTasks(pass, sortOut(pass, listing, [...found.values()]));
  const gone = [...asked].flatMap(([ref, row]) =>
    row !== null && found.get(ref)?.uid !== row.uid ? [row] : [],
  );
  const nothing = { listed: new Set<string>(), whole: false, cursor: null, claims: new Map() };
  return { known: knownIn(listing), gone, ...nothing };
}

/** The mirror that follows it, if this chore has one. What the ledger calls it counts: the tracker may have renamed it. */
function rowOf(pass: SyncPass, { ref, uid }: NamedIssue): MirrorRow | null {
  const { mirrors } = pass.deps.ledger;
  const { provider } = pass.config;
  const row = (uid === null ? null : mirrors.byUid(provider, uid)) ?? (ref && mirrors.byRef(provider, ref));
  return row && row.chore === pass.chore && row.state !== 'detached' ? row : null;
}
