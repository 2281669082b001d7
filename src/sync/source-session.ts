// Around every piece of work on a source: its lock, what changed on disk taken in, the provider opened; afterwards the
// written files announced, task_mirrors.json brought up to date, and how it went recorded. One source's failure stays its own.
import { type ErrorCode, isRoomError, RoomError } from '../core/errors.ts';
import type { Provider } from '../providers/provider.ts';
import { writeMirrorsFile } from '../store/files/mirrors-file.ts';
import { keepRoomId, readRoomId, renewRoomId } from '../store/files/room-id.ts';
import type { SourceRow } from '../store/ledger/mirrors/sources.ts';
import { takeSourceLock } from '../store/lock/locks.ts';
import type { SyncDeps, SyncOptions, SyncReport } from './contract.ts';
import { secretsIn, servicesOf, servicesWithout } from './mirror-services.ts';
import { baseOf, packBase, withoutOwn } from './plan/base.ts';
import { hashOf } from './plan/keys.ts';
import { configHashOf, type MirrorChore, type ProviderPool } from './provider-pool.ts';
import { backoffMs, isDry, newReport, type SyncPass, skip } from './sync-pass.ts';

const LONGEST_WAIT_MS = 600_000;

export interface Session {
  deps: SyncDeps;
  pool: ProviderPool;
  chore: MirrorChore;
  options: SyncOptions;
  signal: AbortSignal;
  /** The work is about issues that were named: how that goes says little about the source. */
  single?: boolean;
}

type Work = (pass: SyncPass, source: SourceRow) => Promise<void>;

/**
 * Runs `work` on the chore's source.
 * @returns the report, with the error that ended the work early
 * @throws RoomError `locked` when another process syncs the source, `interrupted` while waiting for it
 */
export async function withSource(session: Session, work: Work): Promise<SyncReport> {
  const { deps, chore, options, signal } = session;
  const dry = options.dryRun === true;
  const lock = dry
    ? null
    : await takeSourceLock(deps.room, chore.name, {
        effects: deps.effects,
        signal,
        waitMs: options.wait ? LONGEST_WAIT_MS : 0,
        onWait: (who) =>
          options.onProgress?.({ chore: chore.name, phase: 'waiting', done: 0, total: null, who }),
      });
  try {
    return await workOn(session, work);
  } finally {
    lock?.release();
  }
}

async function workOn(session: Session, work: Work): Promise<SyncReport> {
  const { deps, pool, chore, options, signal } = session;
  const { mirror: config, name } = chore;
  const report = newReport(name, config, options.dryRun === true);
  const source = readSource(deps, chore);
  if (!options.dryRun && deps.ledger.sources.get(name)?.config !== source.config)
    deps.ledger.sources.put(source);
  if (!options.dryRun) markDirtyForNewPush(deps, chore, source);
  let provider: Provider | null = null;
  let pass: SyncPass | null = null;
  let before = { requests: 0, notModified: 0 };
  try {
    if (options.newRoom && !options.dryRun) becomeNewRoom(deps);
    assertNotResting(deps, source, options);
    if (!options.dryRun) await deps.refresh();
    const factory = await deps.factory(config.provider);
    provider = await pool.open(name, config);
    before = provider.usage();
    pass = {
      deps,
      chore: name,
      room: options.dryRun
        ? (readRoomId(deps.room, deps.ledger) ?? '')
        : keepRoomId(deps.room, deps.ledger, deps.effects),
      config,
      factory,
      provider,
      options,
      signal,
      report,
      written: new Set(),
      faults: 0,
      mirrorsChanged: false,
    };
    await work(pass, source);
    if (!options.dryRun && !session.single) recordSuccess(pass);
  } catch (error) {
    if (!isRoomError(error)) throw error;
    const { code, message, hint = null } = error;
    const restMs = restAfter(source, error);
    report.error = { code, message, hint, ...(code === 'rate_limited' ? { retryAfterMs: restMs } : {}) };
    if (!options.dryRun) await recordFailure(session, source, error, restMs);
    if (error.code === 'unauthorized') await pool.forget(name);
  } finally {
    if (pass) await finish(pass);
    if (provider) addUsage(report, provider, before);
    report.waiting = deps.ledger.outbox.count(name);
    if (!options.dryRun) {
      const { requests, notModified, remaining, resetAt } = report;
      deps.ledger.sources.update(name, { usage: { requests, notModified, remaining, resetAt } });
    }
  }
  return report;
}

/** What the room this one was copied from said upstream is that room's: it is neither edited nor followed as ours. */
function becomeNewRoom({ room, ledger, effects }: SyncDeps): void {
  ledger.transaction(() => {
    for (const { task } of ledger.mirrors.list()) {
      const base = baseOf(ledger.mirrors.byTask(task)!);
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
  if (options.asked && error.code !== 'rate_limited') return;
  throw new RoomError(
    error.code,
    `left alone until ${new Date(notBefore!).toISOString()}: ${error.message}`,
    {
      retryAfterMs: restMs,
      ...(error.hint === null ? {} : { hint: error.hint }),
    },
  );
}

function recordSuccess(pass: SyncPass): void {
  const { deps, chore, config, provider } = pass;
  deps.ledger.sources.update(chore, {
    syncedAt: Math.trunc(deps.effects.now()),
    failures: 0,
    notBefore: null,
    error: null,
    services: servicesOf(chore, config, provider, secretsIn(pass.factory, deps.effects.env)),
  });
}

const MENDED_WITHIN_MS = 300_000;
const OF_SOURCE: ReadonlySet<ErrorCode> = new Set(['unavailable', 'rate_limited', 'unauthorized']);

/** How long the source is left alone. What a person has to mend is looked at again soon after they did. */
function restAfter({ failures }: SourceRow, { code, retryAfterMs, message }: RoomError): number {
  if (retryAfterMs !== undefined && isStillResting(message)) return retryAfterMs;
  const waitMs = backoffMs(failures + 1, retryAfterMs);
  return code === 'unavailable' || retryAfterMs !== undefined ? waitMs : Math.min(waitMs, MENDED_WITHIN_MS);
}

function isStillResting(message: string): boolean {
  return message.startsWith('left alone until');
}

async function recordFailure(
  session: Session,
  source: SourceRow,
  error: RoomError,
  restMs: number,
): Promise<void> {
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

async function finish(pass: SyncPass): Promise<void> {
  if (isDry(pass)) return;
  const { deps, written } = pass;
  if (written.size > 0) await deps.announce([...written]);
  written.clear();
  if (pass.mirrorsChanged) saveMirrors(pass);
}

/** Writes task_mirrors.json from the ledger. */
function saveMirrors(pass: SyncPass): void {
  const { room, ledger, effects } = pass.deps;
  const aside = ledger.transaction(() => writeMirrorsFile(room, effects, ledger.mirrors.list()));
  if (aside === null) return;
  const why = `it could not be read and was written anew; as it was it lies in ${aside}`;
  skip(pass, { ref: null, task: null, what: 'task_mirrors.json', why });
}

function addUsage(
  report: SyncReport,
  provider: Provider,
  before: { requests: number; notModified: number },
): void {
  const { requests, notModified, remaining, resetAt } = provider.usage();
  report.requests = requests - before.requests;
  report.notModified = notModified - before.notModified;
  Object.assign(report, { remaining, resetAt });
}
