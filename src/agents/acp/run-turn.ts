// One turn of an agent that speaks the protocol: its process, its session, and the outcome of both. The session begins with the process and
// is ended before it by the protocol's own means. Its plan becomes steps of the task: steps that a person or an earlier turn wrote stand
// and are ticked where the plan names them, and only a task without any gets those of the plan.
import { isRoomError } from '../../core/errors.ts';
import { createRounds } from '../../core/keyed-mutex.ts';
import type { Step } from '../../core/task/task.ts';
import { sleep } from '../../effects.ts';
import { createOutputFollower, followRun } from '../command/output-reader.ts';
import { prepareProgram } from '../command/presets.ts';
import { listOf, oneLine, textOf } from '../command/reading/fields.ts';
import { dropsSession, judge } from '../command/verdict.ts';
import { failure, toOutcome } from '../process/output-log.ts';
import { type ProcessEnd, type ProgramPipes, runProcess } from '../process/run-process.ts';
import type { Outcome, RunInput, RunnerEvent, TurnServices } from '../runner.ts';
import { outcomeFor, StopTurn, stopReason } from '../runner.ts';
import { createFormHandler } from './forms.ts';
import { type MessageStream, openMessages } from './message-stream.ts';
import { ACP_FORMAT } from './output-reader.ts';
import { createPermissionHandler, createToolCalls } from './permission.ts';
import { programOf } from './programs.ts';
import { type SessionEnd, type SessionInput, startSession } from './session.ts';

const CANCEL_MS = 3_000; // How long an agent may take to answer that it canceled its turn.
const FAREWELL_MS = 1_000; // How long it may take to end by itself once nothing more comes.
const LAST_WORDS_MS = 1_000; // How long the last of its words may take to be read once it is gone.

interface AcpRun extends Omit<SessionInput, 'onUpdate' | 'onPermission' | 'onForm'> {
  plan: ReturnType<typeof createPlanKeeper> | null;
  halt: AbortController; // Aborted to end the process.
  stop: AbortController; // Aborted to end the session.
  gone: AbortController; // Aborted when the process is gone.
  hasAsked: boolean; // The session was ended over a question that the person is to answer.
}

export async function* runAcpTurn(input: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  const program = programOf(input.agent);
  const { agent, dir } = input;
  const preparing = await prepareProgram(input, program.argv, program.prepare);
  if (!preparing.ok) return failure('not_started', preparing.message);
  const { launch, start: prepared } = preparing;
  const run: AcpRun = {
    ...{ input, program, prepared, cwd: launch.cwd },
    plan: input.task ? createPlanKeeper(input.services()) : null,
    ...{ halt: new AbortController(), stop: new AbortController(), gone: new AbortController() },
    hasAsked: false,
  };
  if (input.signal.aborted) run.halt.abort(input.signal.reason);
  let session: Promise<SessionEnd> | null = null;
  const running = runProcess({ ...input, signal: run.halt.signal }, launch, (pipes) => {
    session = conductSession(run, pipes);
    session.catch(() => {});
  });
  const follower = createOutputFollower(ACP_FORMAT, dir, input.effects);
  try {
    const ended = yield* followRun(running, follower, () => run.stop.abort());
    run.gone.abort();
    const end = await session;
    await run.plan?.settled();
    yield* await follower.finish();
    const outcome = await outcomeOf(run, ended, end);
    if (run.hasAsked && outcome.reason === 'ok') return outcome;
    if (dropsSession(outcome, follower.report())) yield { type: 'session', id: null };
    return judge(outcome, follower.report(), program, agent.id);
  } finally {
    // Abandoned, or a bug: what holds our pipes ends with us.
    run.halt.abort(new StopTurn('interrupted'));
    while (!(await running.next()).done);
  }
}

async function conductSession(run: AcpRun, pipes: ProgramPipes): Promise<SessionEnd> {
  const { halt, stop, gone, input } = run;
  const { effects, signal } = input;
  let messages: MessageStream | null = null;
  try {
    messages = await openMessages(pipes, input.dir);
    const session = openSession(run, messages);
    const stops = AbortSignal.any([signal, stop.signal]);
    await Promise.race([session.finished, aborted(stops), aborted(gone.signal)]);
    if (stops.aborted) {
      void session.cancel();
      await Promise.race([session.finished, sleep(effects, CANCEL_MS, gone.signal)]);
    } else {
      messages.end();
      await sleep(effects, FAREWELL_MS, gone.signal);
    }
    halt.abort(signal.reason ?? new StopTurn('interrupted'));
    await aborted(gone.signal);
    // What it said last may still be on its way, or its pipe be held by somebody it left behind.
    await Promise.race([session.finished, sleep(effects, LAST_WORDS_MS)]);
    await messages.close();
    return await session.finished;
  } catch (error) {
    // A disk that takes nothing more.
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    return { kind: 'failed', reason: 'exit', message: (error as Error).message };
  } finally {
    halt.abort(new StopTurn('interrupted'));
    await messages?.close();
  }
}

function openSession(run: AcpRun, messages: MessageStream) {
  const calls = createToolCalls();
  // The agent is to know that its turn is over before it hears that its call is not allowed.
  const endOverQuestion = async () => {
    await session.cancel();
    run.hasAsked = true;
    run.stop.abort();
  };
  const session = startSession(messages, {
    ...run,
    onUpdate(update) {
      const kind = update.sessionUpdate;
      if (kind === 'plan') run.plan?.take(readPlanEntries(update.entries));
      if (kind === 'tool_call' || kind === 'tool_call_update') calls.note(update);
    },
    onPermission: createPermissionHandler(run.input, run.cwd, messages, calls, endOverQuestion),
    onForm: createFormHandler(run.input, messages, endOverQuestion),
  });
  return session;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const ENDS: Readonly<Record<string, Outcome>> = {
  end_turn: outcomeFor('ok'),
  max_tokens: failure('exit', "its model's answer grew longer than it may"),
  max_turn_requests: failure('exit', 'it asked its model as often as it may in one turn'),
  refusal: failure('refused', 'its model refused to go on with this'),
  cancelled: failure('exit', 'it says that its turn was canceled'),
};

/** The session says how a turn ended where it came to an end, the process where it did not. */
async function outcomeOf(
  { input: { signal, dir }, program: { program }, hasAsked }: AcpRun,
  ended: ProcessEnd,
  end: SessionEnd | null,
): Promise<Outcome> {
  if (end === null) return toOutcome(ended, dir);
  if (signal.aborted && !(end.kind === 'answered' && end.stopReason !== 'cancelled'))
    return toOutcome({ ...ended, how: 'stopped', reason: stopReason(signal) }, dir);
  const isGone = end.kind === 'gone' && !hasAsked;
  if (isGone && ended.how === 'exited' && ended.code !== 0) return toOutcome(ended, dir);
  const outcome = hasAsked ? outcomeFor('ok') : outcomeOfSession(program, end);
  if (ended.survivors.length === 0) return outcome;
  const rest = `could not be ended: pid ${ended.survivors.join(', ')}`;
  return { ...outcome, message: [outcome.message, rest].filter(Boolean).join('; ') };
}

function outcomeOfSession(program: string, end: SessionEnd): Outcome {
  if (end.kind === 'gone') return failure('exit', `${program} ended before it answered`);
  if (end.kind === 'answered')
    return ENDS[end.stopReason] ?? failure('exit', `${program} ended its turn: ${end.stopReason}`);
  return failure(end.reason, `${program}: ${end.message}`);
}

export type PlanEntry = { title: string; done: boolean };

const MOST_STEPS = 40; // A plan that is longer is no plan for people.
const LONGEST_TITLE = 200;

export function readPlanEntries(entries: unknown): PlanEntry[] {
  return listOf(entries)
    .map(({ content, status }) => ({
      title: oneLine(textOf(content), LONGEST_TITLE),
      done: status === 'completed',
    }))
    .filter(({ title }) => title !== '')
    .slice(0, MOST_STEPS);
}

/** Writes one plan after another into the task; of those that come while one is written, the newest alone. */
export function createPlanKeeper(services: Pick<TurnServices, 'read' | 'addStep' | 'setStep'>) {
  let plan: PlanEntry[] = [];
  let mayAdd: boolean | null = null;
  /** How the file spells what was added. */
  const spelled = new Map<string, string>();
  const readSteps = async () => (await services.read()).task.steps;
  const placeOf = (title: string, steps: readonly Step[]) => {
    const names = [title, spelled.get(title)];
    return steps.findIndex((step) => names.includes(step.title));
  };

  async function write(): Promise<void> {
    let steps = await readSteps();
    mayAdd ??= steps.length === 0;
    for (const { title, done } of plan) {
      let at = placeOf(title, steps);
      if (at === -1 && mayAdd && steps.length < MOST_STEPS) {
        await services.addStep(title);
        steps = await readSteps();
        spelled.set(title, steps.at(-1)?.title ?? title);
        at = placeOf(title, steps);
      }
      if (done && steps[at]?.done === false) {
        await services.setStep(at, true);
        steps = await readSteps();
      }
    }
  }

  const rounds = createRounds(() =>
    write().catch((error: unknown) => {
      if (!isRoomError(error)) throw error;
    }),
  );
  let written: Promise<void> = Promise.resolve();
  return {
    take(next: PlanEntry[]) {
      plan = next;
      written = rounds.ask();
      written.catch(() => {});
    },
    settled: () => written, // Resolves when the last plan is written.
  };
}
