// Looks at whether an agent can do its work here, without asking its model anything: its folder, the version of its program, its
// sign-in, and a program that is run the way the agent's shell would run `taskroom`.
import { access, constants, mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { type AgentConfig, PRESET_NAMES } from '../../core/config/agent-config.ts';
import type { Effects } from '../../effects.ts';
import { agentEnvironment, findProgram } from '../process/launch.ts';
import type { Preset } from './presets/preset.ts';
import { PRESETS } from './presets.ts';

export type AgentFinding = { state: 'ok' | 'warn' | 'fail'; text: string; hint: string | null };

const PROGRAM_MS = 30_000;

/** What is known of an agent's program; one that is talked to needs no shell to report. */
export type KnownProgram = Pick<Preset, 'program' | 'proved' | 'signIn' | 'account' | 'shell'>;

/** @param known null for a program that is not known @param room absolute path of the room */
export async function examineProgram(
  agent: AgentConfig,
  known: KnownProgram | null,
  room: string,
  effects: Effects,
): Promise<AgentFinding[]> {
  const { env } = agentEnvironment(agent, effects);
  const file = known === null ? null : await findProgram(known.program, env.PATH ?? '', '/');
  // A program that is missing is told by the runner's own check.
  if (known === null || file === null) return [];
  const { program, proved, signIn: hint } = known;
  const cwd = resolve(room, agent.cwd ?? '.');
  const found = await checkFolder(agent, cwd);
  const shell = found.length === 0 ? await checkShell(agent, known, file, cwd, env) : [];
  const version = /\d+\.\d+\.\d+/.exec((await run(file, ['--version'], '/', env)).stdout)?.[0];
  if (version !== proved) {
    const what = version === undefined ? 'does not tell its version' : `is version ${version}`;
    const text = `${agent.id}: ${program} ${what}; the preset was proved with ${proved}`;
    found.push({ state: 'warn', text, hint: 'it may well work; docs/agents/README.md says what was proved' });
  }
  if (!(await isSignedIn(known, env)))
    found.push({ state: 'warn', text: `${agent.id}: found no sign-in of ${program}`, hint });
  found.push(...shell);
  if (found.length > 0) return found;
  const can = agent.runner === 'acp' ? `can work in ${cwd}` : `reaches taskroom from ${cwd}`;
  return [{ state: 'ok', text: `${agent.id}: ${program} ${proved} is signed in, and ${can}`, hint: null }];
}

/** The same of an agent without a program of its own: whether it can work in its folder. */
export async function examineFolder(agent: AgentConfig, room: string): Promise<AgentFinding[]> {
  const cwd = resolve(room, agent.cwd ?? '.');
  const found = await checkFolder(agent, cwd);
  const text = `${agent.id}: the runner ${agent.runner} has what it needs, and can work in ${cwd}`;
  return found.length > 0 ? found : [{ state: 'ok', text, hint: null }];
}

async function checkFolder(agent: AgentConfig, cwd: string): Promise<AgentFinding[]> {
  try {
    if (!(await stat(cwd)).isDirectory()) throw new Error('it is no folder');
    await access(cwd, constants.W_OK);
    return [];
  } catch (error) {
    const text = `${agent.id}: its cwd ${cwd} can't be used: ${(error as Error).message}`;
    const hint = `create the folder, or change "cwd" in agents/${agent.id}/agent.json`;
    return [{ state: 'fail', text, hint }];
  }
}

/** Whether there is a sign of an account: a variable, or what the program keeps in the person's home. */
async function isSignedIn(
  { account: { variables, files } }: Pick<Preset, 'account'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  if (variables.some((name) => env[name])) return true;
  for (const { path, holds } of files) {
    // Absent, or not ours to read.
    const text = await readFile(join(env.HOME || homedir(), path), 'utf8').catch(() => null);
    if (text !== null && holds.test(text)) return true;
  }
  return false;
}

// The turn's `taskroom` has to run in the program's sandbox, and to write in the turn's spool.
async function checkShell(
  { id, permissions }: AgentConfig,
  { shell, program }: KnownProgram,
  file: string,
  cwd: string,
  env: Record<string, string>,
): Promise<AgentFinding[]> {
  const spool = await mkdtemp(join(await realpath(tmpdir()), 'taskroom-probe-'));
  try {
    const words = shell?.({ permissions, spool }) ?? [];
    if (words.length === 0) return [];
    const probe = ['/bin/sh', '-c', `: > '${spool}/request' && printf reached`];
    const { stdout, stderr } = await run(file, [...words, ...probe], cwd, env);
    if (stdout.includes('reached')) return [];
    const last = (stderr || stdout).trim().split('\n').at(-1) ?? '';
    const text = `${id}: taskroom can't be run the way ${program} runs programs in ${cwd}: ${last}`;
    return [{ state: 'fail', text, hint: `docs/agents/${program}.md says what it needs` }];
  } finally {
    await rm(spool, { recursive: true, force: true });
  }
}

async function run(program: string, args: string[], cwd: string, env: Record<string, string>) {
  const { stdout, stderr, originalMessage } = await execa(program, args, {
    ...{ cwd, env, extendEnv: false, stdin: 'ignore', reject: false },
    ...{ timeout: PROGRAM_MS, forceKillAfterDelay: 1000 },
  });
  return { stdout, stderr: stderr || (originalMessage ?? '') };
}

export type CodingAgent = Awaited<ReturnType<typeof findCodingAgents>>[number];

/** Those whose program is on the PATH, in the order of the presets, with one clause that says how to sign in. */
export async function findCodingAgents({ env }: Pick<Effects, 'env'>) {
  const looks = PRESET_NAMES.map(async (preset) => {
    const { program, signIn } = PRESETS[preset];
    if ((await findProgram(program, env.PATH ?? '', '/')) === null) return [];
    return [{ preset, signedIn: await isSignedIn(PRESETS[preset], env), signIn }];
  });
  return (await Promise.all(looks)).flat();
}
