// What the operations on tasks ask of the daemon, where there is one: whether it runs, which agents it can start, to look at the ledger,
// and to end what a dead one left running.
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isPassing } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import {
  DAEMONS_AGENTS,
  findAgentFacts,
  formatAgentFacts,
  parseAgentFacts,
} from '../pulse/runnable-agents.ts';
import { settingsStamp, stampOf } from '../store/files/settings.ts';
import { currentHolder } from '../store/lock/locks.ts';
import { onDisk, type Room } from '../store/room.ts';
import type { AgentFacts, KeptIndex, OperationPorts } from '../tasks/room-handle.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { recordKilled } from '../tasks/turns/turn-records.ts';

/** Of this process: whether it is the daemon, and what it keeps in memory then. */
export interface OwnDaemon {
  runs: boolean;
  index: KeptIndex | null;
}

export function daemonPorts(deps: TaskRoom, own: OwnDaemon): OperationPorts {
  const { room, effects } = deps;
  const isHeld = () => currentHolder(room) !== null;
  return {
    daemonRuns: () => own.runs || isHeld(),
    isGuest: () => !own.runs && isHeld(),
    agentFacts: () => readAgentFacts(deps, !own.runs && isHeld()),
    index: () => own.index,
    ring: () => ring(room, effects),
    async takeInArtifacts(handle) {
      const { takeInArtifacts } = await import('../tasks/plans/take-in-artifacts.ts');
      await takeInArtifacts(handle);
    },
    async killOrphan(turn, reason) {
      const { endTurn } = await import('../agents/process/terminate.ts');
      await endTurn(room.dir, join(room.turnsDir, turn.id), turn.id, effects);
      recordKilled(deps, turn, reason);
      await (await endedJobs()).endJobsOfTurn(deps, turn.id);
    },
    endJob: async (job) => (await endedJobs()).endOrphanedJob(deps, job),
  };
}

const endedJobs = () => import('./jobs/end-job.ts');

/** A new time on the wake file: a daemon that watches it looks at the ledger. */
function ring({ wakePath }: Room, effects: Effects): void {
  onDisk(wakePath, () => touch(wakePath, effects));
}

function touch(wakePath: string, effects: Effects): void {
  if (!existsSync(wakePath)) {
    mkdirSync(dirname(wakePath), { recursive: true });
    writeFileSync(wakePath, '');
  }
  const seconds = effects.now() / 1000;
  utimesSync(wakePath, seconds, seconds);
}

const AGENTS_HERE = 'agents_here';

/**
 * Which agents can run: what the daemon noted, or what this environment offers. The latter is kept with the stamps of all it follows from,
 * since reading settings and looking for programs would cost a list a third of its time.
 * @param daemonElsewhere whether another process is the daemon: what it can start depends on its environment
 */
async function readAgentFacts(deps: TaskRoom, daemonElsewhere: boolean): Promise<AgentFacts> {
  const { meta } = deps.ledger;
  const noted = daemonElsewhere ? meta.get(DAEMONS_AGENTS) : null;
  if (noted !== null) return parseAgentFacts(noted);
  const kept = JSON.parse(meta.get(AGENTS_HERE) ?? '{}') as Partial<Kept>;
  if (kept.stamp !== undefined && kept.stamp === stampOfAll(deps, kept as Kept)) {
    const facts = parseAgentFacts(kept.facts!);
    // What is missing may come in more ways than a stamp shows.
    if ([...facts.agents.values()].every((problem) => problem === null)) return facts;
  }
  const { createRunners } = await import('../agents/registry.ts');
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
