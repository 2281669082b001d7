// The stations of the loop, made from the last to the first, so that each gets those below it and no others. The way of a change, downward:
//
//   watch/     a file event, or a rescan, names a dirty path
//   observe/   the path is read at rest; what it says now is recorded as an observation
//              and what an observation leads to: turns are stopped, tasks become dirty (createReact)
//   due/       once edits are quiet, the core says which of them are due, and those become requests on record
//   schedule/  the best request that may start becomes a running turn; what a dead runtime left running is recovered
//   turn/      the turn of a task, a chore or a summary is prepared, run and finished: its end is on record then
//   sync/      what changed here goes upstream, and what webhooks told of is fetched
//
// Nobody calls upward: whoever wants a look pushes a key (state/loop.ts). timers/ does what time asks for. pulse.ts starts
// and stops all of it in order.
import { createChores } from '../chores/chores.ts';
import type { Chore } from '../core/chore/chore.ts';
import { newTurnId, summaryOfThread, type ThreadId, taskOfThread, threadOfChore } from '../core/ids.ts';
import type { Wake } from '../core/rules/decide.ts';
import { createDue } from './due/due.ts';
import { createSummaries } from './due/summaries.ts';
import { createNotices } from './notify/notices.ts';
import { createObserve, createReact } from './observe/observe.ts';
import { createAgentWaits, createScheduler, type Scheduler } from './schedule/scheduler.ts';
import type { Loop } from './state/loop.ts';
import { createPullLooks, createUpstreamPushes, createWebhookNews, syncChore } from './sync/source-syncs.ts';
import { createArtifactLooks } from './timers/timed-work.ts';
import { createTurns } from './turn/turns.ts';

export type Stations = ReturnType<typeof createStations>;

export function createStations(loop: Loop) {
  const { deps, dirtyTasks, mode } = loop;
  /** What a sync wrote is taken in before a loop that ends by itself may end. */
  async function onSynced(): Promise<void> {
    if (mode.once || mode.exitWhenIdle) await observe.rescan();
  }
  function turnOver(thread: ThreadId, ran: boolean): void {
    const task = taskOfThread(thread);
    if (task !== null) {
      if (!ran) dirtyTasks.push(task, 'no_turn');
      for (const id of [task, ...deps.ledger.makers.openTasksOf(thread)]) dirtyTasks.push(id);
      void summaries.look(task);
    } else if (summaryOfThread(thread) === null) chores.turnOver();
    if (task !== null) pulls.lookAt(task);
    pushes.look();
    waits.look();
    due.waitForRetry();
    loop.checkIdle();
  }
  const turns = createTurns(loop);
  const scheduler = createScheduler(loop, { turns, turnOver, spends: () => waits.look() });
  const waits = createAgentWaits(loop, scheduler.startTurns);
  const summaries = createSummaries(loop, scheduler);
  const chores = createChoreRuns(loop, scheduler, onSynced);
  const pushes = createUpstreamPushes(loop, onSynced);
  const pulls = createPullLooks(loop, onSynced);
  const due = createDue(loop, scheduler);
  const { carryOut } = createReact(loop, pushes);
  const observe = createObserve(loop);
  return {
    ...{ turns, scheduler, waits, summaries, chores, pushes, pulls, due, carryOut, observe },
    webhookNews: createWebhookNews(loop, onSynced),
    notices: createNotices(loop),
    artifacts: createArtifactLooks(loop, onSynced),
  };
}

const CHORE_PRIORITY = 1;

/** The chores of a running room: what is due becomes a sync, or a request like any other. */
function createChoreRuns(loop: Loop, scheduler: Scheduler, onSynced: () => Promise<void>) {
  const { deps, known, active, onTrouble } = loop;
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
    once: loop.mode.once,
    // It counts as running until what it wrote was taken in.
    syncChore: ({ name }, signal) => syncChore(loop, name, signal).finally(onSynced),
    stopTurn(name, reason) {
      const thread = threadOfChore(name);
      if (requests.delete(thread)) chores.update(name, { endedAt: deps.effects.now() });
      active.stop(thread, reason);
    },
    onChange() {
      scheduler.startTurns();
      loop.busyAgain();
    },
  });
}
