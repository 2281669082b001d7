// Around every piece of work on a source: its lock, what changed on disk taken in, the provider opened; afterwards the
// written files announced, task_mirrors.json brought up to date, and how it went recorded. One source's failure stays its own.
import type { Chore, MirrorConfig } from '../core/chore/chore.ts';
import { type ErrorCode, isRoomError, RoomError } from '../core/errors.ts';
import type { Provider, SourceConfig } from '../providers/provider.ts';
import { writeMirrorsFile } from '../store/files/mirrors-file.ts';
import { keepRoomId, readRoomId, renewRoomId } from '../store/files/room-id.ts';
import type { SourceRow } from '../store/ledger/mirrors/sources.ts';
import { takeSourceLock } from '../store/lock/locks.ts';
import { servicesOf, servicesWithout } from './mirror-services.ts';
import { hashOf, packBase, withoutOwn } from './plan/base.ts';
import { baseOf } from './plan/plan-data.ts';
import type { SyncDeps, SyncOptions, SyncPass, SyncReport } from './sync-pass.ts';
import { backoffMs, createPass } from './sync-pass.ts';

export type MirrorChore = Chore & { mirror: MirrorConfig };

/** @throws RoomError `not_found` for a chore that is none, can't be read, or mirrors nothing */
export function findMirrorChore(deps: SyncDeps, name: string): MirrorChore {
  const chores = deps.chores();
  const chore = chores.find((one) => one.name === name);
  if (chore?.mirror) return chore as MirrorChore;
  const mirrors = chores.filter(({ mirror }) => mirror !== null).map((one) => one.name);
  const none = `no chore ${JSON.stringify(name)} that can be read`;
  const hint = mirrors.length > 0 ? `chores that mirror: ${mirrors.join(', ')}` : 'see: taskroom chores';
  throw new RoomError('not_found', chore ? `${name} mirrors nothing: it has no mirror:` : none, hint);
}

type PoolConfig = SourceConfig & Pick<MirrorConfig, 'provider'>;

/** Hash of all that decides what a source's listing holds. */
const configHashOf = ({ provider, source, filter, url, fields, options }: PoolConfig): string =>
  hashOf(JSON.stringify([provider, source, filter, url, fields, options]));

/** The providers that are open, one for each chore's source; another configuration of a chore opens it anew. */
export function createProviderPool(deps: SyncDeps) {
  const open = new Map<string, { config: string; provider: Provider }>();
  const forget = async (chore: string): Promise<void> => {
    const entry = open.get(chore);
    open.delete(chore);
    await entry?.provider.close();
  };
  return {
    /** @throws RoomError as `factory.open` */
    async open(chore: string, asked: PoolConfig): Promise<Provider> {
      const { statuses } = deps.config();
      const config = { ...asked, statuses };
      const hash = `${configHashOf(config)} ${JSON.stringify(statuses)}`;
      const entry = open.get(chore);
      if (entry?.config === hash) return entry.provider;
      await forget(chore);
      const factory = await deps.factory(config.provider);
      const problems = factory.check(config);
      const [first] = problems;
      if (first) {
        const words = problems.map(({ message }) => message).join('; ');
        const hint = first.hint ?? first.expected ?? `mend chores/${chore}.md`;
        throw new RoomError('bad_input', `chores/${chore}.md: ${words}`, { hint });
      }
      const provider = await factory.open(config, deps.effects);
      open.set(chore, { config: hash, provider });
      return provider;
    },
    /** Closes the one of this chore: its credentials may be other ones next time. */
    forget,
    async close() {
      for (const chore of [...open.keys()]) await forget(chore);
    },
  };
}

const LONGEST_WAIT_MS = 600_000;

export interface Session {
  deps: SyncDeps;
  pool: ReturnType<typeof createProviderPool>;
  chore: MirrorChore;
  options: SyncOptions;
  signal: AbortSignal;
  single: boolean; // The work is about issues that were named: how that goes says little about the source.
}

type Work = (pass: SyncPass, source: SourceRow) => Promise<void>;

/** Runs `work` on the chore's source.
 * @returns the report, and the error that ended the work early
 * @throws RoomError `locked` when another process syncs the source, `interrupted` while waiting for it */
export async function withSource(session: Session, work: Work) {
  const { deps, chore, options, signal } = session;
  if (options.dryRun) return workOn(session, work);
  const lock = await takeSourceLock(deps.room, chore.name, {
    effects: deps.effects,
    signal,
    waitMs: options.wait ? LONGEST_WAIT_MS : 0,
    onWait: (who) => options.onProgress?.({ chore: chore.name, phase: 'waiting', done: 0, total: null, who }),
  });
  try {
    return await workOn(session, work);
  } finally {
    lock.release();
  }
}

async function workOn(session: Session, work: Work) {
  const { deps, pool, chore, options, signal } = session;
  const { mirror: config, name } = chore;
  const isDry = options.dryRun === true;
  const report = newReport(name, config, isDry);
  const source = readSource(deps, chore);
  if (!isDry) {
    if (deps.ledger.sources.get(name)?.config !== source.config) deps.ledger.sources.put(source);
    markDirtyForNewPush(deps, chore, source);
  }
  let pass: SyncPass | null = null;
  let before = { requests: 0, notModified: 0 };
  let failure: RoomError | null = null;
  try {
    if (options.newRoom && !isDry) becomeNewRoom(deps);
    assertNotResting(deps, source, options);
    if (!isDry) await deps.refresh();
    const factory = await deps.factory(config.provider);
    const provider = await pool.open(name, config);
    before = provider.usage();
    const { room: folder, ledger, effects } = deps;
    const room = isDry ? (readRoomId(folder, ledger) ?? '') : keepRoomId(folder, ledger, effects);
    pass = createPass({ deps, chore: name, room, config, factory, provider, options, signal, report });
    await work(pass, source);
    if (!isDry && !session.single) {
      const syncedAt = Math.trunc(effects.now());
      const well = { failures: 0, notBefore: null, error: null, services: servicesOf(pass) };
      ledger.sources.update(name, { syncedAt, ...well });
    }
  } catch (error) {
    if (!isRoomError(error)) throw error;
    // Wherever it was stopped.
    const isStopped = error.code === 'interrupted' && signal.aborted;
    failure = isStopped ? new RoomError('interrupted', 'the sync was stopped', { cause: error }) : error;
    const { code, message, hint = null } = failure;
    const restMs = restAfter(source, failure);
    report.error = { code, message, hint, ...(code === 'rate_limited' ? { retryAfterMs: restMs } : {}) };
    if (!isDry) await recordFailure(session, source, failure, restMs);
    if (code === 'unauthorized') await pool.forget(name);
  } finally {
    if (pass) await finish(pass, before);
    report.waiting = deps.ledger.outbox.count({ chore: name });
    if (!isDry) {
      const { requests, notModified, remaining, resetAt } = report;
      deps.ledger.sources.update(name, { usage: { requests, notModified, remaining, resetAt } });
    }
  }
  return { report, error: failure };
}

const newReport = (chore: string, { provider, source }: MirrorConfig, dryRun: boolean): SyncReport => ({
  ...{ chore, provider, source, dryRun, created: 0, updated: 0, pushed: 0, commentsIn: 0, commentsOut: 0 },
  ...{ conflicts: 0, detached: 0, skipped: [], plan: [], requests: 0, notModified: 0, remaining: null },
  ...{ resetAt: null, waiting: 0, error: null },
});

/** What the room this one was copied from said upstream is that room's: it is neither edited nor followed as ours. */
function becomeNewRoom({ room, ledger, effects }: SyncDeps): void {
  ledger.transaction(() => {
    for (const { task } of ledger.mirrors.list()) {
      const base = baseOf(ledger.mirrors.get(task)!);
      if (base !== null) ledger.mirrors.update(task, { base: packBase(withoutOwn(base)) });
    }
    renewRoomId(room, ledger, effects);
  });
}

/** The row of the chore's source; a listing of other things starts anew. */
function readSource(deps: SyncDeps, { name, mirror }: MirrorChore): SourceRow {
  const config = configHashOf(mirror);
  const row = deps.ledger.sources.get(name);
  if (row?.config === config) return row;
  const { provider, source } = mirror;
  const fresh = { push: null, cursor: null, fullAt: null, failures: 0, notBefore: null, error: null };
  const kept = { syncedAt: row?.syncedAt ?? null, services: null, usage: null };
  return { chore: name, provider, source, config, ...fresh, ...kept };
}

/** What `push:` did not name so far stands in files that nothing else would make sync look at. */
function markDirtyForNewPush({ ledger }: SyncDeps, { name, mirror }: MirrorChore, source: SourceRow): void {
  const { push, prefer, trust } = mirror;
  const now = hashOf(JSON.stringify([push, prefer, trust]));
  if (source.push === now) return;
  ledger.transaction(() => {
    ledger.choreMirrors.markDirty(name);
    ledger.sources.update(name, { push: now });
  });
}

// A longer wait than any that is recorded means that the clock was set back.
const LONGEST_REST_MS = 7_200_000;

/** @throws RoomError the last failure's code, while the source is to be left alone */
function assertNotResting({ effects }: SyncDeps, source: SourceRow, options: SyncOptions): void {
  const { notBefore, error } = source;
  const restMs = (notBefore ?? 0) - effects.now();
  if (restMs <= 0 || restMs > LONGEST_REST_MS || options.force || !error) return;
  if (options.byPerson && error.code !== 'rate_limited') return;
  const hint = error.hint === null ? {} : { hint: error.hint };
  const message = `left alone until ${new Date(notBefore!).toISOString()}: ${error.message}`;
  throw new RoomError(error.code, message, { retryAfterMs: restMs, ...hint });
}

const MENDED_WITHIN_MS = 300_000;
const OF_SOURCE: ReadonlySet<ErrorCode> = new Set(['unavailable', 'rate_limited', 'unauthorized']);

/** How long the source is left alone. What a person has to mend is looked at again soon after they did. */
function restAfter({ failures }: SourceRow, { code, retryAfterMs, message }: RoomError): number {
  if (retryAfterMs !== undefined && isStillResting(message)) return retryAfterMs;
  const waitMs = backoffMs(failures + 1, retryAfterMs);
  return code === 'unavailable' || retryAfterMs !== undefined ? waitMs : Math.min(waitMs, MENDED_WITHIN_MS);
}

const isStillResting = (message: string): boolean => message.startsWith('left alone until');

async function recordFailure(session: Session, source: SourceRow, error: RoomError, restMs: number) {
  const { deps, chore } = session;
  const { sources } = deps.ledger;
  // Stopped, or still resting: nothing new is known.
  if (error.code === 'interrupted' || isStillResting(error.message)) return;
  if (session.single && !OF_SOURCE.has(error.code)) return;
  // A shell without the token must not make the daemon, which has it, leave the source alone.
  if (error.code === 'unauthorized' && deps.isGuest?.() === true) return;
  const failures = source.failures + 1;
  const notBefore = Math.trunc(deps.effects.now() + restMs);
  const fault = { code: error.code, message: error.message, hint: error.hint ?? null };
  sources.update(chore.name, { failures, notBefore, error: fault });
  try {
    const factory = await deps.factory(chore.mirror.provider);
    const services = await servicesWithout(deps, factory, chore.mirror, error);
    if (services) sources.update(chore.name, { services });
  } catch (unknown) {
    // A provider nobody knows: the error says so already.
    if (!isRoomError(unknown)) throw unknown;
  }
}

async function finish(pass: SyncPass, before: Pick<SyncReport, 'requests' | 'notModified'>): Promise<void> {
  const { report, provider, deps, written } = pass;
  const { requests, notModified, ...budget } = provider.usage();
  const used = { requests: requests - before.requests, notModified: notModified - before.notModified };
  Object.assign(report, used, budget);
  if (pass.isDry) return;
  if (written.size > 0) await deps.announce([...written]);
  if (!pass.mirrorsChanged) return;
  const { room, ledger, effects } = deps;
  const aside = ledger.transaction(() => writeMirrorsFile(room, effects, ledger.mirrors.list()));
  if (aside === null) return;
  const why = `it could not be read and was written anew; as it was it lies in ${aside}`;
  pass.skip({ ref: null, task: null, what: 'task_mirrors.json', why });
}
