// A doctor's look at a room: every check of every layer, put together.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { acpProgramOf } from '../../agents/acp/programs.ts';
import { type AgentFinding, examineFolder, examineProgram } from '../../agents/command/examine.ts';
import { PRESETS } from '../../agents/command/presets.ts';
import { createRunners } from '../../agents/registry.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { Problem } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import { examineRoom } from '../../tasks/doctor/doctor.ts';
import type { Finding, RoomHandle, TaskRoom } from '../../tasks/task-room.ts';
import { atWork, tidyOwnFolders } from '../../tasks/views/agent-folder.ts';
import { withholdSecrets } from '../mirrors/room-providers.ts';
import { checkMirrors, type Found } from './examine-mirrors.ts';

/** Every check of the room, in the order of reading; runs the agents' own programs. @throws RoomError */
export const examine = async (deps: RoomHandle): Promise<Finding[]> =>
  examineRoom(deps, {
    checkAgents: () => checkAgents(deps),
    examineAgents: () => examineAgents(deps),
    checkMirrors: () => checkMirrors(deps),
    checkWorkspaces: async () => [...ownFolders(deps), ...(await checkWorktrees(deps))],
    examineQueue: async () =>
      deps.config().queue.postgres === null ? [] : (await import('./examine-queue.ts')).examineQueue(deps),
  });

async function checkAgents({ agents, effects, room }: TaskRoom): Promise<Problem[]> {
  const runners = createRunners();
  const check = (agent: AgentConfig) => runners.get(agent.runner)?.check(agent, effects, room.dir) ?? [];
  return (await Promise.all([...agents().values()].map(check))).flat();
}

const DOCTORS = 'doctor' as ThreadId; // For an agent that has a folder for each task.

/** Runs the agents' own programs, one after another. */
async function examineAgents(deps: TaskRoom): Promise<AgentFinding[]> {
  const { agents, effects, room } = deps;
  await withholdSecrets(deps);
  const found: AgentFinding[] = [];
  const runners = createRunners();
  for (const settings of agents().values()) {
    const agent = atWork(deps, settings, DOCTORS);
    const talks = agent.runner === 'acp' || agent.runner === 'model';
    const preset = agent.preset && PRESETS[agent.preset];
    const looked = agent.runner === 'acp' ? acpProgramOf(agent) : preset;
    if (!talks || looked !== null) found.push(...(await examineProgram(agent, looked, room.dir, effects)));
    // The runner's own check says what is missing.
    else if ((await runners.get(agent.runner)!.check(agent, effects, room.dir)).length === 0)
      found.push(...(await examineFolder(agent, room.dir)));
  }
  return found;
}

/** Folders of agents without `cwd` are never removed, only counted. */
function ownFolders(deps: TaskRoom): Found[] {
  const kept = tidyOwnFolders(deps, () => true);
  if (kept.length === 0) return [];
  const one = kept.length === 1;
  const text = `${one ? 'a folder' : `${kept.length} folders`} of agents without "cwd" ${one ? 'holds' : 'hold'} files, in ${dirname(kept[0]!)}`;
  return [{ state: 'ok', text, hint: null }];
}

async function checkWorktrees({ ledger }: TaskRoom): Promise<Found[]> {
  const rows = ledger.workspaces.all();
  if (rows.length === 0) return [];
  const sizes = await Promise.all(rows.map(({ path }) => sizeOf(path)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const count = `${rows.length} ${rows.length === 1 ? 'workspace' : 'workspaces'}`;
  const found: Found[] = [{ state: 'ok', text: `${count}, ${megabytes(total)}`, hint: null }];
  for (const [at, { path, branch, kept, remote, project }] of rows.entries()) {
    if (kept !== null) {
      const text = `${path} (${megabytes(sizes[at]!)}) is kept though its task is archived: ${kept}`;
      const removal = remote
        ? `git -C ${project} branch -D ${branch}`
        : `git worktree remove --force ${path}`;
      found.push({ state: 'warn', text, hint: `merge or push ${branch}, or remove it: ${removal}` });
    } else if (!remote && !existsSync(path)) {
      const text = `${path} is gone; the next turn of its task makes it again from ${branch}`;
      found.push({ state: 'warn', text, hint: 'what was not committed there is lost' });
    }
  }
  return found;
}

/** Bytes on disk; 0 where nothing is there. */
async function sizeOf(path: string): Promise<number> {
  if (!existsSync(path)) return 0;
  const { stdout } = await execa('du', ['-sk', path], { reject: false });
  return (Number.parseInt(String(stdout ?? ''), 10) || 0) * 1024;
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0)} MiB`;
