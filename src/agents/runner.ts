// The interface between a turn and whatever runs its agent. A runner sees a prompt, a context, a folder and the turn's services,
// never the store, the ledger or another runner. The failure of an agent is an outcome; a thrown error is a bug.
import type { ChoreContext } from '../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../core/config/agent-config.ts';
import type { TurnContext } from '../core/context/context-shape.ts';
import type { Problem } from '../core/errors.ts';
import type { TurnId, TurnKind } from '../core/ids.ts';
import type { TurnReason, TurnUsage } from '../core/rules/turn.ts';
import type { Status } from '../core/task/status.ts';
import type { Task } from '../core/task/task.ts';
import type { Effects } from '../effects.ts';

/** What a turn can do to its own task. Each call is durable when it resolves. @throws RoomError `not_allowed` */
export interface TurnServices {
  /** The task as its file stands now, with the file's text. Throws RoomError `not_found` when it is gone. */
  read(): Promise<{ task: Task; text: string }>;
  setStatus(status: Status): Promise<void>;
  setStep(index: number, done: boolean): Promise<void>;
  addStep(title: string): Promise<void>;
  /** Appends a dated entry. The same `key` twice in one turn writes once, so that an adopted turn can repeat itself. */
  progress(text: string, key?: string): Promise<void>;
  /** As `progress`, for what a program printed or how it ended: it is sent to no tracker. */
  note(text: string, key?: string): Promise<void>;
  outcome(text: string, key?: string): Promise<void>;
  /** As `outcome`, for what a program printed: it is sent to no tracker. */
  printed(text: string, key?: string): Promise<void>;
  comment(text: string, key?: string): Promise<void>;
  /** Asks the person: the task waits after the turn. Returns the key of the question, the same for the same `key`. */
  ask(question: string, key?: string): Promise<string>;
}

/** A tool that an agent may call in this turn. */
export interface AgentTool {
  name: string;
  description: string;
  /** JSON Schema of its input, an object. */
  inputSchema: Readonly<Record<string, unknown>>;
  /** Checks and carries out one call. What goes wrong is an answer with `isError`; it never throws. */
  run(input: unknown): Promise<{ text: string; isError?: boolean }>;
}

/** How the programs of a turn report. All paths are absolute. */
export interface TurnReach {
  /** The turn's bridge. */
  dir: string;
  /** The folder for requests: the one folder of the turn that a sandbox lets its processes write. */
  spool: string;
  /** The `taskroom` of turns; its folder, which no agent writes, is first on their PATH. */
  program: string;
}

/** How the MCP server of this turn, bound to the turn's token, is started. */
export interface TurnMcpServer {
  /** Absolute path. */
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** What is left of the tightest of the budgets that bound a turn. */
export interface LeftOver {
  /** Tokens in and out together, or US dollars; never below 0. */
  amount: number;
  /** Whose budget it is: the task's own, or a day's. */
  of: 'task' | 'day';
  /** When a day's begins anew, epoch ms; null for the task's. */
  until: number | null;
}

/** Null where nothing bounds it. */
export type BudgetLeft = Record<'tokens' | 'costUsd', LeftOver | null>;

/** What the turn driver passes as `signal.reason` when it stops a turn. */
export class StopTurn extends Error {
  readonly reason: TurnReason;
  /** With `output_limit`: how much of the output stays on disk. */
  readonly keepBytes: number | null;
  constructor(reason: TurnReason, keepBytes: number | null = null) {
    super(`turn stopped: ${reason}`);
    this.reason = reason;
    this.keepBytes = keepBytes;
  }
}

/** Why a turn was told to stop; `interrupted` for an abort without a StopTurn. */
export const stopReason = (signal: AbortSignal): TurnReason =>
  signal.reason instanceof StopTurn ? signal.reason.reason : 'interrupted';

/** What a turn is about: a task with what can be done to it, or the chore of a person's own file. */
export type RunSubject =
  | {
      task: { id: string; name: string };
      context: TurnContext;
      /** @param request names one asking of the turn: carried out again, it changes nothing more */
      services(request?: string): TurnServices;
      chore?: undefined;
    }
  | {
      chore: { name: string; prompt: string };
      context: ChoreContext;
      task?: undefined;
      services?: undefined;
    };

export type RunInput = RunBasics & RunSubject;
export type TaskRunInput = Extract<RunInput, { task: object }>;

export interface RunBasics {
  turn: { id: TurnId; attempt: number };
  /** Absolute path of `turns/<id>/`; exists, and holds prompt.md and context.json. */
  dir: string;
  /** Absolute path of the room. */
  room: string;
  prompt: string;
  agent: AgentConfig;
  /** Aborts with a StopTurn; the runner then ends everything it started: TERM, 5 s, KILL (B4). */
  signal: AbortSignal;
  /** After a restart, for runners with `survives`: attach to what is in `dir` instead of starting. */
  adopt: boolean;
  reach: TurnReach;
  /** The turn's MCP server; absent where the agent has no tools of the room. */
  mcp?: TurnMcpServer;
  /** The same tools for a runner that calls its model itself. */
  tools?: () => Promise<readonly AgentTool[]>;
  /** Gives each text that the person told this turn since it began; one that was taken is not given again. For a runner that can add
   * to a turn that runs. Resolves with how many there were. */
  hear?: (take: (text: string) => Promise<void>) => Promise<number>;
  /** What its budgets leave, this turn's use so far counted. */
  budgetLeft?: () => BudgetLeft;
  /** Session id of the agent's last turn on this thread, to resume it. */
  session: string | null;
  effects: Effects;
}

/** What an agent that works is told of its person's words. */
export const whileAtWork = (text: string) => `The person of this room says while you work:\n\n${text}`;

/** From the third attempt on an agent starts afresh: a session that can't be resumed any more must not fail them all. */
const RESUMED_ATTEMPTS = 2;

/** The session to go on with; null to begin a new one. */
export const resumedSession = ({ turn, session }: Pick<RunBasics, 'turn' | 'session'>): string | null =>
  turn.attempt <= RESUMED_ATTEMPTS ? session : null;

export type RunnerEvent =
  | { type: 'started'; pid: number | null }
  /** Total bytes in output.log so far; sent when it grew, at least once a second while it grows. */
  | { type: 'output'; bytes: number }
  /** A new session id to resume next time; null to start afresh then. */
  | { type: 'session'; id: string | null }
  /** All that the agent used so far in this turn. */
  | { type: 'usage'; usage: TurnUsage };

export interface Outcome {
  state: 'completed' | 'failed' | 'killed';
  reason: TurnReason;
  exitCode: number | null;
  signal: string | null;
  /** One line for a person: what happened, and for a refusal what to configure. Empty when all went well. */
  message: string;
  /** With `rate_limited`: when the limit ends, epoch ms; null or absent where the agent did not say. */
  until?: number | null;
  /** The program's last words, one line, for a turn that reported nothing. */
  words?: string;
  /** With `refused`: the account can't be used (no sign-in, nothing to pay with), so that all turns of its agent wait for the person. */
  needsPerson?: true;
}

const KILLED: ReadonlySet<TurnReason> = new Set(['person', 'paused', 'canceled', 'done']);

/** The outcome of a turn without a process: killed when a person or the task's own state ended the turn, else failed. */
export function outcomeFor(reason: TurnReason, message = ''): Outcome {
  const state = reason === 'ok' ? 'completed' : KILLED.has(reason) ? 'killed' : 'failed';
  return { state, reason, exitCode: null, signal: null, message };
}

export interface Runner {
  readonly name: AgentConfig['runner'];
  readonly kind: TurnKind;
  /** True when the turn's process goes on without the runtime and can be adopted. */
  readonly survives: boolean;
  /** True when its agents run on other machines. */
  readonly isRemote?: boolean;
  /** False for an agent without programs: its prompt, context and bridge need not lie on disk. True where absent. */
  startsPrograms?(agent: AgentConfig): boolean;
  /** True when silence is a sign of trouble, so that `stall` applies though the agent does not set it. */
  streams(agent: AgentConfig): boolean;
  /** What is missing on this machine to run this agent; empty when it can run.
   * @param room absolute path; null where it is not known, as on a worker: a relative program is then found missing at the start */
  check(agent: AgentConfig, effects: Effects, room: string | null): Promise<Problem[]>;
  /** Runs one turn to its end. Returns only when nothing it started is alive. */
  run(input: RunInput): AsyncGenerator<RunnerEvent, Outcome, void>;
}
