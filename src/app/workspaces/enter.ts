// A turn's way into the workspace of its task, beside a room and at a worker alike: a worktree of each of its repositories is found or
// made, each step on record before the next, so that a crash anywhere is taken up by the next turn; and the person's hooks around it.
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { runChecks } from '../../agents/process/run-check.ts';
import { leadsInto } from '../../agents/workspace/contained-path.ts';
import { faultOf, type Git, tipOf } from '../../agents/workspace/git.ts';
import type { Project, Trouble } from '../../agents/workspace/project.ts';
import { copyOf, headOf, needsPerson, openRepository, readProject } from '../../agents/workspace/project.ts';
import { openWorktree, workspaceNames } from '../../agents/workspace/worktree.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { RepositorySource, WorkspaceSource } from '../../core/config/workspace-source.ts';
import { sourcesOf, unseenByWorkers } from '../../core/config/workspace-source.ts';
import type { KeyedMutex } from '../../core/keyed-mutex.ts';
import { describeCheck } from '../../core/rules/checks.ts';
import type { Effects } from '../../effects.ts';
import type { Entered, WorkspaceTurn } from '../../pulse/ports.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';

export interface WorkspaceRoom {
  dir: string; // Absolute path of the room, or of what stands for it.
  /** A row for each repository of a task, on record before anything is made, so that what a crash leaves is found. */
  records: {
    of(task: string): WorkspaceRow[];
    put(row: WorkspaceRow): void;
    delete(task: string, name: string): void;
  };
  root(): string; // Absolute path of the folder that they all lie in.
  repositories: string; // Absolute path of the folder that this machine's copies of repositories lie in.
  git: Git;
  byTurns: KeyedMutex['run']; // What changes a project's worktrees, by the project's path.
  effects: Effects;
  maxOutputBytes(): number;
}

type Refused = Extract<Entered, { ok: false }>;
type Rows = readonly [WorkspaceRow, ...WorkspaceRow[]];

/** A repository of a turn's workspace as it is on this machine; new branches begin at its head. */
export interface OpenedRepository extends Pick<RepositorySource, 'name' | 'address'> {
  project: Project;
  onto: string | null; // What was named for the beginning.
}

/** The folder of a task's workspace: its worktree, or what holds the worktrees of several repositories. */
export const folderOf = ({ name, path }: Pick<WorkspaceRow, 'name' | 'path'>): string =>
  name === '' ? path : dirname(path);

export function inWorkspace(agent: AgentConfig, row: Pick<WorkspaceRow, 'name' | 'path' | 'prefix'>) {
  return { ...agent, cwd: join(folderOf(row), row.prefix) };
}

export async function enterWorkspace(room: WorkspaceRoom, turn: WorkspaceTurn): Promise<Entered> {
  if (turn.agent.workspace === null) return { ok: true, agent: turn.agent };
  const source = sourceOf(turn, turn.agent.workspace);
  const opened = 'ok' in source ? source : await openRepositories(room, turn, source);
  return 'ok' in opened ? refusal(opened) : enterRepositories(room, turn, opened);
}

/** What the task names instead of what its agent's workspace is of. */
function sourceOf(
  { repositories: said = [] }: WorkspaceTurn,
  own: WorkspaceSource,
): WorkspaceSource | Trouble {
  if (said.length === 0) return own;
  const repositories = sourcesOf(said);
  if ('fault' in repositories) return needsPerson(`repositories of the task: ${repositories.fault}`);
  return { repositories, folder: '' };
}

async function openRepositories(room: WorkspaceRoom, turn: WorkspaceTurn, source: WorkspaceSource) {
  const known = room.records.of(turn.task);
  const opened: OpenedRepository[] = [];
  for (const one of source.repositories) {
    const row = known.find(({ name }) => name === one.name);
    const onto = turn.base ?? one.base;
    const found = await openProject(room, turn.agent, { ...one, base: onto }, row);
    if ('ok' in found) return found;
    const isOfCwd = one.address === null && one.project === null;
    const project = { ...found, prefix: isOfCwd ? found.prefix : source.folder };
    opened.push({ name: one.name, address: one.address, project, onto });
  }
  return opened;
}

async function openProject(
  { dir, git, byTurns, repositories }: WorkspaceRoom,
  { cwd }: AgentConfig,
  { address, project: path, base }: RepositorySource,
  known: WorkspaceRow | undefined,
): Promise<Project | Trouble> {
  if (address === null) {
    const reading = await readProject(git, resolve(dir, path ?? cwd ?? '.'));
    if (!reading.ok) return reading;
    const { project } = reading;
    if (path !== null && project.prefix !== '')
      return needsPerson(`${path} lies inside the git project ${project.dir}; name that one`);
    if (base === null || known !== undefined) return project;
    const head = await byTurns(project.dir, () => headOf(git, project.dir, base, project.dir));
    return typeof head === 'string' ? { ...project, head } : head;
  }
  // A repository that is away keeps nobody from a workspace that is there.
  return byTurns(copyOf(repositories, address), async () => {
    const opened = await openRepository(git, repositories, address, known !== undefined);
    if (!opened.ok) return opened;
    const head = known === undefined ? await headOf(git, opened.dir, base, address) : known.base;
    return typeof head === 'string' ? { dir: opened.dir, prefix: '', head } : head;
  });
}

export async function enterRepositories(
  room: WorkspaceRoom,
  turn: WorkspaceTurn,
  opened: readonly OpenedRepository[],
): Promise<Entered> {
  const made = await findOrMake(room, turn, opened);
  if ('ok' in made) return made;
  const inside = { ...turn, agent: inWorkspace(turn.agent, made[0]) };
  if (made.some(({ state }) => state !== 'ready')) {
    const fault = await runHook(room, inside, 'after_create');
    if (fault !== null) return { ok: false, reason: 'exit', message: fault };
    for (const row of made) room.records.put({ ...row, state: 'ready' });
  }
  const fault = await runHook(room, inside, 'before_run');
  return fault === null ? { ok: true, agent: inside.agent } : { ok: false, reason: 'exit', message: fault };
}

async function findOrMake(
  room: WorkspaceRoom,
  turn: WorkspaceTurn,
  opened: readonly OpenedRepository[],
): Promise<Rows | Refused> {
  const { git, byTurns, records, root } = room;
  const rows = rowsFor(room, turn, opened);
  if ('ok' in rows) return rows;
  const known = records.of(turn.task);
  const isNew = (row: WorkspaceRow) => !known.some(({ name }) => name === row.name);
  for (const row of rows.filter(isNew)) records.put(row);
  const made: WorkspaceRow[] = [];
  for (const [at, row] of rows.entries()) {
    // One whose turns ran on other machines has nobody's work here.
    const wasCutShort = !isNew(row) && (row.state === 'making' || row.remote);
    const inside = row.name === '' ? root() : join(root(), basename(folderOf(row)));
    const place = { root: inside, folder: basename(row.path), branch: row.branch, wasCutShort };
    const { project } = opened[at]!;
    const found = await byTurns(project.dir, () => openWorktree(git, { ...place, project }));
    if (!found.ok) return refusal(found);
    const isAsItWas = found.how === 'found' && row.state !== 'making' && !row.remote;
    made.push({ ...row, path: found.path, state: isAsItWas ? row.state : 'made', remote: false });
    records.put(made.at(-1)!);
  }
  const [first] = made;
  const inside = join(folderOf(first!), first!.prefix);
  const isFolder = statSync(inside, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && leadsInto(folderOf(first!), inside)) return made as unknown as Rows;
  return refusal(needsPerson(`"cwd" names ${first!.prefix}, which is no folder of ${first!.branch}`));
}

/** What is on record of each repository of a task's workspace, or is to be. */
function rowsFor(
  { records, root, effects }: WorkspaceRoom,
  { agent, task, name }: WorkspaceTurn,
  opened: readonly OpenedRepository[],
): Rows | Refused {
  const known = records.of(task);
  const names = workspaceNames(task, name);
  const [first] = known;
  const branch = first?.branch ?? names.branch;
  const folder = first === undefined ? join(root(), names.folder) : folderOf(first);
  const rows: WorkspaceRow[] = [];
  for (const { name, address, project, onto } of opened) {
    const { dir, prefix, head } = project;
    const row = known.find((each) => each.name === name);
    const other = row ?? known.find((each) => each.name === '' || name === '');
    if (other !== undefined && (other !== row || other.project !== dir)) {
      const what = other === row ? '' : other.name === '' ? ' alone' : ' and others';
      const message = `the workspace of this task belongs to ${other.project}${what}, and its agent or its file names ${dir} now`;
      return refusal(needsPerson(`${message}; taskroom discard ${task} removes it, or name that again`));
    }
    const path = name === '' ? folder : join(folder, name);
    const fresh: WorkspaceRow = {
      ...{ task, name, agent: agent.id, path, branch, project: dir, address, prefix, base: head, onto },
      ...{ state: 'making', remote: false, createdAt: effects.now(), kept: null },
    };
    rows.push(row === undefined ? fresh : { ...row, prefix: (address ?? name) ? prefix : row.prefix });
  }
  return rows as unknown as Rows;
}

export function refusal({ passes, message }: { passes: boolean; message: string }): Refused {
  return { ok: false, reason: passes ? 'exit' : 'refused', message };
}

/** Runs a person's own shell command around the life of a workspace: in it, with the environment of a turn, bounded.
 * @param turn with the agent as it is in the workspace
 * @returns what went wrong, its last lines with it; null for nothing */
export async function runHook(room: WorkspaceRoom, about: WorkspaceTurn, hook: keyof AgentConfig['hooks']) {
  const { turn, task, agent, dir, signal, alive } = about;
  const command = agent.hooks[hook];
  if (agent.workspace === null || command === null) return null;
  const [result] = await runChecks({
    commands: [command],
    ...{ turn: { id: turn }, task: { id: task }, room: room.dir, dir, agent, effects: room.effects },
    // Beside the checks of the turn, each hook in a folder of its own.
    commandsDir: join(dir, 'hooks', hook),
    ...{ reach: null, signal, alive, timeoutMs: agent.hookTimeoutMs, maxOutputBytes: room.maxOutputBytes() },
  });
  if (result === undefined || result.ended === 'ok') return null;
  const last = result.output.trim() === '' ? '' : `\n${result.output}`;
  return `${hook} failed: ${describeCheck(result)}${last}`;
}

/** Puts the workspace on record, with the commits that its branches begin at. */
export async function enterRemotely(room: WorkspaceRoom, turn: WorkspaceTurn): Promise<Entered> {
  const { agent, task } = turn;
  if (agent.workspace === null) return { ok: true, agent };
  const source = sourceOf(turn, agent.workspace);
  if ('ok' in source) return refusal(source);
  const unseen = unseenByWorkers(source);
  if (unseen !== null) return refusal(needsPerson(`${unseen.message}; ${unseen.hint}`));
  const opened = await openRepositories(room, turn, source);
  if ('ok' in opened) return refusal(opened);
  const rows = rowsFor(room, turn, opened);
  if ('ok' in rows) return rows;
  const known = room.records.of(task);
  const left = rows.filter((row) => known.some(({ name }) => name === row.name) && !row.remote);
  for (const row of left.filter(({ path }) => existsSync(path))) {
    const fault = await leaveWorktree(room, row);
    if (fault !== null) return refusal(needsPerson(fault));
  }
  // What was made here for an agent is not what checks look at.
  for (const row of rows)
    room.records.put({ ...row, state: row.remote ? row.state : 'making', remote: true });
  return { ok: true, agent: inWorkspace(agent, rows[0]) };
}

/** The task had its turns here before. Its branch goes on elsewhere; what is not committed can't. */
async function leaveWorktree({ git, byTurns }: WorkspaceRoom, row: WorkspaceRow): Promise<string | null> {
  const status = await git(row.path, 'status', '--porcelain', '--untracked-files=all');
  if (!status.ok || status.stdout !== '')
    return `${row.path} holds files that are not committed, and its next turn runs on another machine; commit them there, or remove them`;
  const removed = await byTurns(row.project, () => git(row.project, 'worktree', 'remove', row.path));
  return removed.ok ? null : removed.message;
}

/** The branches as they came back, in worktrees of no branch, for checks. Made again at another commit only where nothing is lost:
 * what checks left behind is nobody's work.
 * @returns what went wrong; null for nothing */
export async function showBranches(room: WorkspaceRoom, turn: WorkspaceTurn): Promise<string | null> {
  const rows = room.records.of(turn.task).filter(({ remote }) => remote);
  const [first] = rows;
  if (first === undefined) return null;
  let isReady = true;
  for (const row of rows) {
    const isMade = existsSync(join(row.path, '.git'));
    const fault = await room.byTurns(row.project, () => showBranch(room.git, row, isMade));
    if (fault !== null) return `${row.branch} can't be checked out at ${row.path}: ${fault}`;
    isReady = isReady && isMade && row.state === 'ready';
  }
  if (isReady) return null;
  const fault = await runHook(room, { ...turn, agent: inWorkspace(turn.agent, first) }, 'after_create');
  if (fault === null) for (const row of rows) room.records.put({ ...row, state: 'ready' });
  return fault;
}

async function showBranch(git: Git, { project, path, branch, base }: WorkspaceRow, isMade: boolean) {
  const commit = (await tipOf(git, project, branch)) ?? base;
  if (isMade) return faultOf(git(path, 'checkout', '--quiet', '--force', '--detach', commit));
  await git(project, 'worktree', 'prune');
  return faultOf(git(project, 'worktree', 'add', '--quiet', '--force', '--detach', path, commit));
}
