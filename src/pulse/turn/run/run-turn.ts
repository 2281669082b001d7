// The run of a turn's agent: its bridge is open before it starts, what its runner reports on its way is recorded, and what the agent does
// to its task goes through the services made here.
import type { Runner, TurnServices } from '../../../agents/runner.ts';
import type { Access } from '../../../core/config/agent-config.ts';
import { RoomError } from '../../../core/errors.ts';
import { type TaskId, type TurnId, taskOfThread } from '../../../core/ids.ts';
import { defined } from '../../../core/plain-data.ts';
import { type Moment, pausedBetween } from '../../../core/time/durations.ts';
import type { Effects } from '../../../effects.ts';
import type { Client } from '../../../operations/client.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import { readTaskFile } from '../../../tasks/observe/read-file-row.ts';
import type { QuestionChanged } from '../../../tasks/shapes/change.ts';
import type { AgentActor, TaskRoom } from '../../../tasks/task-room.ts';
import type { TurnBridge } from '../../ports.ts';
import type { Loop, TurnSlot } from '../../state/loop.ts';
import { turnDir } from '../turn-files.ts';
import type { AnyContext, LaidOut, RunEnd, TurnKind } from '../turn-kind.ts';
import { readBudgetLeft } from './budgets.ts';

/** Opens the turn's bridge while `recorded` goes on; neither is left open when the other fails. */
export async function openBridge(
  { bridges, onTrouble }: Loop,
  turn: TurnRecord,
  { isRemote }: Runner,
  recorded?: Promise<void>,
): Promise<TurnBridge> {
  const [kept, opened] = await Promise.allSettled([recorded, bridges.open(turn.id, onTrouble, isRemote)]);
  if (opened.status === 'rejected') throw opened.reason;
  if (kept.status === 'fulfilled') return opened.value;
  await opened.value.close();
  throw kept.reason;
}

export interface GivenRun<Context> extends LaidOut<Context> {
  turn: TurnRecord;
  runner: Runner;
  bridge: TurnBridge;
  slot: TurnSlot;
  adopt: boolean; // Its process runs already: nothing is started.
  /** Whether this runtime was there when the turn began; of an adopted one it saw at least a live process. */
  lived: boolean;
}

/** Runs the agent to its end. What its runner tells on the way is put on record. */
export async function runTurn<Context extends AnyContext>(
  loop: Loop,
  kind: Pick<TurnKind<Context, never>, 'subject' | 'forgets' | 'leave'>,
  { turn, runner, bridge, slot, lived, agent, context, prompt, adopt }: GivenRun<Context>,
): Promise<RunEnd> {
  const { deps } = loop;
  const { sessions, turns } = deps.ledger;
  const run = runner.run({
    ...{ agent, prompt, adopt, room: deps.room.dir, effects: deps.effects },
    ...{ dir: turnDir(deps.room, turn.id), reach: bridge.reach, mcp: bridge.mcp },
    turn: { id: turn.id, attempt: turn.attempt },
    tools: () => bridge.tools(),
    budgetLeft: () => readBudgetLeft(deps, turn),
    hear: (take) => giveTold(deps, turn, take),
    session: kind.forgets ? null : (sessions.get(turn.thread, turn.agent)?.session ?? null),
    signal: slot.signal,
    ...kind.subject(loop, turn, agent, context),
  });
  let seenAlive = lived;
  const begun = momentOf(deps.effects);
  let next = await run.next();
  for (; !next.done; next = await run.next()) {
    const event = next.value;
    if (event.type === 'output') slot.output(event.bytes);
    if (event.type === 'session' && !kind.forgets) sessions.set(turn.thread, turn.agent, event.id);
    if (event.type === 'started') {
      seenAlive = true;
      if (event.pid !== turn.pid) turns.update(turn.id, { pid: event.pid });
    }
    if (event.type === 'usage') turns.setUsage(turn.id, event.usage);
    if (event.type === 'started' || event.type === 'usage') slot.spends();
  }
  const outcome = next.value;
  const pausedMs = pausedBetween(begun, momentOf(deps.effects));
  if (pausedMs > 0) turns.update(turn.id, { pausedMs: turn.pausedMs + pausedMs });
  const counts = outcome.reason === 'interrupted' && seenAlive && !slot.signal.aborted;
  await kind.leave?.(loop, turn, agent, slot);
  return { outcome, counts, isSeen: true };
}

/** From the first call it is on record that the turn takes words. A text whose taking was not recorded asks for the next turn. */
async function giveTold({ ledger }: TaskRoom, turn: TurnRecord, take: (text: string) => Promise<void>) {
  if (!turn.hears) ledger.turns.update(turn.id, { hears: true });
  turn.hears = true;
  const task = taskOfThread(turn.thread);
  const waiting = task === null ? [] : ledger.told.all({ task });
  for (const { number, text } of waiting) {
    await take(text);
    ledger.told.heard(task!, number);
  }
  return waiting.length;
}

function momentOf(effects: Effects): Moment {
  return { wallMs: effects.now(), monotonicMs: effects.monotonicMs() };
}

/** @param request names one asking of the turn: asked again, it changes nothing that it changed already */
export function createTurnServices(
  deps: TaskRoom,
  tasks: Client,
  turn: { id: TurnId; task: TaskId; agent: string; access: Access },
  request?: string,
): TurnServices {
  const asking = request === undefined ? {} : { request: `${turn.id}:${request}` };
  const actor: AgentActor = { kind: 'agent', agent: turn.agent, turn: turn.id, ...asking };
  const { access } = turn;
  const carry = async (name: string, input: object): Promise<unknown> => {
    const { carryOperation } = await import('../../../operations/carry-operation.ts');
    return carryOperation(tasks, { actor, access }, name, { ref: turn.task, ...input });
  };
  const carryEntry = async (name: 'progress' | 'outcome' | 'comment', text: string, key?: string) => {
    await carry(name, { text, ...defined({ key }) });
  };
  return {
    async read() {
      const path = deps.ledger.tasks.get(turn.task)?.path ?? null;
      if (path === null) throw new RoomError('not_found', `the file of task ${turn.task} is gone`);
      return readTaskFile(deps, path);
    },
    async setStatus(status) {
      await carry('set', { status });
    },
    async setStep(index, done) {
      await carry('editStep', { index, done });
    },
    async addStep(title) {
      await carry('addStep', { title });
    },
    progress: (text, key) => carryEntry('progress', text, key),
    async note(text, key) {
      await tasks.call('note', { ref: turn.task, text, ...defined({ key }) }, actor);
    },
    outcome: (text, key) => carryEntry('outcome', text, key),
    async printed(text, key) {
      await tasks.call('note', { ref: turn.task, text, ...defined({ key }), under: 'Outcome' }, actor);
    },
    comment: (text, key) => carryEntry('comment', text, key),
    async ask(question, key) {
      const asked = await carry('ask', { question, ...defined({ key }) });
      return (asked as QuestionChanged).question;
    },
  };
}
