// What the scenarios do with `taskroom` and read of its turns.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { until } from '../e2e/room.ts';
import type { Stage } from './stage.ts';

export const once = (stage: Stage): Promise<void> => stage.once();

export async function ok(stage: Stage, ...args: string[]): Promise<string> {
  const ran = await stage.run(...args);
  assert.equal(ran.code, 0, `taskroom ${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

interface Turn {
  id: string;
  state: string;
  reason: string;
  message: string;
  usage: { input_tokens: number; output_tokens: number } | null;
}

export async function lastTurn(stage: Stage, task: string): Promise<Turn> {
  const { turns } = JSON.parse(await ok(stage, 'turns', task, '--json')) as { turns: Turn[] };
  const turn = turns.find(({ state }) => state !== 'pending');
  assert.ok(turn !== undefined, `no turn of ${task}`);
  return turn;
}

export function resultOf({ room }: Stage, turn: string) {
  return JSON.parse(room.read(`.taskroom/turns/${turn}/result.json`)) as { until: number };
}

/** The end of what a turn printed, and what lies in its folder, for whoever reads why it failed. */
export function logOf({ room }: Stage, turn: string): string {
  const dir = `.taskroom/turns/${turn}`;
  const names = readdirSync(room.at(dir)).join(' ');
  return `${names}\n${room.read(`${dir}/output.log`).slice(-4000)}`;
}

/** How many turns' prompts the longest conversation held that the model has seen since. */
export function promptsSince({ model }: Stage, from: number): number {
  const prompts = model.thought
    .slice(from)
    .map((request) => JSON.stringify(request.messages).split('You take one turn on one task').length - 1);
  return Math.max(...prompts);
}

/** Over the protocol Gemini empties a session that it takes up within the minute it was begun in. */
export async function untilResumable({ preset, runner }: Stage): Promise<void> {
  if (preset !== 'gemini' || runner !== 'acp') return;
  const minute = new Date().getMinutes();
  await until('another minute', () => new Date().getMinutes() !== minute);
}
