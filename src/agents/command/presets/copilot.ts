// GitHub Copilot CLI (docs.github.com: Copilot CLI command reference), proved with 1.0.102.
import type { TroubleKind } from '../../../core/rules/turn.ts';
import * as events from '../reading/events.ts';
import { type Fields, fieldsOf, textOf, wordsOf } from '../reading/fields.ts';
import type { WordClock } from '../reading/trouble.ts';
import { type Preset, type PresetTurn, protectedFiles, telemetryFile } from './preset.ts';

export const copilot: Preset = {
  program: 'copilot',
  proved: '1.0.102',
  install: 'install it: npm install -g @github/copilot',
  signIn: 'sign in with `copilot login`, or set COPILOT_GITHUB_TOKEN or COPILOT_PROVIDER_BASE_URL',
  account: {
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_BASE_URL'],
    files: [
      { path: '.copilot/config.json', holds: /"?(logged_in_users|last_logged_in_user|loggedInUsers)"?/ },
      { path: '.config/gh/hosts.yml', holds: /oauth_token|user:/ },
    ],
  },
  start(turn) {
    const { model, session, args } = turn;
    return {
      args: [
        ...['--output-format=json', '--no-color', '--no-ask-user'],
        ...copilotAlone(turn),
        ...copilotMcp(turn.mcp),
        ...permissionArgs(turn),
        ...(model === null ? [] : [`--model=${model}`]),
        ...(session === null ? [] : [`--resume=${session}`]),
        ...args,
      ],
      env: copilotEnv(turn),
      files: [],
    };
  },
  reader: () =>
    events.readByType({
      'assistant.message': ({ data }) => {
        const text = textOf(fieldsOf(data).content);
        return text === '' ? [] : [{ type: 'text', text }];
      },
      'assistant.message_delta': () => [{ type: 'alive' }],
      'tool.execution_start': ({ data }) => events.tool(fieldsOf(data).toolName, fieldsOf(data).arguments),
      'tool.execution_complete': ({ data }) => {
        const { success, error, result } = fieldsOf(data);
        const text = wordsOf(success === false ? fieldsOf(error).message : fieldsOf(result).content);
        return [{ type: 'result', text, failed: success === false }];
      },
      'session.mcp_server_status_changed': ({ data }) => events.tools([fieldsOf(data)]),
      'session.error': ({ data }, clock) => sessionTrouble(fieldsOf(data), clock),
      result: ({ exitCode, sessionId, data }) => [
        ...events.session(sessionId ?? fieldsOf(data).sessionId),
        { type: 'end', failed: exitCode !== undefined && exitCode !== 0 },
      ],
    }),
};

/** Set where the person set nothing of the kind. */
export function copilotEnv({ env, dir }: PresetTurn): Record<string, string> {
  const hasTelemetry = Object.keys(env).some((name) => /^(COPILOT_)?OTEL_/.test(name));
  return {
    // After an update by itself, copilot would not be the version that was proved.
    ...(env.COPILOT_AUTO_UPDATE === undefined && { COPILOT_AUTO_UPDATE: 'false' }),
    ...(!hasTelemetry && { COPILOT_OTEL_FILE_EXPORTER_PATH: telemetryFile(dir) }),
  };
}

/** The agent may have written the rules in its folder itself; it can't write the files that copilot reads anyway. */
export const copilotAlone = ({ permissions }: PresetTurn): string[] =>
  permissions === 'all' ? [] : ['--no-custom-instructions', ...REFUSED];

// A rule that does not begin with a slash matches the last names of a path.
const REFUSED = protectedFiles('copilot').flatMap((name) =>
  [name, `${name}/**`].map((path) => `--deny-tool=write(${path})`),
);

export function copilotMcp(mcp: PresetTurn['mcp']): string[] {
  if (mcp === null) return [];
  const server = { type: 'local', command: mcp.command, args: mcp.args, tools: ['*'] };
  const config = JSON.stringify({ mcpServers: { [events.MCP_SERVER]: server } });
  return [`--additional-mcp-config=${config}`, `--allow-tool=${events.MCP_SERVER}`];
}

// copilot may write wherever it may read, so that the room itself is not among its folders.
function permissionArgs({ permissions, dir }: PresetTurn): string[] {
  if (permissions === 'all') return ['--allow-all'];
  return ['--allow-tool=write', ...(permissions === 'run' ? ['--allow-tool=shell', `--add-dir=${dir}`] : [])];
}

const KINDS = new Map<unknown, TroubleKind>([
  ['authentication', 'credentials'],
  ['authorization', 'credentials'],
  ['rate_limit', 'limit'],
  ['quota', 'limit'],
  ['context_limit', 'context'],
]);

const sessionTrouble = ({ message, errorType, statusCode: status }: Fields, clock: WordClock) =>
  events.trouble(message, clock, { status, kind: KINDS.get(errorType) });
