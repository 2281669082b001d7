// The runner without a model: runs the task's `sh run` blocks in order, ticks steps and writes Progress and Outcome. The plan (the blocks as
// script files, and which step each one ticks) is read once and kept in the turn's folder; what runs is what the person wrote at the root
// of the task's own text. Every write has a key or is idempotent, so that an adopted turn can repeat all of them.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { parseDocument } from '../../core/document/document.ts';
import { isRoomError } from '../../core/errors.ts';
import { hasLevel } from '../../core/rules/access.ts';
import { fenceOutput } from '../../core/task/body/foreign-text.ts';
import { findRunBlocks } from '../../core/task/body/sections.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Step } from '../../core/task/task.ts';
import { agentProblem, missingHere, prepareLaunch } from '../process/launch.ts';
import { failure, readLastLines, signalOf, toOutcome, withoutControls } from '../process/output-log.ts';
import { ifThere, readExit, SHELL } from '../process/process-identity.ts';
import { type ProcessEnd, runProcess } from '../process/run-process.ts';
import type { Outcome, RunInput, Runner, RunnerEvent, TaskRunInput, TurnServices } from '../runner.ts';
import { StopTurn } from '../runner.ts';

const OUTCOME_LINES = 20;
const OUTCOME_CHARS = 2000;
const FRAME_CHARS = 100; // For the sentence around the quoted output.

const ANOTHER_AGENT =
  'set "owner:" in the file, or "default_agent" in room.yaml, to an agent that reads prose';

/** Runs ```` ```sh run ```` blocks of chores and of local tasks that the person wrote; refuses everything else. */
export function createRunbookRunner(): Runner {
  return {
    name: 'runbook',
    kind: 'command',
    survives: true,
    streams: () => false,
    async check(agent, effects, room) {
      const problems = await missingHere(agent, effects, room, SHELL, 'a runbook runs its blocks with it');
      if (hasLevel(agent.access, 'readonly')) return problems;
      return [...problems, agentProblem(agent, tooLittleAccess(agent), 'give it more')];
    },
    run,
  };
}

const tooLittleAccess = ({ access }: AgentConfig) =>
  `the access of this agent is ${access}, and a runbook has to write what came of it`;

async function* run(input: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  const plan = await preparePlan(input);
  if ('state' in plan) return plan;
  const argv = [SHELL, join(input.dir, RUNBOOK_SCRIPT), input.dir, String(plan.blocks.length)];
  const launching = input.adopt ? null : await prepareLaunch(input, argv);
  if (launching && !launching.ok) return failure('not_started', launching.message);

  // A bug in what follows must not leave the process behind.
  const halt = new AbortController();
  const signal = AbortSignal.any([input.signal, halt.signal]);
  const running = runProcess({ ...input, signal }, launching?.launch ?? null);
  // A chore has nothing to tick and nowhere to write: its output and its exit code say how it went.
  const book = input.task ? createBookkeeper(input, plan) : null;
  try {
    for (;;) {
      const next = await running.next();
      if (next.done) return await (book?.close(next.value) ?? toOutcome(next.value, input.dir));
      if (next.value.type === 'tick') await book?.catchUp();
      else yield next.value;
    }
  } catch (error) {
    halt.abort(new StopTurn('interrupted'));
    while (!(await running.next()).done);
    throw error;
  }
}

// The plan is written before anything starts: an adopted turn without one never ran.
async function preparePlan(input: RunInput): Promise<RunbookPlan | Outcome> {
  if (input.adopt) return (await readPlan(input.dir)) ?? planRunbook([], []);
  try {
    const plan = input.task ? await planFile(input) : planBlocks(input.chore.prompt, [], 'this chore');
    if (!('state' in plan)) await writePlan(input.dir, plan);
    return plan;
  } catch (error) {
    if (isRoomError(error)) return failure('exit', error.message);
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    return failure('exit', `could not start: ${(error as Error).message}`);
  }
}

// The file's own text decides, not the context, which is shortened when it is very long.
async function planFile({ services, context, agent }: TaskRunInput): Promise<RunbookPlan | Outcome> {
  const refused = (why: string) => failure('refused', `${why} ${ANOTHER_AGENT}`);
  if (!hasLevel(agent.access, 'readonly')) return refused(`${tooLittleAccess(agent)};`);
  const { task, text } = await services().read();
  const { provider, requester } = context.task;
  if (provider !== 'local' || task.remote !== null) {
    const origin = provider === 'local' ? String(task.remote) : provider;
    return refused(`a runbook runs only tasks of this room, not one mirrored from ${origin};`);
  }
  const other = [requester, task.requester].find((name) => name !== 'owner');
  if (other !== undefined) return refused(`a runbook runs only what the person asked for, not ${other};`);
  const reading = parseDocument(text, task.path);
  if (!reading.ok)
    return failure('refused', `the task's file can't be read: ${reading.problems[0]?.message ?? 'unknown'}`);
  return planBlocks(text.slice(reading.doc.bodyStart), task.steps, 'this task');
}

function planBlocks(body: string, steps: readonly Step[], what: string): RunbookPlan | Outcome {
  const found = readRunBlocks(body);
  if (!found.ok) return failure('refused', found.message);
  if (found.blocks.length > 0) return planRunbook(found.blocks, steps);
  return failure(
    'refused',
    `${what} has no \`\`\`sh run block for a runbook to run; add one, or ${ANOTHER_AGENT}`,
  );
}

function createBookkeeper(input: TaskRunInput, plan: RunbookPlan) {
  const { dir } = input;
  const services = input.services();
  const count = plan.blocks.length;
  let told = 0;
  let failed = false;
  let unwritten = '';

  // A task that can't be written (gone, made invalid meanwhile) fails the turn, not the runtime.
  async function write(action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!isRoomError(error)) throw error;
      if (error.code !== 'not_allowed' || !(await isOver(services))) unwritten ||= error.message;
    }
  }

  async function tick(planned: PlannedStep): Promise<void> {
    const { task } = await services.read();
    const index = locateStep(planned, task.steps);
    if (index !== null && !task.steps[index]?.done) await services.setStep(index, true);
  }

  async function catchUp(): Promise<void> {
    while (told < count && !failed) {
      const code = await readBlockExit(dir, told + 1);
      if (code === null) return;
      told += 1;
      failed = code !== 0;
      const step = plan.paired && !failed ? plan.steps[told - 1] : undefined;
      if (step) await write(() => tick(step));
      const title = `Block ${told} of ${count} (${plan.blocks[told - 1]!.label})`;
      const key = `block-${told}`;
      const text = failed ? `${ending(code)}. ${(await quoteOutput(dir)) ?? 'It printed nothing.'}` : 'ok';
      await write(() => (failed ? services.note : services.progress)(`${title}: ${text}`, key));
    }
  }

  async function close(end: ProcessEnd): Promise<Outcome> {
    await catchUp();
    const outcome = await toOutcome(end, dir);
    if (outcome.state === 'completed' && count > 0) await write(finish);
    else if (end.how === 'exited' && !failed)
      await write(() => services.note(`Failed: ${outcome.message}`, 'end'));
    return unwritten === '' ? outcome : failure('exit', `the task could not be written: ${unwritten}`);
  }

  async function finish(): Promise<void> {
    if (!plan.paired) for (const step of plan.steps) await tick(step);
    const what = count === 1 ? 'The block' : `All ${count} blocks`;
    await services.outcome(`${what} succeeded.`, 'outcome');
    const output = await quoteOutput(dir);
    if (output !== null) await services.printed(output, 'output');
    await callDone(input, services);
  }

  return { catchUp, close };
}

/** A person who finished or canceled it meanwhile has the word. */
const isOver = async ({ read }: TurnServices): Promise<boolean> => isFinished((await read()).task.status);

/** Last of all: it ends the turn's right to write. */
async function callDone({ agent }: TaskRunInput, services: TurnServices): Promise<void> {
  if (await isOver(services)) return;
  if (hasLevel(agent.access, 'full')) await services.setStatus('done');
  else await services.note('All of it ran. To call it done is yours: this agent may not.', 'left');
}

function ending(code: number): string {
  const signal = signalOf(code);
  return signal ? `ended by ${signal} (exit code ${code})` : `exit code ${code}`;
}

/** The last lines of the output in a fence that nothing inside can close; null when there are none. */
async function quoteOutput(dir: string): Promise<string | null> {
  const lines = await readLastLines(dir, OUTCOME_LINES, OUTCOME_CHARS - FRAME_CHARS);
  return fenceOutput(lines.join('\n'));
}

const RUNBOOK_SCRIPT = 'runbook.sh';
const PLAN_FILE = 'runbook.json';
const LABEL_CHARS = 60;

export interface RunbookBlock {
  script: string;
  label: string; // Its first line that is no comment, at most 60 characters.
}

export type PlannedStep = Pick<Step, 'title'> & { index: number };

export interface RunbookPlan {
  blocks: RunbookBlock[];
  steps: PlannedStep[];
  paired: boolean; // Block n ticks step n; else all are ticked once every block has succeeded.
}

export type BlockReading = { ok: true; blocks: RunbookBlock[] } | { ok: false; message: string };

/** The `sh run` blocks in a task's text after its front matter. */
export function readRunBlocks(body: string): BlockReading {
  const found = findRunBlocks(body);
  if (!found.ok) return found;
  const blocks = found.fences.map(({ start, contentStart, contentEnd }) => {
    const indent = /^ {0,3}/.exec(body.slice(start))![0].length;
    return toBlock(body.slice(contentStart, contentEnd), indent);
  });
  return { ok: true, blocks };
}

// A fence that is indented takes as much from each of its lines; sh knows no carriage return.
function toBlock(content: string, indent: number): RunbookBlock {
  const lines = content.split(/\r\n|\r|\n/).map((line) => line.replace(new RegExp(`^ {0,${indent}}`), ''));
  const first = lines.map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('#'));
  const label = Array.from(withoutControls(first ?? 'nothing'));
  return {
    script: `${lines.join('\n').trimEnd()}\n`,
    label: label.length > LABEL_CHARS ? `${label.slice(0, LABEL_CHARS - 1).join('')}…` : label.join(''),
  };
}

/** Pairs blocks with the steps that are not done: one each in order when their numbers are equal. */
export function planRunbook(blocks: RunbookBlock[], steps: readonly Step[]): RunbookPlan {
  const open = steps.flatMap(({ title, done }, index) => (done ? [] : [{ index, title }]));
  return { blocks, steps: open, paired: open.length === blocks.length };
}

/** The index of a planned step in a list that was edited since; null when it is gone or its title stands there twice. */
export function locateStep(planned: PlannedStep, steps: readonly Step[]): number | null {
  if (steps[planned.index]?.title === planned.title) return planned.index;
  const places = steps.flatMap(({ title }, index) => (title === planned.title ? [index] : []));
  return places.length === 1 ? places[0]! : null;
}

/** Writes the plan and its scripts; the plan last, so that a plan that can be read is whole. */
export async function writePlan(dir: string, plan: RunbookPlan): Promise<void> {
  for (const [at, { script }] of plan.blocks.entries())
    await writeFile(join(dir, `block-${at + 1}.sh`), script);
  await writeFile(join(dir, RUNBOOK_SCRIPT), SCRIPT);
  await writeFile(join(dir, `${PLAN_FILE}.new`), JSON.stringify(plan));
  await rename(join(dir, `${PLAN_FILE}.new`), join(dir, PLAN_FILE));
}

/** The plan of an adopted turn, or null when its folder holds none. */
async function readPlan(dir: string): Promise<RunbookPlan | null> {
  const text = await ifThere(readFile(join(dir, PLAN_FILE), 'utf8'));
  // Empty after a power cut.
  return JSON.parse(text || 'null');
}

/** The exit code of block `number` (from 1), or null while it has none. */
const readBlockExit = (dir: string, number: number): Promise<number | null> =>
  readExit(dir, `block-${number}.exit`);

// Arguments: the turn's folder, the number of blocks. One process for all blocks, so that the turn goes on
// without the runtime; a sh of its own for each, so that no block sees another's variables or folder.
const SCRIPT = `taskroom_n=1
while [ "$taskroom_n" -le "$2" ]; do
  ${SHELL} -eu "$1/block-$taskroom_n.sh" < /dev/null
  taskroom_code=$?
  printf '%s\\n' "$taskroom_code" > "$1/block-$taskroom_n.exit"
  [ "$taskroom_code" -eq 0 ] || exit "$taskroom_code"
  taskroom_n=$((taskroom_n + 1))
done
`;
