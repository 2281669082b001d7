// What the operations on tasks ask of the daemon: whether it runs, which agents it can start, to look at the ledger, and to end what a dead
// one left running.
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isPassing } from '../core/errors.ts';
import {
  DAEMONS_AGENTS,
  findAgentFacts,
  formatAgentFacts,
  parseAgentFacts,
} from '../pulse/state/runnable-agents.ts';
import { settingsStamp, stampOf } from '../store/files/settings.ts';
import { currentHolder } from '../store/lock/locks.ts';
import { onDisk } from '../store/room.ts';
import type { AgentFacts, KeptIndex, OperationPorts, TaskRoom } from '../tasks/task-room.ts';
import { recordKilled } from '../tasks/turns/turn-records.ts';

/** Whether this process is the daemon, and the index that it keeps in memory then. */
export type OwnDaemon = { runs: boolean; index: KeptIndex | null };

export function daemonPorts(deps: TaskRoom, own: OwnDaemon): OperationPorts {
  const { room, effects } = deps;
  const isHeld = () => currentHolder(room) !== null;
  return {
    daemonRuns: () => own.runs || isHeld(),
    isGuest: () => !own.runs && isHeld(),
    agentFacts: () => readAgentFacts(deps, !own.runs && isHeld()),
    async codingAgents() {
      const { findCodingAgents } = await import('./agents/coding-agents.ts');
      return (await findCodingAgents(effects)).filter(({ signedIn }) => signedIn).map(({ preset }) => preset);
    },
    index: () => own.index,
    ring: () => onDisk(room.wakePath, () => touch(room.wakePath, effects.now() / 1000)),
    async takeInArtifacts(handle) {
      const { takeInArtifacts } = await import('../tasks/plans/take-in-artifacts.ts');
      await takeInArtifacts(handle);
    },
    async killOrphan(turn, reason) {
      const { endTurn } = await import('../agents/process/terminate.ts');
      await endTurn(room.dir, join(room.turnsDir, turn.id), turn.id, effects);
      recordKilled(deps, turn, reason);
      await (await import('./jobs/run-job.ts')).endJobsOfTurn(deps, turn.id);
    },
    endJob: async (job) => (await import('./jobs/run-job.ts')).endOrphanedJob(deps, job),
  };
}

/** A daemon watches the wake file, and looks at the ledger when its time changes. */
function touch(wakePath: string, seconds: number): void {
  if (!existsSync(wakePath)) {
    mkdirSync(dirname(wakePath), { recursive: true });
    writeFileSync(wakePath, '');
  }
  utimesSync(wakePath, seconds, seconds);
}

const AGENTS_HERE = 'agents_here';

/** Which agents can run: what the daemon noted, or what this environment offers. The latter is kept with the stamps of all that it depends on,
 * since reading settings and looking for programs would cost a list a third of its time.
 * @param daemonElsewhere whether another process is the daemon: what it can start depends on its environment */
async function readAgentFacts(deps: TaskRoom, daemonElsewhere: boolean): Promise<AgentFacts> {
  const { meta } = deps.ledger;
  const noted = daemonElsewhere ? meta.get(DAEMONS_AGENTS) : null;
  if (noted !== null) return parseAgentFacts(noted);
  const kept: Kept | null = JSON.parse(meta.get(AGENTS_HERE) ?? 'null');
  if (kept !== null && kept.stamp === stampOfAll(deps, kept)) {
    const facts = parseAgentFacts(kept.facts);
    // A missing program may come in more ways than a stamp shows.
    if ([...facts.agents.values()].every((problem) => problem === null)) return facts;
  }
  const { createRunners } = await import('../agents/registry.ts');
  const needs = needsOf(deps);
  // Before the look: the next look finds what changes during this one.
  const stamp = stampOfAll(deps, needs);
  const facts = await findAgentFacts(deps, createRunners());
  try {
    const fresh: Kept = { ...needs, stamp, facts: formatAgentFacts(facts) };
    meta.set(AGENTS_HERE, JSON.stringify(fresh));
  } catch (error) {
    // A room that may only be read can be listed all the same.
    if (!isPassing(error)) throw error;
  }
  return facts;
}

type Needs = ReturnType<typeof needsOf>;
type Kept = Needs & { stamp: string; facts: string };

/** The variables that agents ask for by name, and what they set as their own PATH. */
function needsOf({ agents, effects }: TaskRoom) {
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
