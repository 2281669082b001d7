// The programs that are known to speak the protocol: how each is started, and what it has to be told beforehand so that it
// asks leave where it would not by itself.
import type { PresetName } from '../../core/config/agent-config.ts';
import type { KnownProgram } from '../command/examine.ts';
import { claudeEnv } from '../command/presets/claude.ts';
import { codexServer } from '../command/presets/codex.ts';
import { copilotAlone, copilotEnv, copilotMcp } from '../command/presets/copilot.ts';
import { geminiHome } from '../command/presets/gemini.ts';
import { opencodeConfig } from '../command/presets/opencode.ts';
import { option, type Preset, type PresetStart, type PresetTurn } from '../command/presets/preset.ts';
import { PRESETS } from '../command/presets.ts';
import { MCP_SERVER } from '../command/reading/events.ts';
import { type Fields, fieldsOf, parseFields } from '../command/reading/fields.ts';
import type { RunInput, TurnMcpServer } from '../runner.ts';

export interface AcpProgram extends Pick<Preset, 'program' | 'install' | 'signIn'> {
  argv: string[];
  /** Whether `model` is said by its arguments and not in the protocol. */
  namesModel: boolean;
  /** What it is told before it starts. */
  prepare(turn: AcpTurn): AcpPreparation;
}

/** What one turn asks of its program. */
export interface AcpTurn extends Pick<PresetTurn, 'dir' | 'spool' | 'gitDirs' | 'env' | 'readText'> {
  agent: RunInput['agent'];
  mcp: TurnMcpServer | null;
}

export interface AcpPreparation extends Partial<PresetStart> {
  /** It has the turn's MCP server by what is said here: its session is to have none. */
  hasMcp?: true;
  /** Said when a session is opened or taken up, beside its folder and its servers. Paths are absolute. */
  session?: { additionalDirectories?: string[]; _meta?: Record<string, unknown> };
  /** Id of the mode that it is put into once its session is open. */
  mode?: string;
}

interface Known extends Omit<AcpProgram, 'argv'>, Pick<Preset, 'proved' | 'account'> {
  args(agent: RunInput['agent']): string[];
}

const NO_BYPASS = {
  claudeCode: { options: { allowDangerouslySkipPermissions: false, settingSources: ['user'] } },
};

/** The program of a preset: its own where that speaks the protocol, else another one. */
function knownAs(preset: PresetName, how: Partial<Known>): Known {
  const { program, proved, install, signIn, account } = PRESETS[preset];
  const plain = { namesModel: false, args: () => [], prepare: () => ({}) };
  return { program, proved, install, signIn, account, ...plain, ...how };
}

export const ACP_PROGRAMS: Readonly<Record<PresetName, Known>> = {
  claude: knownAs('claude', {
    program: 'claude-agent-acp',
    proved: '0.101.0',
    install: 'install it: npm install -g @agentclientprotocol/claude-agent-acp',
    // By itself a model of its own decides what it may do, and the person's settings may have it ask nobody.
    prepare: ({ agent, env }) =>
      agent.permissions === 'all'
        ? // As root it refuses to let everything pass, unless it is told that nothing else is at stake.
          { mode: 'bypassPermissions', env: { ...claudeEnv(env), IS_SANDBOX: '1' } }
        : { mode: 'default', env: claudeEnv(env), session: { _meta: NO_BYPASS } },
  }),
  codex: knownAs('codex', {
    program: 'codex-acp',
    proved: '2.6.0',
    install: 'install it: npm install -g @agentclientprotocol/codex-acp',
    prepare: prepareCodex,
  }),
  gemini: knownAs('gemini', {
    args: (agent) => ['--acp', '--skip-trust', ...option('--model', agent.model)],
    // Its tools come by the session. Files outside its folders it can't read, whoever allows it.
    prepare: (turn) => ({
      ...geminiHome({ ...turn, mcp: null }),
      args: turn.agent.permissions === 'edit' ? [] : ['--include-directories', turn.dir],
    }),
    namesModel: true,
  }),
  opencode: knownAs('opencode', {
    args: () => ['acp'],
    prepare: ({ agent: { permissions }, dir, env }) =>
      opencodeConfig(
        { permissions, dir, env },
        askingConfig(permissions === 'all', env.OPENCODE_CONFIG_CONTENT),
      ),
  }),
  copilot: knownAs('copilot', {
    args: (agent) => ['--acp', ...option('--model', agent.model)],
    // Over the protocol it takes no server that is a program.
    prepare: ({ agent, mcp, env, dir }) => ({
      args: [...copilotAlone(agent), ...copilotMcp(mcp), ...refusedByCopilot(agent)],
      env: copilotEnv({ env, dir }),
      hasMcp: true,
    }),
    namesModel: true,
  }),
};

/** It ends its turn over a call that it is refused, but not over one that a rule of its own forbids. */
function refusedByCopilot({ permissions, approve }: RunInput['agent']): string[] {
  const isDenied = (kind: 'execute' | 'fetch') =>
    (approve[kind] ?? (permissions === 'edit' ? 'deny' : 'allow')) === 'deny';
  return [
    ...(isDenied('execute') ? ['--deny-tool=shell'] : []),
    ...(isDenied('fetch') ? ['--deny-tool=url'] : []),
  ];
}

/**
 * It sets up its sandbox and whom it asks by one mode, which by itself has another model decide. A server that a session
 * brings has its calls asked about as if they were commands; one of the configuration can be trusted.
 */
function prepareCodex({ agent, env, mcp, spool, gitDirs }: AcpTurn): AcpPreparation {
  const own = parseFields(env.CODEX_CONFIG?.trim()) ?? {};
  const server = mcp && codexServer(mcp);
  const config = {
    // A login shell sets the PATH anew, and `taskroom` is gone from it.
    allow_login_shell: false,
    ...own,
    // What lies in its folder an agent may have written itself.
    ...(agent.permissions !== 'all' && {
      project_doc_max_bytes: 0,
      skills: { ...fieldsOf(own.skills), include_instructions: false },
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
  const config = parseFields(inherited?.trim()) ?? {};
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
  if (preset !== null) {
    const known = ACP_PROGRAMS[preset];
    return { ...known, argv: [known.program, ...known.args(agent), ...args] };
  }
  const argv = command ?? [];
  const how = { install: 'install it or change "command"', signIn: 'sign in to it in a terminal first' };
  return { ...how, program: shownName(argv, id), argv, namesModel: false, prepare: () => ({}) };
}

/** What is known of an agent's program before any turn; null where it is not known. */
export function talkerOf({ preset }: Pick<RunInput['agent'], 'preset'>): KnownProgram | null {
  return preset && ACP_PROGRAMS[preset];
}

/** A line for the shell names no program that a person would know it by. */
function shownName([program = '', option]: readonly string[], agent: string): string {
  return option === '-c' ? agent : (program.split('/').at(-1) ?? program);
}
