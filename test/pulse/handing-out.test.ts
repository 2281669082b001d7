import { join } from 'node:path';
import { type TaskId, type TurnId, threadOfTask } from '../../src/core/ids.ts';
import { createNodeEffects } from '../../src/node.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import { type Handed, type HandingOut, workQueueConformance } from '../conformance/work-queue.ts';
import { ENDED_WELL, queueOf } from '../support/ledger-queue.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NOTHING_FULL = { fullOrigins: [], fullAgents: [], busyThreads: [] } as const;

/** The embedded queue as whoever hands its requests out sees it. */
function handOut(ledger: ReturnType<typeof openLedger>): HandingOut {
  const queue = queueOf(ledger);
  let asked = 0;
  const begin = (): Handed | null => {
    const request = queue.next(NOTHING_FULL);
    if (request === null) return null;
    const { thread, origin, agent, reasons, outside, askedAt } = request;
    asked += 1;
    const id = `b${String(asked).padStart(8, 'x')}` as TurnId;
    const begun = { runner: 'command', attempt: 1, revision: 'r', description: '', startedAt: 1 } as const;
    queue.begin({ id, thread, origin, agent, reasons, outside, askedAt, ...begun });
    return { id, thread: thread.replace('task:local:', ''), attempt: 0 };
  };
  return {
    async send(_id, thread, priority) {
      asked += 1;
      const about = { thread: threadOfTask(thread as TaskId), origin: 'task', agent: 'runbook' } as const;
      const how = { priority: 9 - priority, askedAt: asked, forced: false, outside: true };
      queue.ask({ ...about, ...how, reasons: ['new'] });
    },
    fetch: async (most) => {
      const turns: Handed[] = [];
      for (let next = most > 0 ? begin() : null; next !== null; next = turns.length < most ? begin() : null)
        turns.push(next);
      return turns;
    },
    complete: async ({ id }) => queue.end(id as TurnId, { ...ENDED_WELL, endedAt: 2 }, () => {}),
    cancel: async ({ thread }) => void queue.drop(threadOfTask(thread as TaskId)),
  };
}

workQueueConformance('by the ledger, in this process', async () => {
  const dir = tempFolder('taskroom-queue');
  const ledgers = [openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() })];
  return {
    ...handOut(ledgers[0]!),
    async reopen() {
      ledgers.push(openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() }));
      return handOut(ledgers[1]!);
    },
    async close() {
      for (const ledger of ledgers) ledger.close();
    },
  };
});
