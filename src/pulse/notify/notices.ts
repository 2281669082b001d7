// Brings what agents told the person, and what is new in the inbox, into the log, and out by the ways that room.yaml names. Each is on
// record once. What could not be sent is tried again later and later; after a few times it stands in the ledger with the reason.
import type { RoomEventType } from '../../core/events.ts';
import { createRounds } from '../../core/keyed-mutex.ts';
import { retryDelayMs } from '../../core/rules/waits.ts';
import { sleep } from '../../effects.ts';
import type { Notice } from '../../store/ledger/turns/notices.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Loop } from '../state/loop.ts';
import { LONGEST_WAIT_MS } from '../state/work.ts';

const MOST_TRIES = 5;
const STOP_WAIT_MS = 5_000;
const INBOX_REST_MS = 1_000; // What happens together is looked at once.

const MAY_NEED_PERSON: ReadonlySet<RoomEventType> = new Set<RoomEventType>([
  'room.ready',
  'room.trouble',
  'room.mended',
  'question.asked',
  'question.answered',
  'question.withdrawn',
  'task.paused',
  'task.resumed',
  'task.invalid',
  'task.mended',
  'task.waiting',
  'tasks.held',
  'mirror.conflict',
  'mirror.settled',
  'mirror.paused',
  'mirror.detached',
  'chore.failed',
]);

export function createNotices(loop: Loop) {
  const { deps, timers, onTrouble } = loop;
  const { ledger, events, effects } = deps;
  const over = new AbortController();
  const rounds = createRounds(() => loop.during(sendAll));
  const inbox = createInboxLooks(loop, look);
  let isStopped = false;

  function look(): void {
    try {
      for (const { task, author, text } of ledger.notices.takeNew())
        events.emit({ type: 'person.notified', id: task, name: nameOf(deps, task) ?? '', author, text });
    } catch (error) {
      return onTrouble(error);
    }
    rounds.ask().catch(onTrouble);
  }

  async function sendAll(): Promise<void> {
    // Where one could not be sent the next can't either.
    for (const notice of ledger.notices.due(effects.now()))
      if (!(await sendOne(loop, notice, over.signal))) break;
    const next = over.signal.aborted ? null : ledger.notices.nextAt();
    if (next !== null && !isStopped)
      timers.set('notices', Math.min(Math.max(next - effects.now(), 0), LONGEST_WAIT_MS), look);
  }

  return {
    look,
    /** Looks a last time, sends what there is, and waits a moment for it. */
    async stop(): Promise<void> {
      isStopped = true;
      await inbox.stop();
      look();
      timers.cancel('notices');
      const rest = new AbortController();
      // What is not out by then goes out at the next start.
      await Promise.race([rounds.settled(), sleep(effects, STOP_WAIT_MS, rest.signal)]);
      rest.abort();
      over.abort();
    },
  };
}

/** Takes in what is new in the inbox, soon after something happened that may need the person. */
function createInboxLooks({ deps, tasks, timers, onTrouble }: Loop, onNews: () => void) {
  const { ledger, events, effects, config } = deps;

  async function look(): Promise<void> {
    try {
      const { inbox } = await tasks.call('inbox', {}, { kind: 'person' }, true);
      const { on } = config().notify;
      const isChosen = (kind: string) => (on as readonly string[]).includes(kind);
      if (ledger.notices.takeIn(inbox, effects.now(), isChosen) > 0) onNews();
    } catch (error) {
      onTrouble(error);
    }
  }

  const unsubscribe = events.subscribe(({ type }) => {
    if (MAY_NEED_PERSON.has(type) && !timers.waiting.has('inbox')) timers.set('inbox', INBOX_REST_MS, look);
  });

  return {
    /** Looks a last time; what is new is on record when it resolves. */
    async stop(): Promise<void> {
      unsubscribe();
      if (!timers.waiting.has('inbox')) return;
      timers.cancel('inbox');
      await look();
    },
  };
}

/** Sends one and records how that went, unless it is over by then; resolves with whether the ways work. */
async function sendOne({ deps, sendNotice, onTrouble }: Loop, notice: Notice, over: AbortSignal) {
  const { ledger, effects } = deps;
  const { seq, task, tries } = notice;
  const { command, webhook, on } = deps.config().notify;
  // Told of in the log alone: a way that is named tomorrow is not flooded with what was told today.
  const isWanted = notice.kind !== 'notice' || on.includes('notice');
  if ((command === null && webhook === null) || !isWanted) {
    ledger.notices.update(seq, { notBefore: null });
    return true;
  }
  try {
    await sendNotice({ ...notice, name: nameOf(deps, task) });
    if (over.aborted) return false;
    ledger.notices.update(seq, { sentAt: effects.now(), lastError: null });
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

const nameOf = ({ ledger }: TaskRoom, task: Notice['task']): string | null =>
  task === null ? null : (ledger.tasks.get(task)?.name ?? null);
