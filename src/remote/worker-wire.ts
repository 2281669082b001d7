// What passes between the host of a room and a worker on another machine, as JSON. A worker says its number and the attempt
// with everything: what comes of an attempt that somebody else took over since has no effect.
import type { AgentConfig } from '../core/config/agent-config.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { TurnReason, TurnUsage } from '../core/rules/turn.ts';
import type { BridgeAnswer, BridgeCaller, WireError } from './wire.ts';

/** What a worker says of itself when it comes. */
export interface WorkerHello {
  /** Its own, made at its start: one that is started again is another worker. */
  id: string;
  name: string;
  version: string;
  /** Turns at once. */
  slots: number;
  /** Agents it can run, of those it was told; null to be told first. */
  agents: string[] | null;
}

export interface HostGreeting {
  /** The room's id. */
  room: string;
  /** Name of the variable that holds the queue's address, on the host; a worker's may be another. */
  queue: string;
  /** The agents that the worker's token is for, without secrets. */
  agents: AgentConfig[];
}

/** Attempts a worker has in hand. */
export interface InHand {
  turn: string;
  attempt: number;
}

export interface WorkerWait {
  worker: string;
  free: number;
  running: InHand[];
  /** How long to wait for news, ms. */
  waitMs: number;
  /** Ids of tasks that it has workspaces of, when it asks which of them are over. */
  workspaces?: string[] | undefined;
  /** Why it can take nothing at the moment. */
  trouble?: string | undefined;
}

export interface WorkerNews {
  /** There may be something to fetch. */
  work: boolean;
  /** Attempts that must stop now, and why. */
  stop: (InHand & { reason: TurnReason })[];
  /** The agents are others than when it came: it comes again. */
  changed: boolean;
  /** Why it is offered nothing, whatever is free. */
  trouble?: string;
  /** Of the tasks it asked about, those that are archived. */
  over?: string[];
}

/** Where the agent of a turn works: a branch of a repository that the worker has a copy of. */
export interface ClaimedWorkspace {
  /** Its address. */
  repository: string;
  /** The repository's own branch that it began at; null for the default one. */
  from: string | null;
  /** The branch of the task. */
  branch: string;
  /** Commit that it began at. */
  base: string;
  /** Commit that the host has of it; null where there is none yet. */
  tip: string | null;
  /** Name of its folder. */
  folder: string;
  /** Folder inside it that the agent works in; '' for all of it. */
  prefix: string;
}

/** What a turn is about, with all that its runner needs. */
export interface ClaimedTurn {
  turn: string;
  attempt: number;
  /** Its attempt as the task counts them. */
  tries: number;
  subject:
    | { kind: 'task'; task: { id: string; name: string } }
    | { kind: 'chore'; chore: { name: string; prompt: string } };
  prompt: string;
  context: unknown;
  agent: AgentConfig;
  /** Null where the agent works in a folder of the worker's own. */
  workspace: ClaimedWorkspace | null;
  caller: BridgeCaller;
  /** The secret that the turn's agent reports with. */
  token: string;
  session: string | null;
  /** Absolute paths on the host that the prompt names: those on the worker stand in for them. */
  paths: { turn: string; cwd: string; room: string; program: string };
}

/** An outcome as the runner's, whose words stand in runners/runner.ts. */
export interface ReportedEnd {
  state: 'completed' | 'failed' | 'killed';
  reason: TurnReason;
  exitCode: number | null;
  signal: string | null;
  message: string;
  until?: number | null;
  words?: string;
  isUnpaid?: true;
}

export type WorkerReport =
  /** A request of the turn's agent as it came over its bridge. */
  | { kind: 'request'; text: string }
  /** What the runner itself writes into the task. */
  | { kind: 'service'; name: string; args: unknown[] }
  /** Output from a byte on, in base64. */
  | { kind: 'output'; offset: number; data: string }
  | { kind: 'session'; id: string | null }
  | { kind: 'usage'; usage: TurnUsage }
  | { kind: 'started' }
  /**
   * The turn's branch is at that commit, and the host is to take it: from its repository, or out of the file that was sent
   * before. `by` null asks whether the attempt is still the worker's.
   */
  | { kind: 'branch'; tip: string; by: 'push' | 'bundle' | null; bytes: number }
  | { kind: 'end'; end: ReportedEnd }
  /** It gives the turn back unfinished. */
  | { kind: 'left' };

export interface WorkerReports extends InHand {
  worker: string;
  /** Number of the first of these, from 0 in each attempt: each is applied once. */
  first: number;
  reports: WorkerReport[];
}

/** A piece of a file that a worker sends, or asks for. */
export interface BranchPiece extends InHand {
  worker: string;
  offset: number;
  /** Of the whole file. */
  size: number;
  /** Base64. */
  data: string;
}

/** The answer to each report, in order. */
export type ReportAnswer =
  | { kind: 'request'; answer: BridgeAnswer }
  | { kind: 'service'; result: unknown }
  | { kind: 'failed'; error: WireError }
  /** `size` of the output that the host has: the next goes on there. */
  | { kind: 'output'; size: number }
  | { kind: 'done' };

/** Codes by which a worker knows that an attempt is not its own any more. */
export const NOT_YOURS: readonly ErrorCode[] = ['conflict', 'gone', 'not_allowed'];

/** Of output in one report, bytes. */
export const OUTPUT_PIECE = 64 * 1024;

/** Of a branch's file in one request, bytes. */
export const BRANCH_PIECE = 512 * 1024;

/** What a runner may do to the task of its turn, by the names of its port: a worker asks, the host does it. */
export const TASK_SERVICES = [
  'read',
  'setStatus',
  'setStep',
  'addStep',
  'progress',
  'note',
  'outcome',
  'printed',
  'comment',
  'ask',
] as const;
