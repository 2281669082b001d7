// The programs that are known to speak the protocol: how each is started, and how it is configured so that it asks for
// permission where it would not by default.
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
import type { RunInput } from '../runner.ts';

export interface AcpProgram extends Pick<Preset, 'program' | 'install' | 'signIn'> {
  argv: string[];
  namesModel: boolean; // Whether `model` is said by its arguments and not in the protocol.
  prepare(turn: PresetTurn): AcpPreparation; // What it is told before it starts.
}

export interface AcpPreparation extends Partial<PresetStart> {
  /** The program gets the turn's MCP server by its configuration: its session must not name it again. */
  hasMcp?: true;
  /** Added to the request that opens or resumes a session. Paths are absolute. */
  session?: { additionalDirectories?: string[]; _meta?: Record<string, unknown> };
  mode?: string; // Id of the mode that is set once the session is open.
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
    // By default a second model decides what claude may do, and the person's settings may turn questions off.
    prepare: ({ permissions, env }) =>
      permissions === 'all'
        ? // As root, claude refuses to skip its permission checks unless this variable is set.
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
    // The session names the MCP server. gemini can't read files outside its folders, whoever allows it.
    prepare: (turn) => ({
      ...geminiHome({ ...turn, mcp: null }),
      args: turn.permissions === 'edit' ? [] : ['--include-directories', turn.dir],
    }),
    namesModel: true,
  }),
  opencode: knownAs('opencode', {
    args: () => ['acp'],
    prepare: (turn) => opencodeConfig(turn, askingConfig(turn)),
  }),
  copilot: knownAs('copilot', {
    args: (agent) => ['--acp', ...option('--model', agent.model)],
    // Over the protocol copilot accepts no MCP server that is a program.
    prepare: (turn) => ({
      args: [...copilotAlone(turn), ...copilotMcp(turn.mcp), ...refusedByCopilot(turn)],
      env: copilotEnv(turn),
      hasMcp: true,
    }),
    namesModel: true,
  }),
};

/** copilot ends its turn when a call is refused, but not when one of its own rules forbids the call. */
function refusedByCopilot({ permissions, approve }: PresetTurn): string[] {
  const isDenied = (kind: 'execute' | 'fetch') =>
    (approve[kind] ?? (permissions === 'edit' ? 'deny' : 'allow')) === 'deny';
  return [
    ...(isDenied('execute') ? ['--deny-tool=shell'] : []),
    ...(isDenied('fetch') ? ['--deny-tool=url'] : []),
  ];
}

/** One mode of codex sets both its sandbox and who approves calls; by default a second model approves. Calls of a session's MCP
 * server need approval like commands; those of a configured server can be approved beforehand. */
function prepareCodex(turn: PresetTurn): AcpPreparation {
  const { permissions, env, mcp, spool, gitDirs } = turn;
  const own = parseFields(env.CODEX_CONFIG?.trim()) ?? {};
  const server = mcp && codexServer(mcp);
  const config = {
    // A login shell resets the PATH, so that `taskroom` would not be found.
    allow_login_shell: false,
    ...own,
    // The agent may have written the configuration in its folder itself.
    ...(permissions !== 'all' && {
      project_doc_max_bytes: 0,
      skills: { ...fieldsOf(own.skills), include_instructions: false },
    }),
    ...(server && { mcp_servers: { ...fieldsOf(own.mcp_servers), [MCP_SERVER]: server } }),
  };
  const mode = codexMode(turn);
  return {
    env: { CODEX_CONFIG: JSON.stringify(config), INITIAL_AGENT_MODE: env.INITIAL_AGENT_MODE || mode },
    hasMcp: true,
    // codex makes `.git` read-only unless the folder is named.
    session: { additionalDirectories: [spool, ...(permissions === 'run' ? gitDirs : [])] },
  };
}

/** By default opencode asks for nothing, and ends its turn when a call is refused. */
function askingConfig({ permissions, env }: PresetTurn): Fields {
  const config = parseFields(env.OPENCODE_CONFIG_CONTENT?.trim()) ?? {};
  const asked = ['edit', 'bash', 'webfetch', 'external_directory'];
  const permission = Object.fromEntries(asked.map((name) => [name, permissions === 'all' ? 'allow' : 'ask']));
  const experimental = { ...fieldsOf(config.experimental), continue_loop_on_deny: true };
  return { ...config, permission: { ...permission, doom_loop: 'deny' }, experimental };
}

/** codex runs whatever its sandbox allows without asking: where commands need approval, the sandbox must be read-only. */
function codexMode({ permissions, approve }: PresetTurn): string {
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
export function acpProgramOf({ preset }: Pick<RunInput['agent'], 'preset'>): KnownProgram | null {
  return preset && ACP_PROGRAMS[preset];
}

/** For `sh -c …` the name of the agent: the program is only the shell. */
function shownName([program = '', option]: readonly string[], agent: string): string {
  return option === '-c' ? agent : (program.split('/').at(-1) ?? program);
}
