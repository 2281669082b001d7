// Which agents can run, for commands: what the daemon noted, or what this environment offers. The latter is kept with the
// stamps of all it follows from, since reading settings and looking for programs would cost a list a third of its time.
import { delimiter } from 'node:path';
import { isPassing } from '../core/errors.ts';
import { DAEMONS_AGENTS, findAgentFacts, formatAgentFacts, parseAgentFacts } from '../pulse/agent-facts.ts';
import { settingsStamp, stampOf } from '../store/settings.ts';
import type { AgentFacts } from '../tasks/room-handle.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

const AGENTS_HERE = 'agents_here';

/** @param daemonElsewhere whether another process is the daemon: what it can start depends on its environment */
export async function readAgentFacts(deps: TaskRoom, daemonElsewhere: boolean): Promise<AgentFacts> {
  const { meta } = deps.ledger;
  const noted = daemonElsewhere ? meta.get(DAEMONS_AGENTS) : null;
  if (noted !== null) return parseAgentFacts(noted);
  const kept = JSON.parse(meta.get(AGENTS_HERE) ?? '{}') as Partial<Kept>;
  if (kept.stamp !== undefined && kept.stamp === stampOfAll(deps, kept as Kept)) {
    const facts = parseAgentFacts(kept.facts!);
    // What is missing may come in more ways than a stamp shows.
    if ([...facts.agents.values()].every((problem) => problem === null)) return facts;
  }
  const { createRunners } = await import('../runners/registry.ts');
  const needs = needsOf(deps);
  // Before the look: what changes during it is found by the next.
  const stamp = stampOfAll(deps, needs);
  const facts = await findAgentFacts(deps, createRunners());
  keep(deps, { ...needs, stamp, facts: formatAgentFacts(facts) });
  return facts;
}

interface Needs {
  /** Variables that agents ask for by name. */
  variables: string[];
  /** What agents set as their own PATH. */
  paths: string[];
}

interface Kept extends Needs {
  stamp: string;
  facts: string;
}

function needsOf({ agents, effects }: TaskRoom): Needs {
  const wanted = [...agents().values()].flatMap(({ env }) => Object.entries(env));
  const variables = wanted.flatMap(([, value]) => (typeof value === 'string' ? [] : [value.from]));
  const paths = wanted.flatMap(([name, value]) => {
    const path = typeof value === 'string' ? value : effects.env[value.from];
    return name === 'PATH' && path !== undefined ? [path] : [];
  });
  return { variables, paths };
}

function stampOfAll({ room, effects }: TaskRoom, { variables, paths }: Needs): string {
  const { env } = effects;
  const folders = [env.PATH ?? '', ...paths].flatMap((path) => path.split(delimiter));
  return [
    settingsStamp(room),
    ...variables.map((name) => `${name} ${env[name] !== undefined}`),
    ...folders.map((folder) => `${folder} ${stampOf(folder)}`),
  ].join('\n');
}

function keep({ ledger }: TaskRoom, kept: Kept): void {
  try {
    ledger.meta.set(AGENTS_HERE, JSON.stringify(kept));
  } catch (error) {
    // A list of a room that may only be read is a list all the same.
    if (!isPassing(error)) throw error;
  }
}
