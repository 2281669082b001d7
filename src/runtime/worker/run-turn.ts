// One turn on a worker, from what the host said of it to its last report: the same runner under the same wrapper as beside
// the room. Whatever ends it, nothing of it is left running and its folder is gone.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig, RunnerName } from '../../core/config/agent-config.ts';
import { isRoomError } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import type { Effects } from '../../effects.ts';
import { fromWireError } from '../../remote/wire.ts';
import { endTurn } from '../../runners/process/end-orphan.ts';
import { failure } from '../../runners/process/turn-outcome.ts';
import type { Outcome, RunInput, Runner, TurnServices } from '../../runners/runner.ts';
import { onDisk } from '../../store/room.ts';
import { turnProgram } from '../turn-program.ts';
import { type ClaimedTurn, OUTPUT_PIECE, TASK_SERVICES } from '../worker-protocol.ts';
import { type JournalHead, openReportJournal, readOutput } from './report-journal.ts';
import type { Reporter } from './reporter.ts';
import { openWorkerBridge, type WorkerBridge } from './worker-bridge.ts';
import type { InWorkspace, WorkerWorkspaces } from './workspace/worker-workspaces.ts';
import { openWorkspaceSession } from './workspace-session.ts';

export interface TurnRun {
  claimed: ClaimedTurn;
  /** What its reports are kept under. */
  head: JournalHead;
  reporter: Reporter;
  /** Stands for the room. */
  room: string;
  /** The turn's folder. */
  dir: string;
  /** Where an agent without a workspace works. */
  cwd: string;
  workspaces: WorkerWorkspaces;
  signal: AbortSignal;
  /** Aborts when the turn is given back. */
  handBack: AbortSignal;
  /** The branch's way to the host, and from there. */
  branch: Pick<InWorkspace, 'send' | 'fetch'>;
  runners: ReadonlyMap<RunnerName, Runner>;
  effects: Effects;
  onTrouble(error: unknown): void;
}

/** Runs it; resolves with how it ended, once all it reported is up. @throws RoomError `gone` when the attempt is lost */
export async function runClaimedTurn(run: TurnRun): Promise<Outcome> {
  const { claimed, reporter, dir, effects, room } = run;
  // Where its folder is gone nothing of it is left: the folder goes last.
  if (existsSync(dir)) {
    await endTurn(room, dir, claimed.turn, effects);
    rmSync(dir, { recursive: true, force: true });
  }
  onDisk(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  const journal = openReportJournal(dir, run.head);
  reporter.keepIn(journal);
  if (claimed.workspace === null) return runIn(run, run.cwd, async () => {});
  const session = openWorkspaceSession(run, claimed.workspace);
  const entered = await session.enter();
  if ('end' in entered) return entered.end;
  const outcome = await runIn(run, entered.cwd, async (ran) => {
    const fault = await session.afterRun();
    if (fault !== null && claimed.subject.kind === 'task')
      unwaited(servicesOver(reporter).note(fault, 'after_run'));
    journal.ran(ran);
  });
  return session.leave(outcome);
}

/** @param onRan done when the agent's program has ended, before what it told last is up */
async function runIn(
  run: TurnRun,
  cwd: string,
  onRan: (outcome: Outcome) => Promise<void>,
): Promise<Outcome> {
  const { claimed, reporter, dir, effects, runners } = run;
  const turn = claimed.turn as TurnId;
  const startsPrograms = runners.get(claimed.agent.runner)?.startsPrograms?.(claimed.agent) ?? true;
  const input = layOut(run, cwd, startsPrograms);
  const bridge = openWorkerBridge({
    startsPrograms,
    ...{ dir: join(dir, 'bridge'), turn, caller: claimed.caller, token: claimed.token },
    ...{ reporter, effects, onTrouble: run.onTrouble },
  });
  try {
    const outcome = await follow(run, { ...input, ...reachedBy(bridge) } as RunInput, onRan);
    await bridge.drain();
    return outcome;
  } finally {
    bridge.close();
  }
}

function reachedBy(bridge: WorkerBridge) {
  return { reach: bridge.reach, mcp: bridge.mcp, tools: () => bridge.tools() };
}

function layOut(run: TurnRun, cwd: string, startsPrograms: boolean): Omit<RunInput, 'reach'> {
  const { claimed, dir, room, reporter, signal, effects } = run;
  const here = (text: string) => moved(text, claimed, { ...run, cwd });
  const prompt = here(claimed.prompt);
  const context = JSON.parse(here(JSON.stringify(claimed.context)));
  onDisk(dir, () => {
    mkdirSync(cwd, { recursive: true, mode: 0o700 });
    if (!startsPrograms) return;
    writeFileSync(join(dir, 'prompt.md'), prompt);
    writeFileSync(join(dir, 'context.json'), `${JSON.stringify(context, null, 2)}\n`);
  });
  const agent: AgentConfig = { ...claimed.agent, cwd };
  const { subject } = claimed;
  const about =
    subject.kind === 'task'
      ? { task: subject.task, services: servicesOver(reporter) }
      : { chore: subject.chore };
  return {
    ...{ turn: { id: claimed.turn as TurnId, attempt: claimed.tries }, dir, room, prompt, agent, signal },
    ...{ adopt: false, session: claimed.session, effects, context },
    ...about,
  } as Omit<RunInput, 'reach'>;
}

/** The host's paths in a text, as they are here: the longest first, since one may lie in the other. */
function moved(text: string, { paths }: ClaimedTurn, { dir, cwd, room }: TurnRun): string {
  const pairs = [
    [paths.turn, dir],
    [paths.cwd, cwd],
    [paths.room, room],
    [paths.program, turnProgram()],
  ] as const;
  const ordered = [...pairs].sort(([a], [b]) => b.length - a.length);
  // Once moved, a path is not moved again.
  const marked = ordered.reduce((said, [from], at) => said.replaceAll(from, `\u0000${at}\u0000`), text);
  return ordered.reduce((said, [, to], at) => said.replaceAll(`\u0000${at}\u0000`, () => to), marked);
}

/** What a runner writes into its task, done by the host. */
function servicesOver(reporter: Reporter): TurnServices {
  const call =
    (name: string) =>
    async (...args: unknown[]) => {
      const answer = await reporter.report({ kind: 'service', name, args });
      if (answer.kind === 'failed') throw fromWireError(answer.error);
      return answer.kind === 'service' ? answer.result : undefined;
    };
  return Object.fromEntries(TASK_SERVICES.map((name) => [name, call(name)])) as never;
}

async function follow(
  run: TurnRun,
  input: RunInput,
  onRan: (outcome: Outcome) => Promise<void>,
): Promise<Outcome> {
  const { reporter, runners, claimed } = run;
  const runner = runners.get(claimed.agent.runner);
  if (runner === undefined)
    return failure(
      'refused',
      `this worker knows no runner ${claimed.agent.runner}: it is another version than the room`,
    );
  const output = createOutput(run);
  const events = runner.run(input);
  for (;;) {
    const next = await events.next();
    if (next.done) {
      await onRan(next.value);
      await output.flush();
      return next.value;
    }
    const event = next.value;
    // What is told on the way is in order with the rest, and nobody waits for its answer.
    if (event.type === 'output') output.send();
    else if (event.type === 'started') unwaited(reporter.report({ kind: 'started' }));
    else if (event.type === 'session') unwaited(reporter.report({ kind: 'session', id: event.id }));
    else unwaited(reporter.report({ kind: 'usage', usage: event.usage }));
  }
}

/** A lost attempt is told otherwise. */
function unwaited(answer: Promise<unknown>): void {
  answer.catch(() => {});
}

/** Sends what the turn printed, from where the host is. */
function createOutput({ dir, reporter, onTrouble }: TurnRun) {
  let sent = 0;
  let sending: Promise<void> | null = null;
  async function sendAll(): Promise<void> {
    for (;;) {
      const piece = readOutput(dir, sent, OUTPUT_PIECE);
      if (piece.length === 0) return;
      const data = piece.toString('base64');
      const answer = await reporter.report({ kind: 'output', offset: sent, data });
      if (answer.kind === 'failed') throw fromWireError(answer.error);
      if (answer.kind === 'output') sent = answer.size;
    }
  }
  function send(): Promise<void> {
    sending ??= sendAll()
      .catch((error) => {
        if (!isRoomError(error, 'gone')) onTrouble(error);
      })
      .finally(() => {
        sending = null;
      });
    return sending;
  }
  return {
    send: () => void send(),
    async flush() {
      await send();
      // What came while the last piece was under way.
      await send();
    },
  };
}
