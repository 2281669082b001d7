// A provider opened on a person's Taskwarrior database, and what the person types there.
import { expect } from 'vitest';
import type { Effects } from '../../../src/effects.ts';
import type { Provider, RemoteChange, RemoteTask, SourceConfig } from '../../../src/providers/provider.ts';
import { taskwarriorFactory } from '../../../src/providers/taskwarrior/taskwarrior.ts';
import { createPersonDatabase, type PersonDatabase } from './person-database.ts';

export const { signal } = new AbortController();

export async function open(
  rcText = '',
  change: Partial<SourceConfig> = {},
  wrap: (effects: Effects) => Effects = (effects) => effects,
): Promise<{ rig: PersonDatabase; provider: Provider }> {
  const rig = createPersonDatabase(rcText);
  return { rig, provider: await taskwarriorFactory.open(rig.config(change), wrap(rig.effects)) };
}

/** A new task by a person; its UUID. */
export function add(rig: PersonDatabase, ...words: string[]): string {
  rig.task('rc.verbose=nothing', 'add', ...words);
  return rig.task('rc.verbose=nothing', '+LATEST', '_uuids').trim();
}

export async function one(provider: Provider, ref: string): Promise<RemoteTask> {
  const task = (await provider.get([ref], signal)).get(ref);
  expect(task).toBeDefined();
  return task!;
}

export async function update(provider: Provider, ref: string, change: RemoteChange): Promise<RemoteTask> {
  return provider.write!.update(ref, change, await one(provider, ref), signal);
}

let keys = 0;
export const newAttempt = () => ({ key: `attempt${++keys}`.padEnd(12, '0'), tries: 0 });
