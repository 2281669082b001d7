// What the kinds of turns (of a task, a chore, a summary) differ in, for the one driver; what each step of a turn hands on; and
// the words for the turn itself.
import { type Outcome, outcomeFor, type Runner, type RunSubject } from '../../agents/runner.ts';
import type { ChoreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { commandOf } from '../../core/config/agent-env.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { type ThreadId, type TurnId, taskOfThread } from '../../core/ids.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord, TurnStart } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Loop, TurnSlot } from '../state/loop.ts';

/** `skipped`: there was nothing to do any more. `interrupted`: cut short; it is tried again and counts as no failure. */
export type TurnResult = Outcome['state'] | 'skipped' | 'interrupted';

/** A request whose turn starts: it has its id by now. */
export type StartingTurn = TurnRequest & { id: TurnId };

/** A request whose turn can start, and what it is about as that was read. */
export type Ready<Subject> = { agent: AgentConfig; runner: Runner; read: Subject };

export interface LaidOut<Context> {
  agent: AgentConfig; // With the folder that it works in.
  context: Context;
  prompt: string;
  /** Records what follows once the turn's folder is written; the agent starts after it. */
  record?(): Promise<void>;
}

export interface RunEnd {
  outcome: Outcome;
  /** It was interrupted under a runtime that lived and did not ask for it: a failure like any other. */
  counts: boolean;
  isSeen: boolean; // False where nobody saw how it ended: it gets no result.
  retryAt?: number; // Trouble outside kept it from starting: when it is tried again, epoch ms.
}

export type Ran<Context> = { agent: AgentConfig; slot: TurnSlot; context: Context };

export interface Ending {
  outcome: Outcome; // As the turn's folder says it.
  /** Runs in the commit of the end; returns the outcome to record, and what joins the commit the first time. */
  settle(): { outcome: Outcome; also?(endedAt: number): void };
  recorded?(result: TurnResult, tookMs: number): void; // Called once the end is on record, the first time.
}

export type AnyContext = TurnContext | ChoreContext;

export interface TurnKind<Context extends AnyContext, Subject> {
  /** Looks at the subject once more; null where there is nothing to run any more. */
  look(loop: Loop, request: TurnRequest): Promise<Ready<Subject> | null>;
  /** Puts the turn on record, within a commit of the caller; null when the request is gone. */
  begin(loop: Loop, ready: Ready<Subject>, request: StartingTurn): TurnRecord | null;
  /** Returns an end where the turn can't run. @throws RoomError */
  layOut(
    loop: Loop,
    ready: Ready<Subject>,
    turn: TurnRecord,
    slot: TurnSlot,
  ): Promise<LaidOut<Context> | RunEnd>;
  /** The agent as it worked before the runtime died. */
  agentOf?(loop: Loop, turn: TurnRecord, agent: AgentConfig): AgentConfig;
  subject(loop: Loop, turn: TurnRecord, agent: AgentConfig, context: Context): RunSubject;
  forgets?: true; // Each turn begins without the session of the one before.
  /** Runs when the agent has ended, before the end is recorded. */
  leave?(loop: Loop, turn: TurnRecord, agent: AgentConfig, slot: TurnSlot): Promise<void>;
  /** Null leaves the turn on record as running. @param ran null where the turn never ran here */
  end(loop: Loop, turn: TurnRecord, end: RunEnd, ran: Ran<Context> | null): Promise<Ending | null>;
}

/** Puts a turn on record; null when the request is gone. Runs within a commit of the caller. */
export function recordStart(
  { ledger, agents, effects }: TaskRoom,
  { id, thread, origin, agent, reasons, outside, askedAt }: StartingTurn,
  runner: Runner,
  facts: Pick<TurnStart, 'attempt' | 'revision' | 'description'>,
): TurnRecord | null {
  const command = commandOf(agents().get(agent));
  const asked = { id, thread, origin, agent, reasons, outside, askedAt, startedAt: effects.now() };
  return ledger.turns.begin({ ...asked, ...facts, runner: runner.name, command })
    ? ledger.turns.get(id)
    : null;
}

/** The end of a turn that its runtime, or trouble outside, cut short. */
export const interrupted = (message: string): Outcome => outcomeFor('interrupted', message);

export function subjectOf({ ledger }: TaskRoom, { thread, description }: TurnRecord) {
  const id = taskOfThread(thread);
  return { id, name: id === null ? description : (ledger.tasks.get(id)?.name ?? id) };
}

const LOOKED_BACK = 10;

/** How often in a row the newest turns of a thread ended so, the one that ends now included. */
export function endsInARow({ turns }: Ledger, thread: ThreadId, why: 'interrupted' | 'not_started'): number {
  const ended = turns.list({ thread, limit: LOOKED_BACK }).filter(({ state }) => state !== 'running');
  const other = ended.findIndex(({ reason }) => reason !== why);
  return 1 + (other === -1 ? ended.length : other);
}
