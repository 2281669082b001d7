// Brings what agents told the person into the log, and out by the ways that room.yaml names. What could not be sent is
// tried again later and later; after a few times it stands in the ledger with the reason.

import { retryDelayMs } from '../../core/rules/backoff.ts';
import { sleep } from '../../effects.ts';
import type { Notice } from '../../store/ledger/turns/notices.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { type Alarm, LONGEST_WAIT_MS } from '../alarm.ts';
import type { Base } from '../base.ts';
import type { PulseDependencies } from '../ports.ts';

interface NoticesOptions extends Pick<Base, 'deps' | 'idle' | 'onTrouble'> {
  alarm: Alarm;
  /** Sends one by every way there is. Rejects when one of them failed. */
  send: PulseDependencies['sendNotice'];
}

export type Notices = ReturnType<typeof createNotices>;

const MOST_TRIES = 5;
const STOP_WAIT_MS = 5_000;

export function createNotices(options: NoticesOptions) {
  const { deps, alarm, idle, onTrouble } = options;
  const { ledger, events, effects } = deps;
  const over = new AbortController();
  let sending: Promise<void> | null = null;
  let again = false;

  /** Something may have been told. */
  function look(): void {
    try {
      ledger.notices.takeNew().forEach(tell);
    } catch (error) {
      return onTrouble(error);
    }
    again = true;
    sending ??= sendAll()
      .catch(onTrouble)
      .finally(() => {
        sending = null;
        idle.check();
      });
  }

  function tell({ task, author, text }: Notice): void {
    const name = nameOf(deps, task) ?? '';
    events.emit({ type: 'person.notified', id: task, name, author, text });
  }

  async function sendAll(): Promise<void> {
    while (again) {
      again = false;
      // Where one could not be sent the next can't either.
      for (const notice of ledger.notices.due(effects.now()))
        if (!(await sendOne(options, notice, over.signal))) break;
    }
    const next = over.signal.aborted ? null : ledger.notices.nextAt();
    if (next !== null) alarm.set(Math.min(Math.max(next - effects.now(), 0), LONGEST_WAIT_MS), look);
  }

  return {
    look,
    /** True while something is sent. */
    isBusy: (): boolean => sending !== null,
    /** Sends what there is, and waits a moment for it. */
    async stop(): Promise<void> {
      look();
      alarm.close();
      const rest = new AbortController();
      // What is not out by then goes out at the next start.
      await Promise.race([sending, sleep(effects, STOP_WAIT_MS, rest.signal)]);
      rest.abort();
      over.abort();
    },
  };
}

/** Sends one and records how that went, unless it is over by then; resolves with whether the ways work. */
async function sendOne(
  { deps, send, onTrouble }: NoticesOptions,
  notice: Notice,
  over: AbortSignal,
): Promise<boolean> {
  const { ledger, effects } = deps;
  const { seq, task, tries } = notice;
  const { command, webhook, on } = deps.config().notify;
  // Told of in the log alone: a way that is named tomorrow is not flooded with what was told today.
  const isWanted = notice.kind !== 'notice' || on.includes('notice');
  if ((command === null && webhook === null) || !isWanted) {
    ledger.notices.keep(seq);
    return true;
  }
  try {
    await send({ ...notice, name: nameOf(deps, task) });
    if (over.aborted) return false;
    ledger.notices.sent(seq, effects.now());
    return true;
  } catch (error) {
    if (over.aborted) return false;
    const delay = retryDelayMs(tries + 1, effects.randomBytes(1)[0]! / 256);
    const isLast = tries + 1 >= MOST_TRIES;
    ledger.notices.failed(seq, (error as Error).message, isLast ? null : effects.now() + delay);
    if (isLast) onTrouble(error);
    return false;
  }
}

function nameOf({ ledger }: TaskRoom, task: Notice['task']): string | null {
  return task === null ? null : (ledger.tasks.get(task)?.name ?? null);
}
