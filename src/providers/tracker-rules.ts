// What providers do alike: which of the wanted changes are left to write, what texts a tracker takes, how names compare and
// where a token may be sent.
import * as z from 'zod';
import { kind } from '../core/config/values.ts';
import { RoomError, valueOr } from '../core/errors.ts';
import { isLoopback } from '../core/loopback.ts';
import { type OwnStatuses, STATUSES, type Status, statusWord } from '../core/status-words.ts';
import type { Effects } from '../effects.ts';
import type { Cursor, ListChange, Profile, RemoteChange, RemoteTask, Usage } from './provider.ts';

interface Meanings extends Pick<Profile, 'normalise' | 'classOf'> {
  title?(text: string): string; // Titles that are equal after it are one; as they are when it is absent.
}

/** What of `change` the issue does not say already. Lists are added to and taken from: others' items stay, and nothing of them
 * conflicts.
 * @throws RoomError `conflict` when somebody else changed a field meanwhile: it is neither as wanted nor as expected */
export function changesLeft(
  change: RemoteChange,
  present: RemoteTask,
  expected: RemoteTask,
  { normalise, classOf, title = String }: Meanings,
): RemoteChange {
  const left: RemoteChange = {};
  // Of a status the room's own word, as changes have it.
  const [there, known] = [present, expected].map((task) => ({ ...task, status: statusWord(task) as Status }));
  const look = <K extends 'title' | 'body' | 'status' | 'priority' | 'due' | 'parent'>(
    field: K,
    meaning: (value: RemoteTask[K]) => string = String,
  ): void => {
    const wanted = change[field] as RemoteTask[K] | undefined;
    const now = meaning(there![field]);
    if (wanted === undefined || meaning(wanted) === now) return;
    if (now !== meaning(known![field]))
      throw new RoomError('conflict', `${field} of ${present.ref} changed upstream meanwhile`);
    Object.assign(left, { [field]: wanted });
  };
  look('title', title);
  look('body', normalise);
  look('status', classOf);
  look('priority');
  look('due');
  look('parent');
  for (const list of ['labels', 'assignees', 'blockedBy'] as const) {
    const names = list === 'blockedBy' ? present.blockedBy.map(({ ref }) => ref) : present[list];
    const items = change[list] && listLeft(change[list], names);
    if (items && items.add.length + items.remove.length > 0) left[list] = items;
  }
  return left;
}

function listLeft({ add, remove }: ListChange, there: readonly string[]) {
  const has = (names: readonly string[], name: string) => names.some((one) => isSameName(one, name));
  return {
    add: [...new Set(add)].filter((name) => !has(there, name)),
    remove: there.filter((name) => has(remove, name)),
  };
}

export const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** An option of a chore: what a tracker calls the statuses, the room's own among them. Case does not count. */
export function statusNames(own: OwnStatuses, what: string, place: string) {
  const name = kind(z.string().regex(/\S/), 'text', `the name of a ${what} of ${place}`);
  return kind(
    z.partialRecord(z.enum([...STATUSES, ...Object.keys(own)]), name),
    'map',
    `a map of statuses to the names of ${what}s, such as done: Shipped`,
  );
}

type StatusNames = Readonly<Partial<Record<string, string>>>;

export const ownNamed = (names: StatusNames, own: OwnStatuses = {}): OwnStatuses =>
  Object.fromEntries(Object.entries(own).filter(([word]) => names[word] !== undefined));

/** The first of the words that is called so there. */
export const wordNamed = (names: StatusNames, name: string, words = Object.keys(names)): string | undefined =>
  words.find((word) => isSameName(names[word]!.trim(), name));

/** @throws RoomError `bad_input` for a text that the tracker would refuse */
export function assertTexts(
  tracker: string,
  limits: Profile['limits'],
  texts: { title?: string; body?: string; comment?: string },
): void {
  for (const what of ['title', 'body', 'comment'] as const) {
    const length = texts[what]?.length ?? 0;
    const fault = `the ${what} has ${length} characters, ${tracker} takes ${limits[what]}`;
    if (length > limits[what]) throw new RoomError('bad_input', fault);
  }
}

/** Whether what is sent there can be read by nobody else: https, or this machine. */
export const isSecureAddress = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));

/** A member of the contract: `run` with what the call is made with, which its last argument, the signal, decides. */
export function underSignal<Api>(at: (signal: AbortSignal) => Api) {
  return <Args extends unknown[], Answer>(run: (api: Api, ...args: Args) => Answer) =>
    (...call: [...Args, AbortSignal]) =>
      run(at(call.at(-1) as AbortSignal), ...(call.slice(0, -1) as Args));
}

/** What a cursor holds; null without one, and for one that is not of this shape: then everything is listed. */
export const parseCursor = <T>(cursor: Cursor | null, shape: z.ZodType<T>): T | null =>
  valueOr(null, () => shape.parse(JSON.parse(cursor ?? 'null')));

// What requests to every tracker share: a time limit, and how much a tracker lets us ask of it in an hour, as its answers tell.

const HOUR_MS = 3_600_000;
/** What a limit waits for that names no time. */
export const DEFAULT_WAIT_MS = 60_000;

/** A header of an answer, by its lower-case name. */
export type ReadHeader = (name: string) => string | null | undefined;

/** How long `retry-after` asks to wait, from a second to an hour; null where it does not say. */
export function retryAfterOf(header: ReadHeader): number | null {
  const seconds = Number(header('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1) * 1_000, HOUR_MS) : null;
}

/** `resetAt` on the server's clock, epoch ms; `waitMs` until then. */
type Budget = Record<'limit' | 'remaining' | 'resetAt' | 'waitMs', number>;

/** The budget an answer tells, null where it tells none.
 * @param prefix of the headers that end in `limit`, `remaining` and `reset`
 * @param unitMs of `reset`
 * @param now this machine's clock, for an answer without a date */
export function readBudget(header: ReadHeader, prefix: string, unitMs: number, now: number): Budget | null {
  const read = (name: string) => Number(header(`${prefix}${name}`) || Number.NaN);
  const [limit, remaining, reset] = [read('limit'), read('remaining'), read('reset')];
  if (!Number.isFinite(remaining) || !Number.isFinite(reset)) return null;
  const resetAt = Math.round(reset * unitMs);
  const servedAt = Date.parse(header('date') ?? '');
  const leftMs = resetAt - (Number.isNaN(servedAt) ? now : servedAt);
  // A reset in whole seconds may come at the end of its second.
  const waitMs = Math.min(Math.max(leftMs + (unitMs === 1 ? 0 : unitMs), 1_000), HOUR_MS);
  return { limit, remaining, resetAt, waitMs };
}

/** Keeps account of one budget.
 * @param unit what it counts, for people: `requests`
 * @param share of the budget that is left to a person and to other programs with the same credentials */
export function createBudget(tracker: string, unit: string, share: number, monotonicMs: () => number) {
  let known: (Budget & { until: number }) | null = null;
  /** Until a spent budget is new; 0 while more than the share is left. */
  const waitMs = () =>
    known !== null && known.remaining < known.limit * share ? Math.max(0, known.until - monotonicMs()) : 0;
  return {
    note(budget: Budget | null): void {
      if (budget === null) return;
      const limit = budget.limit || known?.limit || budget.remaining;
      known = { ...budget, limit, until: monotonicMs() + budget.waitMs };
    },
    waitMs,
    /** @throws RoomError `rate_limited` when what is left is not ours to spend */
    assertLeft(): void {
      const retryAfterMs = waitMs();
      if (retryAfterMs <= 0) return;
      const message = `${tracker} allows ${known!.remaining} more ${unit} of ${known!.limit} in this hour`;
      throw new RoomError('rate_limited', message, { retryAfterMs });
    },
    usage(): Pick<Usage, 'remaining' | 'resetAt'> {
      return { remaining: known?.remaining ?? null, resetAt: known?.resetAt ?? null };
    },
  };
}

/** Runs a request until its whole answer is there. @throws Error that says so when the time is over, or as `given` aborts */
export async function underTimeLimit<T>(
  effects: Effects,
  limitMs: number,
  given: AbortSignal | null | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const reason = new Error(`no whole answer within ${limitMs / 1_000} s`);
  const timer = effects.setTimer(limitMs, () => late.abort(reason), true);
  try {
    return await run(given ? AbortSignal.any([given, late.signal]) : late.signal);
  } catch (error) {
    throw late.signal.aborted && !given?.aborted ? reason : error;
  } finally {
    timer.cancel();
  }
}

/** What really broke: `fetch failed` says nothing. */
export const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error;
