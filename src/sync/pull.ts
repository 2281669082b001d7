// Listing a source: pages are read to their end, new issues become tasks as they come, known ones wait until the guard
// has seen them all. The cursor is kept only while everything before it is recorded.
import { existsSync } from 'node:fs';
import type { TaskId } from '../core/ids.ts';
import { isFinished } from '../core/task/status.ts';
import type { NamedIssue, Page, RemoteTask } from '../providers/provider.ts';
import type { MirrorRow } from '../store/ledger/mirrors/mirrors.ts';
import type { SourceRow } from '../store/ledger/mirrors/sources.ts';
import { attach } from './mirror/mirror-record.ts';
import type { Claims, ListedMirror } from './pairing/create-tasks.ts';
import { adoptClaim, createTasks, fetchClaimed, readClaims } from './pairing/create-tasks.ts';
import { adoptPublished } from './pairing/pair-task.ts';
import { hashOf } from './plan/base.ts';
import { baseOf } from './plan/plan-data.ts';
import type { SyncDeps, SyncPass } from './sync-pass.ts';

export interface PullResult {
  known: ListedMirror[]; // Known issues that were listed or asked for, each once, as they came last.
  gone: MirrorRow[]; // Mirrors whose issues were asked for and are not visible any more.
  open: number; // Open mirrors that are followed.
  whole: boolean; // Everything was listed from the beginning, so that what is not in it is not there.
  cursor: string | null; // To be kept once the known ones are dealt with; null when something failed before.
}

/** Lists what changed and, when `full`, all there is: a whole listing shows only what the filter admits, so that it can't
 * stand in for the changes of what is followed.
 * @throws RoomError as `provider.list` */
export async function pull(pass: SyncPass, source: SourceRow, full: boolean): Promise<PullResult> {
  const { choreMirrors } = pass.deps.ledger;
  const listing = newListing();
  const isFirst = source.cursor === null;
  const cursor = await list(pass, listing, source.cursor, true);
  const open = choreMirrors.count(pass.chore);
  if (!isFirst && !full) return { ...resultOf(listing, cursor), gone: [], open, whole: false };
  if (!isFirst) {
    listing.listed.clear();
    await list(pass, listing, null, false);
  }
  // A local program's mirrors that are over are asked for too: nothing else tells what happened to them since.
  const vanished = await findVanished(pass, listing.listed, isFirst || !pass.provider.profile.remote);
  const claims = listing.claims ?? (pass.isDry ? new Map() : readClaims(pass));
  const claimed = await fetchClaimed(pass, claims);
  const { known, ...end } = resultOf(listing, cursor);
  return { ...vanished, ...end, known: [...known, ...vanished.known, ...claimed], whole: true };
}

type Listing = ReturnType<typeof newListing>;

function newListing() {
  const known = new Map<TaskId, RemoteTask>();
  return { known, listed: new Set<string>(), claims: null as Claims | null, complete: true };
}

function resultOf({ known, complete }: Listing, cursor: string | null) {
  const mirrors: ListedMirror[] = [...known].map(([task, remote]) => ({ task, remote }));
  return { known: mirrors, cursor: complete ? cursor : null };
}

/** @returns the cursor at its end */
async function list(pass: SyncPass, listing: Listing, from: string | null, advance: boolean) {
  let cursor = from;
  const given = new Map<string, number>();
  for await (const come of readAhead(pass.provider.list(from, pass.signal))) {
    pass.resetFaults();
    const circle = come.findIndex((page) => isCircle(given, page));
    const pages = circle < 0 ? come : come.slice(0, circle);
    const last = pages.at(-1);
    if (last) {
      const items = pages.flatMap((page) => page.items);
      const fresh = sortOut(pass, listing, items);
      listing.complete = (await createTasks(pass, fresh)) && listing.complete;
      cursor = last.next;
      const recorded = listing.complete && listing.known.size === 0;
      if (advance && recorded && !pass.isDry) pass.deps.ledger.sources.update(pass.chore, { cursor });
      pass.reportProgress('pulling', listing.listed.size, null);
    }
    if (circle >= 0) break;
  }
  return cursor;
}

// Pages that are requested before they are needed: so many are in memory, or wasted when the caller stops early.
const AHEAD = 4;

/** Requests the next pages while earlier ones are processed. Yields all pages that have arrived, so that pages of a fast tracker
 * are recorded together and a page of a slow one at once.
 * @throws what the pages throw, after the pages before it were yielded */
export async function* readAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  const iterator = pages[Symbol.asyncIterator]();
  const asked: Promise<IteratorResult<T>>[] = [];
  let come = 0;
  const noteOne = (): void => {
    come += 1;
  };
  const askOn = (): void => {
    while (asked.length < AHEAD) {
      const page = iterator.next();
      page.then(noteOne, noteOne);
      asked.push(page);
    }
  };
  try {
    for (let isOver = false; !isOver; ) {
      askOn();
      await asked[0]!.catch(() => {});
      const results = asked.splice(0, come);
      come = 0;
      askOn();
      const settled = await Promise.allSettled(results);
      const ready = settled.flatMap((page) =>
        page.status === 'fulfilled' && !page.value.done ? [page.value.value] : [],
      );
      if (ready.length > 0) yield ready;
      const failed = settled.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
      isOver = ready.length < settled.length;
    }
  } finally {
    await iterator.return?.();
  }
}

// A page may come twice where cursors overlap; a page that comes a third time never stops coming.
const TIMES = 2;

/** Whether a provider repeats its pages: the same page with the same cursor, or a third time with any cursor. */
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
    if (row === 'not_ours') continue;
    let task = row?.task ?? adoptPublished(pass, item);
    let isClaimed = false;
    if (task === null) {
      listing.claims ??= readClaims(pass);
      isClaimed = listing.claims.has(item.ref);
      task = adoptClaim(pass, listing.claims, item);
    }
    if (task !== null) listing.known.set(task, item);
    else if (item.admitted && !isClaimed) fresh.set(item.uid, item);
  }
  return [...fresh.values()];
}

/** The mirror of a listed issue; `not_ours` when it is not this chore's to follow, null when it has none. */
function followedRow(pass: SyncPass, item: RemoteTask): MirrorRow | 'not_ours' | null {
  const { deps, chore, config } = pass;
  const { mirrors } = deps.ledger;
  const row = mirrors.byUid(config.provider, item.uid);
  if (row === null) return null;
  if (row.chore !== chore) {
    if (isChoreThere(deps, row.chore)) return notOurs(pass, row, item);
    if (!pass.isDry) mirrors.update(row.task, { chore });
  }
  if (row.state !== 'detached') return row;
  // A file that a person deleted does not come back because its issue was touched.
  if (row.cause !== 'remote_gone') return 'not_ours';
  if (!pass.isDry) attach(pass, row);
  return row;
}

/** Two chores may mirror one source; two servers whose issues bear the same ids are more than a room can tell apart. */
function notOurs(pass: SyncPass, row: MirrorRow, { ref, url }: RemoteTask): 'not_ours' {
  const [theirs, ours] = [row.url, url].map((text) => URL.parse(text ?? '')?.host);
  if (theirs !== undefined && ours !== undefined && theirs !== ours) {
    const why = `an issue of ${theirs} that chores/${row.chore}.md mirrors has the same identity: mirror this server in a room of its own`;
    pass.skip({ ref, task: null, what: 'issue', why });
  }
  return 'not_ours';
}

/** Whether the chore exists, readable or not: one with a mistake in it still governs its mirrors. */
export const isChoreThere = (deps: SyncDeps, name: string): boolean =>
  deps.chores().some((chore) => chore.name === name) || existsSync(deps.room.at(`chores/${name}.md`));

/** Asks for the mirrors that a whole listing did not show. @param all those that are over too */
async function findVanished(pass: SyncPass, listed: ReadonlySet<string>, all: boolean) {
  const { mirrors, choreMirrors } = pass.deps.ledger;
  const followed = choreMirrors.followed(pass.chore);
  const missing = followed
    .filter(({ uid }) => !listed.has(uid))
    .flatMap(({ task }) => mirrors.get(task) ?? [])
    .filter((row) => all || !isFinished(baseOf(row)?.remote.status ?? 'todo'));
  const seen = followed.filter(({ uid }) => listed.has(uid)).length;
  const refs = missing.map(({ ref }) => ref);
  const found = await pass.fetchMany(refs, (at) => pass.reportProgress('checking', at, refs.length));
  // Another issue under its name (a repository made anew) is not it.
  const isGone = (row: MirrorRow) => found.get(row.ref)?.uid !== row.uid;
  return {
    gone: missing.filter(isGone),
    // Not listed, and there: no longer what the filter asks for.
    known: missing.filter((row) => !isGone(row)).map(({ task, ref }) => ({ task, remote: found.get(ref)! })),
    open: seen + missing.length,
  };
}

/** Asks for issues by name, as a webhook tells them: the known ones, new ones that the filter admits, and those that are not
 * visible any more. Moves no cursor: the next listing shows them all again.
 * @throws RoomError as `provider.get` */
export async function pullNamed(pass: SyncPass, issues: readonly NamedIssue[]): Promise<PullResult> {
  const { mirrors, choreMirrors } = pass.deps.ledger;
  const { provider } = pass.config;
  const asked = new Map<string, MirrorRow | null>();
  for (const { ref, uid } of issues) {
    // What the ledger calls it counts: the tracker may have renamed it.
    const found =
      (uid === null ? null : mirrors.byUid(provider, uid)) ?? (ref && mirrors.byRef(provider, ref));
    const row = found && found.chore === pass.chore && found.state !== 'detached' ? found : null;
    const name = row?.ref ?? ref;
    if (name !== null && pass.factory.owns(name, pass.config)) asked.set(name, row);
  }
  const found = await pass.fetchMany([...asked.keys()]);
  const listing = newListing();
  await createTasks(pass, sortOut(pass, listing, [...found.values()]));
  const gone = [...asked].flatMap(([ref, row]) =>
    row !== null && found.get(ref)?.uid !== row.uid ? [row] : [],
  );
  const open = choreMirrors.count(pass.chore);
  return { ...resultOf(listing, null), gone, open, whole: false };
}
