// room.yaml, parsed once at the edge (core/config/config.ts has the schema). Every key is optional.
import type { Budget } from './budget.ts';
import type { InboxKind } from './inbox-kinds.ts';

export const ORIGINS = ['chat', 'task', 'chore'] as const;
export type Origin = (typeof ORIGINS)[number];

export interface RoomConfig {
  /** Agent of tasks without `owner:`. */
  defaultAgent: string;
  /** Quiet time after an edit before it counts. */
  settleMs: number;
  /** Least time between two sweeps; longer when a sweep itself takes long. */
  sweepMs: number;
  limits: { total: number } & Record<Origin, number>;
  maxAttempts: number;
  /** Longest time one check may take. */
  checkTimeoutMs: number;
  /** Rounds of failed checks in a row before a task is paused. */
  maxCheckRounds: number;
  timeoutMs: number;
  stallMs: number;
  maxOutputBytes: number;
  /** Jobs that an agent has at once. */
  maxJobs: number;
  jobTimeoutMs: number;
  /** Cron expression that wakes open tasks, or null for none. */
  heartbeat: string | null;
  /** IANA zone of all schedules; null for the system's. */
  timezone: string | null;
  /** More tasks than this made due at once by edits are held; 0 for no such guard. */
  holdAbove: number;
  /** Turns in a row without outside input before a task is paused. */
  loopGuard: number;
  archiveAfterMs: number;
  onDelete: 'forget' | 'cancel';
  keepTurnsMs: number;
  keepTurnsPerTask: number;
  keepAtticMs: number;
  keepSpillMs: number;
  /** How agents' messages reach the person, beside the log. */
  notify: {
    /** Program and arguments; gets the message on its standard input. */
    command: string[] | null;
    /** Name of the environment variable that holds the address messages are posted to. */
    webhook: string | null;
    /** What is posted there. */
    format: 'json' | 'ntfy' | 'slack';
    /** Kinds of things that go out. */
    on: readonly InboxKind[];
  };
  /** Where webhooks of trackers come in. */
  hooks: {
    /** Null for not at all. */
    port: number | null;
    /** Interface to listen at. */
    host: string;
    /** Names of the environment variables that hold what each tracker signs with; null for one that is not heard. */
    secrets: { github: string | null; linear: string | null };
  };
  /** What a task may use before it is paused; null for no bound. */
  taskBudget: Budget | null;
  /** What all turns of a day may use before the rest waits; null for no bound. */
  dayBudget: Budget | null;
  /** Folder of all workspaces, absolute or relative to the room. */
  workspaces: string;
  /** When a task's old entries are summed up, and by whom. */
  dream: {
    /** Bytes of Progress, or of Comments; null for never. */
    above: number | null;
    /** Null for the room's default agent. */
    agent: string | null;
  };
  /** Where turns go that workers on other machines take; null to run all of them here. */
  queue: {
    /** Name of the environment variable that holds the address of PostgreSQL. */
    postgres: string | null;
  };
  /** To whom an agent may hand over work though that one has more rights: its id → theirs. */
  handOver: Readonly<Record<string, readonly string[]>>;
  /** Providers of the room's own: name → file, absolute or relative to the room. */
  providers: Record<string, string>;
}
