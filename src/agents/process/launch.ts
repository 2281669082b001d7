// Where and with what a turn's program starts: folder, environment, program file. What is missing is found before anything
// runs, and reported with the way to mend it.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { inheritedEnv, resolveAgentEnv } from '../../core/config/agent-env.ts';
import type { Problem } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { RunBasics } from '../runner.ts';
import { CONTEXT_FILE } from './process-identity.ts';

export type Launch = { program: string; args: string[]; cwd: string; env: Record<string, string> };

export type LaunchInput = Pick<RunBasics, 'agent' | 'room' | 'effects' | 'dir'> & {
  turn: Pick<RunBasics['turn'], 'id'>;
  task?: { id: string } | undefined;
  /** Null for a program that reports nothing: its PATH and environment lead to no bridge. */
  reach: RunBasics['reach'] | null;
};

export type Launching = { ok: true; launch: Launch } | { ok: false; message: string };

/** @param argv Program and arguments; a name without `/` is looked up on the PATH the program will have. */
export async function prepareLaunch(input: LaunchInput, argv: readonly string[]): Promise<Launching> {
  const { agent, room } = input;
  const where = `in agents/${agent.id}/agent.json`;
  const failed = (what: string, hint: string) =>
    ({ ok: false, message: `${what}; ${hint} ${where}` }) as const;
  const cwd = resolve(room, agent.cwd ?? '.');
  if (!(await isKind(cwd, 'isDirectory')))
    return failed(`the folder ${cwd} is not there`, 'create it or change "cwd"');
  const { env, missing } = agentEnvironment(agent, input.effects);
  // The agent's own variables may set anything but what tells the turn apart. Some programs trust PWD more than the folder they run in.
  env.PWD = cwd;
  delete env.TASKROOM_BRIDGE;
  if (input.reach !== null) {
    env.PATH = [dirname(input.reach.program), env.PATH].filter(Boolean).join(delimiter);
    env.TASKROOM_BRIDGE = input.reach.dir;
    env.TASKROOM_NODE = process.execPath;
  }
  env.AGENT_ROOM = room;
  // The runtime may itself have been started inside a task's turn.
  if (input.task) env.TASKROOM_TASK = input.task.id;
  else delete env.TASKROOM_TASK;
  env.TASKROOM_TURN = input.turn.id;
  env.TASKROOM_CONTEXT = join(input.dir, CONTEXT_FILE);
  if (missing.length > 0)
    return failed(`not set in the environment: ${missing.join(', ')}`, 'set it or change "env"');
  const [name = '', ...args] = argv;
  const program = await findProgram(name, env.PATH ?? '', cwd);
  const setting = agent.preset ? 'preset' : 'command';
  const hint = `install it, put it on the PATH, or change "${setting}"`;
  if (program === null) return failed(`${notFound(name)} (${lookedIn(cwd, env.PATH)})`, hint);
  return { ok: true, launch: { program, args, cwd, env } };
}

/** What an agent's programs find in their environment, beside what tells a turn apart; no secret of the runtime. */
export function agentEnvironment({ env }: Pick<AgentConfig, 'env'>, effects: Effects) {
  const own = resolveAgentEnv(env, effects.env);
  return { env: { ...inheritedEnv(effects.env, effects.withheld), ...own.env }, missing: own.missing };
}

/** Something that keeps an agent from running here, as a problem of its file. */
export function agentProblem({ id }: Pick<AgentConfig, 'id'>, message: string, hint: string): Problem {
  return { path: `agents/${id}/agent.json`, line: 1, col: 1, message, hint };
}

/** The variables an agent asks for by `{"from": NAME}` that are not set here, as problems. */
export function environmentProblems(agent: AgentConfig, missing: readonly string[]): Problem[] {
  const hint = 'set it where the runtime starts, or change "env"';
  return missing.map((name) => agentProblem(agent, `the environment variable ${name} is not set`, hint));
}

/** The same, its folder and its program. What lies in the workspace of a task is looked at when a turn starts: only then is it there.
 * @param room absolute path, null where it is not known */
export async function missingHere(
  agent: AgentConfig,
  effects: Effects,
  room: string | null,
  program: string,
  hint: string,
): Promise<Problem[]> {
  const { env, missing } = agentEnvironment(agent, effects);
  const problems = environmentProblems(agent, missing);
  const isKnown = room !== null && agent.workspace === null;
  const cwd = isKnown ? resolve(room, agent.cwd ?? '.') : '/';
  if (!(await isKind(cwd, 'isDirectory')))
    return [...problems, agentProblem(agent, `the folder ${cwd} is not there`, 'create it or change "cwd"')];
  const isRelative = program.includes('/') && !program.startsWith('/');
  const { PATH = '' } = env;
  if ((isRelative && !isKnown) || (await findProgram(program, PATH, cwd)) !== null) return problems;
  return [...problems, agentProblem(agent, notFound(program), `${hint}; ${lookedIn(cwd, PATH)}`)];
}

const notFound = (program: string) => `the program ${JSON.stringify(program)} was not found`;
const lookedIn = (cwd: string, path = '') => `looked in the folder ${cwd}, with the PATH ${path}`;

/** The absolute path of an executable file, or null. Names with a slash, and empty or relative folders of `path`, count from `cwd`. */
export async function findProgram(name: string, path: string, cwd: string): Promise<string | null> {
  if (name === '' || name.includes('\0')) return null;
  const folders = name.includes('/') ? ['.'] : path.split(delimiter);
  for (const candidate of folders.map((folder) => resolve(cwd, folder, name)))
    if (await isKind(candidate, 'isFile')) return candidate;
  return null;
}

/** Whether a folder is there, or a file that this process may execute. */
async function isKind(path: string, kind: 'isFile' | 'isDirectory'): Promise<boolean> {
  try {
    if (kind === 'isFile') await access(path, constants.X_OK);
    return (await stat(path))[kind]();
  } catch {
    return false;
  }
}
