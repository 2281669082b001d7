// How the loop has the checks of a turn run: it knows no programs, the runtime hands this in.
import type { AgentConfig } from '../core/config/agent-config.ts';
import type { TaskId, TurnId } from '../core/ids.ts';
import type { CheckResult } from '../core/rules/checks.ts';

export interface ChecksToRun {
  turn: TurnId;
  task: TaskId;
  /** Whose environment and folder they get, as its turn had them. */
  agent: AgentConfig;
  /** Absolute path of the turn's folder. */
  dir: string;
  /** Given to `sh -c`, one after the other, up to the first that fails. */
  commands: readonly string[];
  /** Longest time of each. */
  timeoutMs: number;
  /** Most bytes that each may print. */
  maxOutputBytes: number;
  /** Aborts with a StopTurn: what runs is ended, and the last result says `stopped`. */
  signal: AbortSignal;
}

/** Runs checks; resolves when nothing they started is alive. What an earlier try left running is ended first. */
export type RunChecks = (checks: ChecksToRun) => Promise<CheckResult[]>;
