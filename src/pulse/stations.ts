// The stations of the loop, made from the last to the first, so that each gets those below it and no others. The way of a
// change, downward:
//
//   watch/     a file event, or a rescan, names a dirty path
//   observe/   the path is read at rest; what it says now is recorded as an observation
//   react      an observation stops turns and names dirty tasks
//   due/       once edits are quiet, the core says which of them are due, and those become requests on record
//   schedule/  the best request that may start becomes a running turn; what a dead runtime left running is recovered
//   turn/      the turn of a task, a chore or a summary is driven from its start to its end on record
//   sync/      what changed here goes upstream, and what webhooks told of is fetched
//
// Nobody calls upward: whoever wants a look pushes a key (dirty-keys.ts). timed/ does what time asks for. Starting and
// stopping all of it in order is pulse.ts's.
import { createChores } from '../chores/chores.ts';
import type { Chore } from '../core/chore/chore.ts';
import { newTurnId, summaryOfThread, type ThreadId, taskOfThread, threadOfChore } from '../core/ids.ts';
import type { Wake } from '../core/rules/decide.ts';
import type { Base } from './base.ts';
import { createDue } from './due/due.ts';
import { createNotices } from './notify/notices.ts';
import { createObserve } from './observe/observe.ts';
import { createReact } from './react.ts';
import { createAgentWaits, createScheduler, type Scheduler } from './schedule/scheduler.ts';
import { createUpstreamPushes, createWebhookNews } from './sync/source-syncs.ts';
import { createArtifactLooks } from './timers/artifact-looks.ts';
import { createSummaries } from './turn/summary-turn.ts';
import { createTurns } from './turn/turns.ts';

export type Stations = ReturnType<typeof createStations>;

export function createStations(base: Base) {
  const { deps, dirtyTasks, mode } = base;
  /** What a sync wrote is taken in before a loop that ends by itself may end. */
  async function onSynced(): Promise<void> {
    if (mode.once || mode.exitWhenIdle) await observe.rescan();
  }
  function turnOver(thread: ThreadId, ran: boolean): void {
    const task = taskOfThread(thread);
    if (task !== null) {
      if (!ran) due.cameToNothing(task);
      for (const id of [task, ...deps.ledger.makers.openTasksOf(thread)]) dirtyTasks.push(id);
      void summaries.look(task);
    } else if (summaryOfThread(thread) === null) chores.turnOver();
    pushes.look();
    waits.look();
    due.waitForRetry();
    base.checkIdle();
  }
  const turns = createTurns(base);
  const scheduler = createScheduler(base, { turns, turnOver, spends: () => waits.look() });
  const waits = createAgentWaits(base, scheduler);
  const summaries = createSummaries(base, scheduler);
  const chores = createChoreRuns(base, scheduler, onSynced);
  const pushes = createUpstreamPushes(base, onSynced);
  const due = createDue(base, scheduler);
  const { carryOut } = createReact(base, { due, pushes });
  const observe = createObserve(base);
  return {
    ...{ turns, scheduler, waits, summaries, chores, pushes, due, carryOut, observe },
    webhookNews: createWebhookNews(base, onSynced),
    notices: createNotices(base),
    artifacts: createArtifactLooks(base, onSynced),
  };
}

const CHORE_PRIORITY = 1;

/** The chores of a running room: what is due becomes a sync, or a request like any other. */
function createChoreRuns(base: Base, scheduler: Scheduler, onSynced: () => Promise<void>) {
  const { deps, known, active, onTrouble } = base;
  const { requests, chores } = deps.ledger;
  function askTurn({ name, owner }: Chore, reason: Wake): void {
    requests.add({
      id: newTurnId('chore', deps.effects.randomBytes),
      ...{ thread: threadOfChore(name), origin: 'chore', agent: owner ?? deps.config().defaultAgent },
      ...{ reasons: [reason], priority: CHORE_PRIORITY, forced: false, outside: reason === 'run' },
      askedAt: deps.effects.now(),
    });
  }
  return createChores({
    ...{ deps, known, onTrouble, askTurn },
    once: base.mode.once,
    // It counts as running until what it wrote was taken in.
    syncChore: (chore, signal) => base.syncChore(chore, signal).finally(onSynced),
    stopTurn(name, reason) {
      const thread = threadOfChore(name);
      if (requests.delete(thread)) chores.update(name, { endedAt: deps.effects.now() });
      active.stop(thread, reason);
    },
    onChange() {
      base.busyAgain();
      scheduler.requested();
      base.checkIdle();
    },
  });
}
