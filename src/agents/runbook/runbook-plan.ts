// What a runbook turn will do, read from the task once and kept in the turn's folder: the blocks as script files, and which step
// each one ticks. What runs is what the person wrote at the root of the task's own text, never a comment, a result or
// text from elsewhere.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunBlocks } from '../../core/task/body/sections.ts';
import type { Step } from '../../core/task/task.ts';
import { withoutControls } from '../process/output-log.ts';
import { ifThere, readExit, SHELL } from '../process/process-identity.ts';

export const RUNBOOK_SCRIPT = 'runbook.sh';
const PLAN_FILE = 'runbook.json';
const LABEL_CHARS = 60;

export interface RunbookBlock {
  script: string;
  /** Its first line that is no comment, at most 60 characters. */
  label: string;
}

export type PlannedStep = Pick<Step, 'title'> & { index: number };

export interface RunbookPlan {
  blocks: RunbookBlock[];
  steps: PlannedStep[];
  /** Block n ticks step n; else all are ticked once every block has succeeded. */
  paired: boolean;
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
export async function readPlan(dir: string): Promise<RunbookPlan | null> {
  const text = await ifThere(readFile(join(dir, PLAN_FILE), 'utf8'));
  // Empty after a power cut.
  return JSON.parse(text || 'null');
}

/** The exit code of block `number` (from 1), or null while it has none. */
export function readBlockExit(dir: string, number: number): Promise<number | null> {
  return readExit(dir, `block-${number}.exit`);
}

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
