// Writing upstream, each write exactly once: the intent is durable before the call, and goes with the record of the
// answer in one commit. A row that is found later says that its write may have happened.
import { type ErrorCode, isRoomError, type RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { Attempt, Profile } from '../../providers/provider.ts';
import type { OutboxKind, OutboxRow } from '../../store/ledger/mirrors/outbox.ts';
import { backoffMs, type SyncDeps, type SyncOptions, type SyncPass } from '../sync-pass.ts';

/** What of a sync a write needs; `chore` is '' where it belongs to none. */
export interface Sender extends Pick<SyncPass, 'chore' | 'probe' | 'resetFaults'> {
  deps: Pick<SyncDeps, 'ledger' | 'effects'>;
  config: { provider: string };
  provider: { profile: Pick<Profile, 'remote'> };
  options: Pick<SyncOptions, 'byPerson' | 'force'>;
}

export interface Intent<P> {
  kind: OutboxKind;
  task: TaskId;
  key: string;
  payload: P;
  doubted?: boolean; // Nothing is known of what was sent before (a lost ledger): it may be there already.
}

export type SendResult<R> =
  /** `stale`: an earlier intent with this key was sent in place of this one. */
  | { outcome: 'sent'; result: R; stale: boolean }
  /** Waits for its time after an earlier try; `inDoubt` is what that try may have made. */
  | { outcome: 'waiting'; until: number; inDoubt: boolean }
  | { outcome: 'gone' | 'conflict' | 'refused'; error: RoomError };

/** Carries out one intent.
 * @param call gets what is durable: of an earlier intent with the same key when there is one
 * @param record joins the commit that takes the intent away
 * @throws RoomError of a tracker that fails; the intent stays, and is taken up by a later sync */
export async function send<P, R>(
  pass: Sender,
  intent: Intent<P>,
  call: (payload: P, attempt: Attempt) => Promise<R>,
  record: (payload: P, result: R) => void,
): Promise<SendResult<R>> {
  const { ledger, effects } = pass.deps;
  const { kind, task, key } = intent;
  const known = ledger.outbox.first({ key: key });
  const until = known === null ? 0 : mayTryAt(pass, known);
  if (known !== null && until > effects.now())
    return { outcome: 'waiting', until, inDoubt: shownAt(pass, known) > effects.now() };
  const text = JSON.stringify(intent.payload);
  const by = { provider: pass.config.provider, chore: pass.chore, at: effects.now() };
  const row = ledger.outbox.begin({ ...by, task, kind, key, payload: text });
  pass.probe('intended');
  const payload = row.payload === text ? intent.payload : (JSON.parse(row.payload) as P);
  try {
    const result = await call(payload, { key, tries: intent.doubted ? Math.max(1, row.tries) : row.tries });
    pass.probe('called');
    ledger.transaction(() => {
      record(payload, result);
      ledger.outbox.delete(row.id);
    });
    pass.resetFaults();
    pass.probe('recorded');
    return { outcome: 'sent', result, stale: row.payload !== text };
  } catch (error) {
    if (!isRoomError(error)) throw error;
    const outcome = REFUSALS[error.code];
    if (outcome !== undefined) {
      ledger.outbox.delete(row.id);
      return { outcome, error };
    }
    const now = Math.trunc(effects.now());
    const notBefore = Math.trunc(now + backoffMs(row.tries + 1, error.retryAfterMs));
    const doubtedAt = DID_NOTHING.has(error.code) ? null : now;
    ledger.outbox.update(row.id, { notBefore, doubtedAt, lastError: error.message });
    throw error;
  }
}

/** What the tracker's refusal means for this one write; after any other failure the write may have happened. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, 'gone' | 'conflict' | 'refused'>>> = {
  gone: 'gone',
  conflict: 'conflict',
  refused: 'refused',
  bad_input: 'refused',
  not_allowed: 'refused',
};

// A tracker is read from copies that may be so long behind a write: what one of them lacks may be there.
const COPIES_BEHIND_MS = 20_000;
const DID_NOTHING: ReadonlySet<string> = new Set(['rate_limited', 'unauthorized', 'not_found']);

/** When an intent of earlier may be tried again, epoch ms. Who asks need not wait as long as a failure would, but for the
 * answer to whether an earlier try made something: asked too early, it would be made twice. */
export function mayTryAt(pass: Sender, row: OutboxRow): number {
  const { byPerson, force } = pass.options;
  if (force === true) return 0;
  return Math.max(byPerson === true ? 0 : (row.notBefore ?? 0), shownAt(pass, row));
}

/** When the tracker shows for sure what an earlier try made, epoch ms; 0 where it may be tried without a look. */
function shownAt({ deps, provider }: Sender, { kind, doubtedAt }: OutboxRow): number {
  const makes = provider.profile.remote && ['comment', 'create', 'reply'].includes(kind);
  return makes && doubtedAt !== null && doubtedAt <= deps.effects.now() ? doubtedAt + COPIES_BEHIND_MS : 0;
}

export const waitingReason = (until: number): string =>
  `an earlier try failed, or its answer was lost: it is looked up and tried again after ${new Date(until).toISOString()}`;
