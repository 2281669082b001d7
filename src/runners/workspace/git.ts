// Runs git in a project, as the person who runs taskroom. Nothing that lies in the project runs with it: no hook and no
// monitor, which an agent could have put there.

import { execa } from 'execa';
import { inheritedEnv } from '../../core/config/agent-env.ts';
import type { Effects } from '../../effects.ts';

export interface GitEnd {
  ok: boolean;
  /** Without the last line end. */
  stdout: string;
  /** What git said, on one line; '' when all went well. */
  message: string;
}

export type Git = (cwd: string, ...args: string[]) => Promise<GitEnd>;

const TIMEOUT_MS = 300_000;
const MAX_CHARS = 8 * 2 ** 20;
const MAX_MESSAGE = 400;

/** @param withheldEnv names of secrets that git, and what it starts, does not get to see */
export function createGit({ env }: Pick<Effects, 'env'>, withheldEnv: readonly string[]): Git {
  // What points git at another repository than the one it is started in.
  const misleading = Object.keys(env).filter((name) => name.startsWith('GIT_'));
  const own = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  const environment = { ...inheritedEnv(env, [...withheldEnv, ...misleading]), ...own };
  return async (cwd, ...args) => {
    const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
    const result = await execa('git', [...quiet, ...args], {
      cwd,
      env: environment,
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_CHARS,
    });
    const stdout = String(result.stdout ?? '');
    if (!result.failed) return { ok: true, stdout, message: '' };
    if (result.code === 'ENOENT')
      return { ok: false, stdout, message: 'the program git was not found; install it' };
    const said =
      String(result.stderr ?? '').trim() || result.originalMessage || `exit code ${result.exitCode}`;
    const message = said.replace(/\s*\n\s*/g, ' ').slice(0, MAX_MESSAGE);
    return { ok: false, stdout, message };
  };
}
