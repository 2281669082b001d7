// Runs git in a project, as the person who runs taskroom. Nothing that lies in the project runs with it: no hook, no
// monitor, and no program that its own settings name, which an agent could have put there.
import { execa } from 'execa';
import { inheritedEnv } from '../../core/config/agent-env.ts';
import { LIST_SETTINGS, settingsOfPerson } from '../../core/config/git-config.ts';
import type { Effects } from '../../effects.ts';

interface GitEnd {
  ok: boolean;
  stdout: string;
  /** What git said, on one line; '' when all went well. */
  message: string;
}

export type Git = (cwd: string, ...args: string[]) => Promise<GitEnd>;

/** What went wrong; null for nothing. */
export async function faultOf(end: Promise<GitEnd>): Promise<string | null> {
  const { ok, message } = await end;
  return ok ? null : message;
}

const TIMEOUT_MS = 300_000;
const MAX_CHARS = 8 * 2 ** 20;
const MAX_MESSAGE = 400;
/** What runs at the other side of a remote, which its settings could name: of several there the first one counts. */
const OTHER_SIDE: Readonly<Record<string, readonly string[]>> = {
  push: ['--receive-pack=git-receive-pack'],
  fetch: ['--upload-pack=git-upload-pack'],
};

/** What is withheld neither git nor what it starts gets to see. @param variables further ones for git */
export function createGit(
  { env, withheld }: Pick<Effects, 'env' | 'withheld'>,
  variables: Readonly<Record<string, string>> = {},
): Git {
  // What points git at another repository than the one it is started in.
  const misleading = Object.keys(env).filter((name) => name.startsWith('GIT_'));
  const own = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C', ...variables };
  return async (cwd, ...args) => {
    const environment = { ...inheritedEnv(env, new Set([...withheld, ...misleading])), ...own };
    const run = (words: readonly string[], settings = {}) =>
      execa('git', words, {
        ...{ cwd, extendEnv: false, stdin: 'ignore', reject: false },
        ...{ timeout: TIMEOUT_MS, maxBuffer: MAX_CHARS, env: { ...environment, ...settings } },
      });
    const listed = await run(LIST_SETTINGS);
    const [command = '', ...rest] = args;
    const words = [command, ...(OTHER_SIDE[command] ?? []), ...rest];
    const result = listed.failed ? listed : await run(words, settingsOfPerson(listed.stdout));
    const { failed, code, stdout = '', stderr = '', originalMessage, exitCode } = result;
    if (!failed) return { ok: true, stdout, message: '' };
    if (code === 'ENOENT') return { ok: false, stdout, message: 'the program git was not found; install it' };
    const fault = stderr.trim() || originalMessage || `exit code ${exitCode}`;
    return { ok: false, stdout, message: fault.replace(/\s*\n\s*/g, ' ').slice(0, MAX_MESSAGE) };
  };
}
