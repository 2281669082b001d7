// A room, a turn's folder and its services for runner tests: real files and processes, a task held in memory.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PresetTurn } from '../../src/agents/command/presets/preset.ts';
import {
  type Outcome,
  type RunInput,
  type Runner,
  type RunnerEvent,
  StopTurn,
  type TaskRunInput,
} from '../../src/agents/runner.ts';
import type { AgentConfig } from '../../src/core/config/agent-config.ts';
import { newTurnId } from '../../src/core/ids.ts';
import type { Status } from '../../src/core/task/status.ts';
import type { Step, Task } from '../../src/core/task/task.ts';
import type { Effects } from '../../src/effects.ts';
import { createNodeEffects } from '../../src/node.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NO_WORKSPACE = {
  workspace: null,
  hooks: { after_create: null, before_run: null, after_run: null, before_remove: null },
  hookTimeoutMs: 600_000,
};

/** What a preset is told of a turn whose agent sets nothing. */
export const PRESET_TURN: PresetTurn = {
  ...{ model: null, session: null, permissions: 'edit', approve: {}, args: [], cwd: '/work/web' },
  ...{ dir: '/room/.taskroom/turns/b1', spool: '/room/.taskroom/turns/b1/bridge/requests', room: '/room' },
  ...{ wayToRoom: [], gitDirs: ['/work/web/.git'], env: {}, readText: () => null },
  mcp: { command: '/room/.taskroom/turns/b1/bridge/taskroom', args: ['mcp'] },
};

export const AGENTS = resolve(import.meta.dirname, '../fixtures/agents');

/** What the turn's services were asked to write. */
export interface TaskLog {
  status: Status;
  steps: Step[];
  progress: Map<string, string>;
  outcome: Map<string, string>;
  questions: Map<string, string>;
}

export type PreparedTurn = ReturnType<typeof prepareTurn>;

export interface TurnOptions {
  agent?: Partial<AgentConfig>;
  body?: string;
  requester?: string;
  provider?: TaskRunInput['context']['task']['provider'];
  remote?: string;
  steps?: string[];
  effects?: Effects;
  env?: Record<string, string>;
}

export function prepareTurn(options: TurnOptions = {}) {
  const room = tempFolder('runner');
  const effects = options.effects ?? createNodeEffects({ ...process.env, ...options.env });
  const id = newTurnId('command', effects.randomBytes);
  const dir = join(room, '.taskroom/turns', id);
  const bridgeDir = join(dir, 'bridge');
  mkdirSync(bridgeDir, { recursive: true });
  writeFileSync(join(bridgeDir, 'taskroom'), '#!/bin/sh\necho "probed $1"\n');
  chmodSync(join(bridgeDir, 'taskroom'), 0o755);
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(room, 'go')]);
  writeFileSync(join(dir, 'prompt.md'), 'Do the thing.\n');
  writeFileSync(join(dir, 'context.json'), '{}');
  const steps = (options.steps ?? []).map((title) => ({ title, details: '', done: false, task: null }));
  const task: TaskLog = {
    status: 'doing',
    steps,
    progress: new Map(),
    outcome: new Map(),
    questions: new Map(),
  };
  const services = servicesOf(task, options);
  const abort = new AbortController();
  const input: TaskRunInput = {
    turn: { id, attempt: 1 },
    task: { id: 'abcd1234', name: 'A task' },
    dir,
    room,
    prompt: 'Do the thing.\n',
    context: contextOf(options),
    agent: agentOf(options.agent ?? {}),
    services: () => services,
    signal: abort.signal,
    adopt: false,
    reach: { dir: bridgeDir, spool: join(bridgeDir, 'requests'), program: join(bridgeDir, 'taskroom') },
    session: null,
    effects,
  };
  // What a failed test left behind.
  onTestFinished(() => {
    for (const pid of livingProcesses(id)) process.kill(pid, 'SIGKILL');
  });
  return {
    room,
    dir,
    input,
    task,
    abort,
    log: (): string =>
      existsSync(join(dir, 'output.log')) ? readFileSync(join(dir, 'output.log'), 'latin1') : '',
    /** Lets a fixture that waits on the room's pipe end with this code. */
    release: (code: number): void => writeFileSync(join(room, 'go'), `${code}\n`),
  };
}

function agentOf(over: Partial<AgentConfig>): AgentConfig {
  const plain = { command: null, preset: null, model: null, args: [], cwd: null, env: {} };
  const may = { permissions: 'edit' as const, access: 'full' as const, tools: 'mcp' as const, approve: {} };
  const model = { api: null, baseUrl: null, apiKey: null, maxSteps: 100, prices: null };
  const limits = {
    ...{ timeoutMs: null, stallMs: null, limit: null, checks: [], ...NO_WORKSPACE },
    ...{ tasks: true, writes: true, after: null },
  };
  const spending = { budget: null, fallback: null };
  const who = { id: 'tester', name: 'Tester', runner: 'command' } as const;
  return { ...who, ...plain, ...may, ...model, ...limits, ...spending, ...over };
}

function contextOf({ body, requester, provider }: TurnOptions): TaskRunInput['context'] {
  const thread = {
    thread_id: 'task:local:abcd1234',
    ref: 'task:local:abcd1234',
    name: 'A task',
    status: 'doing',
  };
  return {
    task: { provider: provider ?? 'local', body: body ?? '', requester: requester ?? 'owner', ...thread },
    task_services: { read: true, write: true, comment: true },
  };
}

function servicesOf(
  log: TaskLog,
  { body, requester, remote }: TurnOptions,
): ReturnType<TaskRunInput['services']> {
  const text = `---\nid: abcd1234\nrequester: ${requester ?? 'owner'}\n---\n${body ?? ''}`;
  const task = {
    path: 'tasks/A task.md',
    name: 'A task',
    requester: requester ?? 'owner',
    remote: remote ?? null,
  };
  const once = (entries: Map<string, string>) => async (entry: string, key?: string) => {
    const name = key ?? `entry ${entries.size}`;
    if (!entries.has(name)) entries.set(name, entry);
  };
  return {
    read: async () => ({ task: { ...task, status: log.status, steps: log.steps } as Task, text }),
    setStatus: async (status) => {
      log.status = status;
    },
    setStep: async (index, done) => {
      log.steps[index]!.done = done;
    },
    addStep: async (title) => {
      log.steps.push({ title, details: '', done: false, task: null });
    },
    progress: once(log.progress),
    note: once(log.progress),
    outcome: once(log.outcome),
    printed: once(log.outcome),
    comment: async () => {},
    async ask(question, key = question) {
      log.questions.set(key, question);
      return key;
    },
  };
}

export interface Drive {
  events: RunnerEvent[];
  ended: Promise<Outcome>;
  running: AsyncGenerator<RunnerEvent, Outcome, void>;
}

/** Runs a turn to its end in the background and keeps what it says. */
export function drive(runner: Runner, input: RunInput): Drive {
  const events: RunnerEvent[] = [];
  const running = runner.run(input);
  const ended = (async () => {
    for (;;) {
      const next = await running.next();
      if (next.done) return next.value;
      events.push(next.value);
    }
  })();
  // A test that waits for something else first must not see an unhandled rejection.
  ended.catch(() => {});
  return { events, ended, running };
}

/** Starts a turn and lets go of it as a runtime that dies would: the program goes on. */
export async function startAndAbandon(runner: Runner, input: RunInput): Promise<number> {
  const running = runner.run(input);
  for (;;) {
    const next = await running.next();
    if (next.done) throw new Error(`ended before it started: ${next.value.message}`);
    if (next.value.type === 'started') {
      const { pid } = next.value;
      // One of another machine has none here.
      if (pid !== null)
        await until('the wrapper has claimed the turn', () =>
          /\n$/.test(readIfThere(join(input.dir, 'pid'))),
        );
      // Abandoned: nobody asks for the next event any more.
      void running.return({} as Outcome);
      return pid ?? 0;
    }
  }
}

/** Waits for a condition that nothing announces. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const stop = (rig: PreparedTurn): void => rig.abort.abort(new StopTurn('person'));

/** Pids that carry this turn in their environment and are no zombies (Linux). */
export function livingProcesses(turnId: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => readIfThere(`/proc/${pid}/environ`).split('\0').includes(`TASKROOM_TURN=${turnId}`))
    .filter((pid) => !/\) [ZX]/.test(readIfThere(`/proc/${pid}/stat`)))
    .map(Number);
}

export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
