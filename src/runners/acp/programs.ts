// The programs that are known to speak the protocol: how each is started, and what has to be said to it beforehand so that
// it asks leave where it would not by itself.
import type { PresetName } from '../../core/config/agent-config.ts';
import { PRESETS } from '../command/presets.ts';
import type { RunInput } from '../runner.ts';

export interface AcpProgram {
  /** Its name, for people. */
  program: string;
  argv: string[];
  /** Variables beside those it inherits. */
  env: Record<string, string>;
  signIn: string;
  /** Whether `model` is said by its arguments and not in the protocol. */
  namesModel: boolean;
}

interface Known {
  program: string;
  install: string;
  args?(input: Pick<RunInput, 'agent' | 'mcp'>): string[];
  env?(input: Pick<RunInput, 'agent' | 'effects'>): Record<string, string>;
  namesModel?: true;
}

const KNOWN: Readonly<Record<PresetName, Known>> = {
  claude: {
    program: 'claude-agent-acp',
    install: 'install it: npm install -g @agentclientprotocol/claude-agent-acp',
    // As root it refuses to start at all, unless it is told that nothing else is at stake.
    env: ({ agent }): Record<string, string> => (agent.permissions === 'all' ? { IS_SANDBOX: '1' } : {}),
  },
  codex: {
    program: 'codex-acp',
    install: 'install it: npm install -g @agentclientprotocol/codex-acp',
  },
  gemini: {
    program: 'gemini',
    install: PRESETS.gemini.install,
    args: ({ agent }) => [
      ...['--acp', '--skip-trust'],
      ...(agent.model === null ? [] : ['--model', agent.model]),
    ],
    namesModel: true,
  },
  opencode: {
    program: 'opencode',
    install: PRESETS.opencode.install,
    args: () => ['acp'],
    env: ({ agent, effects }) => ({
      OPENCODE_CONFIG_CONTENT: askingConfig(agent.permissions === 'all', effects.env.OPENCODE_CONFIG_CONTENT),
    }),
  },
  copilot: {
    program: 'copilot',
    install: PRESETS.copilot.install,
    args: ({ agent }) => ['--acp', ...(agent.model === null ? [] : ['--model', agent.model])],
    namesModel: true,
  },
};

/** By itself it asks for nothing, and ends its turn over the first call that is refused. */
function askingConfig(allowsAll: boolean, inherited: string | undefined): string {
  let config: Record<string, unknown> = {};
  try {
    config = JSON.parse(inherited ?? '{}') as Record<string, unknown>;
  } catch {
    // opencode itself would refuse it as well; its own files still hold.
  }
  const asked = ['edit', 'bash', 'webfetch', 'external_directory'];
  const permission = Object.fromEntries(asked.map((name) => [name, allowsAll ? 'allow' : 'ask']));
  const experimental = { ...(config.experimental as object | undefined), continue_loop_on_deny: true };
  return JSON.stringify({ ...config, permission: { ...permission, doom_loop: 'deny' }, experimental });
}

/** What to start for an agent. */
export function programOf(input: Pick<RunInput, 'agent' | 'mcp' | 'effects'>): AcpProgram {
  const { preset, command, args, id } = input.agent;
  if (preset === null) {
    const argv = command ?? [];
    const signIn = 'sign in to it in a terminal first';
    return { program: shownName(argv, id), argv, env: {}, signIn, namesModel: false };
  }
  const known = KNOWN[preset];
  return {
    program: known.program,
    argv: [known.program, ...(known.args?.(input) ?? []), ...args],
    env: known.env?.(input) ?? {},
    signIn: PRESETS[preset].signIn,
    namesModel: known.namesModel === true,
  };
}

/** What to do when the program is missing. */
export function installHint({ preset }: RunInput['agent']): string {
  return preset === null ? 'install it or change "command"' : KNOWN[preset].install;
}

/** A line for the shell names no program that a person would know it by. */
function shownName([program = '', option]: readonly string[], agent: string): string {
  return option === '-c' ? agent : (program.split('/').at(-1) ?? program);
}
