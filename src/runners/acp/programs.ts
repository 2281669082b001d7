// The programs that are known to speak the protocol: how each is started, and what has to be said to it beforehand so that
// it asks leave where it would not by itself.
import type { PresetName } from '../../core/config/agent-config.ts';
import type { Looked } from '../command/examine.ts';
import { claudeEnv } from '../command/presets/claude.ts';
import { CODEX_WAITS } from '../command/presets/codex.ts';
import { copilotAlone, copilotEnv, copilotMcp } from '../command/presets/copilot.ts';
import { geminiHome } from '../command/presets/gemini.ts';
import { opencodeConfig } from '../command/presets/opencode.ts';
import { type FolderOfLinks, MCP_SERVER, option, type PresetStart } from '../command/presets/preset.ts';
import { PRESETS } from '../command/presets.ts';
import { type Fields, fieldsOf, readJsonFields } from '../command/reading/fields.ts';
import type { RunInput, TurnMcpServer } from '../runner.ts';

export interface AcpProgram {
  program: string;
  argv: string[];
  signIn: string;
  /** Whether `model` is said by its arguments and not in the protocol. */
  namesModel: boolean;
  /** What it is told before it starts; nothing of a program that is not known. */
  prepare(turn: AcpTurn): AcpPreparation;
}

/** What one turn asks of its program. All paths are absolute. */
export interface AcpTurn {
  agent: RunInput['agent'];
  /** The turn's folder. */
  dir: string;
  /** Where the turn's `taskroom` puts requests: all of the turn that a sandbox has to let it write. */
  spool: string;
  /** Folders of git that a commit in its `cwd` writes to; empty outside a repository. */
  gitDirs: readonly string[];
  mcp: TurnMcpServer | null;
  /** What the program will find in its environment. */
  env: Readonly<Record<string, string | undefined>>;
  readText(path: string): string | null;
}

export interface AcpPreparation {
  /** Beside those it is always started with. */
  args?: string[];
  env?: Record<string, string>;
  /** Files the program is pointed at: absolute path and text, made before it starts. */
  files?: PresetStart['files'];
  links?: FolderOfLinks[];
  /** It has the turn's MCP server by what is said here: its session is to have none. */
  hasMcp?: true;
  session?: SessionWords;
  /** Id of the mode that it is put into once its session is open. */
  mode?: string;
}

/** Said when a session is opened or taken up, beside its folder and its servers. */
export interface SessionWords {
  /** Absolute paths; for agents that take them. */
  additionalDirectories?: string[];
  _meta?: Record<string, unknown>;
}

interface Known {
  program: string;
  /** Version of the program that it was proved with. */
  proved: string;
  install: string;
  args?(agent: RunInput['agent']): string[];
  prepare?(turn: AcpTurn): AcpPreparation;
  namesModel?: true;
}

const NO_BYPASS = {
  claudeCode: { options: { allowDangerouslySkipPermissions: false, settingSources: ['user'] } },
};

export const ACP_PROGRAMS: Readonly<Record<PresetName, Known>> = {
  claude: {
    program: 'claude-agent-acp',
    proved: '0.101.0',
    install: 'install it: npm install -g @agentclientprotocol/claude-agent-acp',
    // By itself a model of its own decides what it may do, and the person's settings may have it ask nobody.
    prepare: ({ agent, env }) =>
      agent.permissions === 'all'
        ? // As root it refuses to let everything pass, unless it is told that nothing else is at stake.
          { mode: 'bypassPermissions', env: { ...claudeEnv(env), IS_SANDBOX: '1' } }
        : { mode: 'default', env: claudeEnv(env), session: { _meta: NO_BYPASS } },
  },
  codex: {
    program: 'codex-acp',
    proved: '2.6.0',
    install: 'install it: npm install -g @agentclientprotocol/codex-acp',
    prepare: prepareCodex,
  },
  gemini: {
    program: 'gemini',
    proved: PRESETS.gemini.proved,
    install: PRESETS.gemini.install,
    args: (agent) => ['--acp', '--skip-trust', ...option('--model', agent.model)],
    // Its tools come by the session. Files outside its folders it can't read, whoever allows it.
    prepare: (turn) => ({
      ...geminiHome({ ...turn, mcp: null }),
      args: turn.agent.permissions === 'edit' ? [] : ['--include-directories', turn.dir],
    }),
    namesModel: true,
  },
  opencode: {
    program: 'opencode',
    proved: PRESETS.opencode.proved,
    install: PRESETS.opencode.install,
    args: () => ['acp'],
    prepare: ({ agent: { permissions }, dir, env }) =>
      opencodeConfig(
        { permissions, dir, env },
        askingConfig(permissions === 'all', env.OPENCODE_CONFIG_CONTENT),
      ),
  },
  copilot: {
    program: 'copilot',
    proved: PRESETS.copilot.proved,
    install: PRESETS.copilot.install,
    args: (agent) => ['--acp', ...option('--model', agent.model)],
    // Over the protocol it takes no server that is a program.
    prepare: ({ agent, mcp, env, dir }) => ({
      args: [...copilotAlone(agent), ...copilotMcp(mcp), ...refusedByCopilot(agent)],
      env: copilotEnv({ env, dir }),
      hasMcp: true,
    }),
    namesModel: true,
  },
};

/** It ends its turn over a call that it is refused, but not over one that a rule of its own forbids. */
function refusedByCopilot({ permissions, approve }: RunInput['agent']): string[] {
  const rules = { execute: '--deny-tool=shell', fetch: '--deny-tool=url' } as const;
  return (['execute', 'fetch'] as const)
    .filter((kind) => (approve[kind] ?? (permissions === 'edit' ? 'deny' : 'allow')) === 'deny')
    .map((kind) => rules[kind]);
}

/**
 * It sets up its sandbox and whom it asks by one mode, which by itself has another model decide. A server that a session
 * brings has its calls asked about as if they were commands; one of the configuration can be trusted.
 */
function prepareCodex({ agent, env, mcp, spool, gitDirs }: AcpTurn): AcpPreparation {
  const own = readJsonFields(env.CODEX_CONFIG);
  const server = mcp && {
    command: mcp.command,
    args: mcp.args,
    default_tools_approval_mode: 'approve',
    ...CODEX_WAITS,
  };
  const config = {
    // A login shell sets the PATH anew, and `taskroom` is gone from it.
    allow_login_shell: false,
    ...own,
    // What lies in its folder an agent may have written itself.
    ...(agent.permissions !== 'all' && {
      ...{ project_doc_max_bytes: 0, skills: { ...fieldsOf(own.skills), include_instructions: false } },
    }),
    ...(server && { mcp_servers: { ...fieldsOf(own.mcp_servers), [MCP_SERVER]: server } }),
  };
  const mode = codexMode(agent);
  return {
    env: { CODEX_CONFIG: JSON.stringify(config), INITIAL_AGENT_MODE: env.INITIAL_AGENT_MODE || mode },
    hasMcp: true,
    // `.git` is read-only to it unless it is named.
    session: { additionalDirectories: [spool, ...(agent.permissions === 'run' ? gitDirs : [])] },
  };
}

/** By itself it asks for nothing, and ends its turn over the first call that is refused. */
function askingConfig(allowsAll: boolean, inherited: string | undefined): Fields {
  const config = readJsonFields(inherited);
  const asked = ['edit', 'bash', 'webfetch', 'external_directory'];
  const permission = Object.fromEntries(asked.map((name) => [name, allowsAll ? 'allow' : 'ask']));
  const experimental = { ...fieldsOf(config.experimental), continue_loop_on_deny: true };
  return { ...config, permission: { ...permission, doom_loop: 'deny' }, experimental };
}

/** It runs what its sandbox lets it without a word: where a command is to be asked about, that must let it change nothing. */
function codexMode({ permissions, approve }: RunInput['agent']): string {
  if ((approve.execute ?? 'allow') !== 'allow') return 'read-only';
  return permissions === 'all' ? 'agent-full-access' : 'workspace-write';
}

export function programOf(agent: RunInput['agent']): AcpProgram {
  const { preset, command, args, id } = agent;
  if (preset === null) {
    const argv = command ?? [];
    const signIn = 'sign in to it in a terminal first';
    return { program: shownName(argv, id), argv, signIn, namesModel: false, prepare: () => ({}) };
  }
  const known = ACP_PROGRAMS[preset];
  return {
    program: known.program,
    argv: [known.program, ...(known.args?.(agent) ?? []), ...args],
    signIn: PRESETS[preset].signIn,
    namesModel: known.namesModel === true,
    prepare: (turn) => known.prepare?.(turn) ?? {},
  };
}

/** What there is to be looked at of an agent's program before any turn; null where it is not known. */
export function talkerOf({ preset }: Pick<RunInput['agent'], 'preset'>): Looked | null {
  if (preset === null) return null;
  const { program, proved } = ACP_PROGRAMS[preset];
  const { signIn, account } = PRESETS[preset];
  return { program, proved, signIn, account };
}

export function installHint({ preset }: RunInput['agent']): string {
  return preset === null ? 'install it or change "command"' : ACP_PROGRAMS[preset].install;
}

/** A line for the shell names no program that a person would know it by. */
function shownName([program = '', option]: readonly string[], agent: string): string {
  return option === '-c' ? agent : (program.split('/').at(-1) ?? program);
}
