// What the operations need besides the room: whether a daemon observes, how to wake it, and how to end its orphans.

import type {
  LinkedJson,
  MirrorJson,
  SettlementJson,
  SettleWish,
  SyncProgress,
  SyncReportJson,
} from '../core/chore-shapes.ts';
import { refusalOfNoAgent, refusalOfProse, runbooksOf } from '../core/config/agent-config.ts';
import type { Problem } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import type { PullWish } from '../core/remote-pulls.ts';
import type { Discarded, Merged, Opened, TaskDiff } from '../core/review-shapes.ts';
import type { TurnReason } from '../core/rules/turn.ts';
import type { ListedTask, ListRow } from '../core/task/listed-task.ts';
import { isFinished } from '../core/task/status.ts';
import type { InvalidFile } from '../core/task/task.ts';
import type { TaskMemory } from '../store/ledger/tasks/tasks.ts';
import type { JobRecord } from '../store/ledger/turns/jobs.ts';
import type { TurnRecord } from '../store/ledger/turns/turns.ts';
import type { LockHolder } from '../store/lock/locks.ts';
import type { TaskRoom } from './task-room.ts';

/** The agents of a room, as far as who waits for one needs them. */
export interface AgentFacts {
  defaultAgent: string;
  /** By id: what keeps it from running, null for nothing. */
  agents: ReadonlyMap<string, string | null>;
  /** Those that run the blocks of a task alone, and read no prose. */
  runbooks: readonly string[];
}

/** Who holds the room, what is wrong with its settings, and outside as the daemon that runs last noted it. */
export interface RoomStanding {
  holder: LockHolder | null;
  problems: readonly Problem[];
  trouble: { message: string; hint: string | null }[];
}

/** The tasks of a room as lists have them, for a process that stays open. */
export interface KeptIndex {
  readonly rows: readonly ListRow[];
  readonly files: {
    readonly known: ReadonlyMap<string, { readonly task: ListedTask | null }>;
    invalid(): InvalidFile[];
    /** Readable files with keys that look mistyped. */
    odd(): InvalidFile[];
  };
  /** Takes in what changed in files and ledger. @throws RoomError `room_gone`, `io` */
  look(): Promise<void>;
  /** What changed since that version; everything for a version of another index. `order`: all paths, where their order changed. */
  since(version: string): { version: string; rows: ListRow[]; order: string[] | null };
}

/** Handed in by the runtime, so that this layer knows neither locks of daemons nor processes. */
export interface OperationPorts {
  /** A daemon holds the room: it observes what is written, nobody else does. */
  daemonRuns(): boolean;
  isGuest?(): boolean;
  /** The index of the room, where this process keeps one. */
  index?(): KeptIndex | null;
  /** The agents of the room and whether they can run: as the daemon found it, else as it is here. */
  agentFacts?(): Promise<AgentFacts>;
  /** Coding agents of this machine that are signed in, by preset, the preferred first. */
  codingAgents?(): Promise<readonly string[]>;
  standing?(): RoomStanding;
  /** Makes the daemon look at the ledger. Harmless when none runs. */
  ring(): void;
  takeInArtifacts?(deps: RoomHandle): Promise<void>;
  /** Ends a turn whose daemon died, records that, and resolves when nothing of it is alive. */
  killOrphan(turn: TurnRecord, reason: TurnReason): Promise<void>;
  /** Ends a job whose daemon died, as its `stop` says, and records that. */
  endJob?(job: JobRecord): Promise<void>;
  /** Every check of the room, in the order of reading; runs the agents' own programs. @throws RoomError */
  examine?(): Promise<Finding[]>;
  /** What arrives as webhooks, and what is missing. @throws RoomError `io` */
  examineWebhooks?(): Promise<WebhookExam>;
  /** A person's review of what tasks did in their workspaces. */
  review?(): Promise<ReviewPort>;
  /** The mirrors, with chores and providers as the files say now. @throws RoomError `io` */
  mirrors?(): Promise<MirrorPort>;
}

export interface RoomHandle extends TaskRoom {
  readonly ports: OperationPorts;
}

// What keeps the agents of tasks from running: there is none of that name, or its program or a variable is missing.

/** What keeps the agent that would take the turns of an owner from this task; null when nothing does. */
export type AgentProblemOf = (owner: string | null, task: TaskId | null) => string | null;

export async function readAgentProblems(deps: RoomHandle): Promise<AgentProblemOf> {
  const { defaultAgent, agents, runbooks } = (await deps.ports.agentFacts?.()) ?? {
    ...{ defaultAgent: deps.config().defaultAgent, runbooks: runbooksOf(deps.agents()) },
    agents: new Map([...deps.agents().keys()].map((id) => [id, null])),
  };
  let prose: ReadonlySet<TaskId> | null = null;
  return (owner, task) => {
    const agent = owner ?? defaultAgent;
    const known = agents.get(agent);
    if (known === null && task !== null && runbooks.includes(agent)) {
      prose ??= new Set(deps.ledger.tasks.notForRunbook());
      return prose.has(task) ? refusalOfProse(agent) : null;
    }
    return known === undefined ? refusalOfNoAgent(agent, agents.keys()) : known;
  };
}

export interface WithoutAgent {
  memory: TaskMemory;
  agent: string;
  problem: string;
}

/** Tasks that may be due and whose agent does not take them, paused and held ones left out. */
export function readWithoutAgent(deps: RoomHandle, problemOf: AgentProblemOf): WithoutAgent[] {
  const { tasks } = deps.ledger;
  return tasks.ownersOfOpen().flatMap((owner) => {
    const agent = owner ?? deps.config().defaultAgent;
    // An agent that can run takes every task, unless it is a runbook.
    if (problemOf(owner, null) === null && deps.agents().get(agent)?.runner !== 'runbook') return [];
    return tasks.candidatesOf(owner).flatMap((memory): WithoutAgent[] => {
      const { status, paused, blocked, held } = memory;
      const problem = problemOf(owner, memory.id);
      const isOut = isFinished(status) || status === 'draft' || paused || blocked || held;
      return problem === null || isOut ? [] : [{ memory, agent, problem }];
    });
  });
}

// What operations ask of the mirrors of a room. References are an id, a unique prefix of one, or a file name.

interface SyncWish {
  pull: boolean;
  push: boolean;
  full: boolean;
  dryRun: boolean;
  force: boolean;
  sameRoom: boolean;
  newRoom: boolean;
  onProgress?(progress: SyncProgress): void;
}

export interface MirrorPort {
  /** Chores that mirror something and are not paused, in alphabetical order. */
  sources(): string[];
  /** @throws RoomError `not_found`; what goes wrong on the way is in the report */
  sync(chore: string, wish: SyncWish, signal: AbortSignal): Promise<SyncReportJson>;
  list(): MirrorJson[];
  /** What this process lacks to reach the chore's tracker, as in "a GitHub token"; null for nothing. @throws RoomError as providers do */
  lacks(chore: string): Promise<string | null>;
  /** @throws RoomError `not_found`, `conflict` when it changed meanwhile or was settled otherwise, `bad_input`, `refused` */
  settle(ref: string, wish: SettleWish): Promise<SettlementJson>;
  /** @throws RoomError `not_found`, `conflict`, `bad_input`, and as providers throw */
  link(ref: string, url: string, chore?: string): Promise<LinkedJson>;
  /** @throws RoomError `not_found` */
  unlink(ref: string): Promise<LinkedJson>;
  /** @throws RoomError `not_found`, `conflict`, `refused`, and as providers throw */
  publish(ref: string, chore: string): Promise<LinkedJson>;
  /** Opens the task's pull request, says where it is, or merges it. @throws RoomError `not_found`, `refused`, and as providers throw */
  openPull(task: TaskId, wish: PullWish): Promise<Opened>;
}

export interface ReviewPort {
  /** @param stat without hunks @throws RoomError `refused` */
  diff(task: TaskId, stat: boolean): Promise<TaskDiff>;
  /** @param name of the task @throws RoomError `not_found`, `refused`, `conflict` */
  merge(task: TaskId, name: string): Promise<Merged>;
  /** @throws RoomError `not_found`, `refused` */
  discard(task: TaskId): Promise<Discarded>;
}

// What an examination finds.

export interface Finding {
  /** What was looked at, one word. */
  name: string;
  state: 'ok' | 'warn' | 'fail';
  text: string;
  /** How to mend it; null when there is nothing to mend. */
  hint: string | null;
}

/** What arrives as webhooks, and what is missing. */
export interface WebhookExam {
  healthy: boolean;
  /** Where they are heard now; null for nowhere. */
  address: string | null;
  checks: (Omit<Finding, 'name'> & { about: string })[];
  /** All that came in so far, by event or by why it was refused. */
  deliveries: { provider: string; chore: string | null; what: string; count: number; at: string }[];
}
