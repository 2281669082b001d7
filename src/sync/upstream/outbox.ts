// Writing upstream, each write exactly once: the intent is durable before the call, and goes with the record of the
// answer in one commit. A row that is found later says that its write may have happened.
import type { RoomError } from '../../core/errors.ts';
import { isRoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { Attempt } from '../../providers/provider.ts';
import type { OutboxKind } from '../../store/ledger/mirrors/outbox.ts';
import { backoffMs, probe, type SyncPass } from '../sync-pass.ts';

export interface Intent<P> {
  kind: OutboxKind;
  task: TaskId;
  key: string;
  payload: P;
  /** Nothing is known of what was sent before (a lost ledger): it may be there already. */
  doubted?: boolean;
}

export type Sent<R> =
  | {
      outcome: 'sent';
      result: R /** An earlier intent with this key was sent in place of this one. */;
      stale: boolean;
    }
  /** Waits for its time after an earlier failure. */
  | { outcome: 'waiting'; until: number }
  | { outcome: 'gone' | 'conflict' | 'refused'; error: RoomError };

/**
 * Carries out one intent.
 * @param call gets what is durable: of an earlier intent with the same key when there is one
 * @param record joins the commit that takes the intent away
 * @throws RoomError of a tracker that fails; the intent stays, and is taken up by a later sync
 */
export async function send<P, R>(
  pass: SyncPass,
  intent: Intent<P>,
  call: (payload: P, attempt: Attempt) => Promise<R>,
  record: (payload: P, result: R) => void,
): Promise<Sent<R>> {
  const { ledger, effects } = pass.deps;
  const { kind, task, key } = intent;
  const known = ledger.outbox.byKey(key);
  const until = known?.notBefore ?? 0;
  const isAsked = pass.options.force === true || pass.options.asked === true;
  if (until > effects.now() && !isAsked) return { outcome: 'waiting', until };
  const text = JSON.stringify(intent.payload);
  const { provider } = pass.config;
  const row = ledger.outbox.begin({
    provider,
    chore: pass.chore,
    task,
    kind,
    key,
    payload: text,
    at: effects.now(),
  });
  probe(pass, 'intended');
  const payload = row.payload === text ? intent.payload : (JSON.parse(row.payload) as P);
  try {
    const result = await call(payload, { key, tries: intent.doubted ? Math.max(1, row.tries) : row.tries });
    probe(pass, 'called');
    ledger.transaction(() => {
      record(payload, result);
      ledger.outbox.delete(row.id);
    });
    pass.faults = 0;
    probe(pass, 'recorded');
    return { outcome: 'sent', result, stale: row.payload !== text };
  } catch (error) {
    if (!isRoomError(error)) throw error;
    const outcome = outcomeOf(error);
    if (outcome === null) {
      const waitMs = backoffMs(row.tries + 1, error.retryAfterMs);
      ledger.outbox.postpone(row.id, Math.trunc(effects.now() + waitMs), error.message);
      throw error;
    }
    ledger.outbox.delete(row.id);
    return { outcome, error };
  }
}

/** What the tracker's refusal means for this one write; null for a failure after which the write may have happened. */
function outcomeOf({ code }: RoomError): 'gone' | 'conflict' | 'refused' | null {
  if (code === 'gone' || code === 'conflict') return code;
  return code === 'refused' || code === 'bad_input' || code === 'not_allowed' ? 'refused' : null;
}
