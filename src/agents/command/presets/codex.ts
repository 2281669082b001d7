// Codex CLI (`codex exec`), proved with 0.169.0.
import type { AgentEvent } from '../../../core/rules/turn.ts';
import * as events from '../reading/events.ts';
import { countOf, type Fields, fieldsOf, listOf, textOf, wordsOf } from '../reading/fields.ts';
import { option, type Preset, type PresetTurn } from './preset.ts';

export const codex: Preset = {
  program: 'codex',
  proved: '0.169.0',
  install: 'install it: npm install -g @openai/codex',
  signIn: 'sign in with `codex login`',
  account: {
    variables: ['CODEX_API_KEY'],
    files: [
      { path: '.codex/auth.json', holds: /\S/ },
      { path: '.codex/config.toml', holds: /^\s*model_provider\s*=/m },
    ],
  },
  shell({ permissions, spool }) {
    if (permissions === 'all') return [];
    const roots = `sandbox_workspace_write.writable_roots=[${JSON.stringify(spool)}]`;
    return ['sandbox', '-c', 'sandbox_mode="workspace-write"', '-c', roots, '--'];
  },
  start(turn) {
    const { model, session, args } = turn;
    return {
      // Options stand before `resume`, which does not know them all; `-` reads the prompt from stdin.
      args: [
        'exec',
        ...['--json', '--skip-git-repo-check'],
        ...permissionArgs(turn),
        ...mcpArgs(turn),
        // A login shell resets the PATH, so that `taskroom` would not be found.
        ...settings('allow_login_shell=false'),
        ...projectArgs(turn),
        ...option('--model', model),
        ...args,
        ...(session === null ? [] : ['resume', session]),
        '-',
      ],
      env: {},
      files: [],
    };
  },
  reader: () =>
    events.readByType({
      'thread.started': ({ thread_id }) => events.session(thread_id),
      'item.started': ({ item }) => toolCall(fieldsOf(item)),
      'item.completed': ({ item }) => itemEvents(fieldsOf(item)),
      error: ({ message }, clock) => events.trouble(message, clock),
      'turn.failed': ({ error }, clock) => [
        ...events.trouble(fieldsOf(error).message, clock),
        { type: 'end', failed: true },
      ],
      'turn.completed': ({ usage }) => {
        // Input counts what came from the cache too.
        const { input_tokens, output_tokens } = fieldsOf(usage);
        return [
          ...events.usage(countOf(input_tokens), countOf(output_tokens)),
          { type: 'end', failed: false },
        ];
      },
    }),
};

const settings = (...keys: string[]) => keys.flatMap((key) => ['-c', key]);

/** The agent may have written the configuration in its folder itself: servers, hooks, rules, skills. */
function projectArgs({ permissions, cwd }: PresetTurn): string[] {
  if (permissions === 'all') return [];
  // codex splits a key at dots, and the path may hold some.
  const trust = `projects={${JSON.stringify(cwd)}={trust_level="untrusted"}}`;
  return settings('project_doc_max_bytes=0', 'skills.include_instructions=false', trust);
}

// The sandbox of codex runs any program, which may write in the working folder, added folders and temporary folders only.
function permissionArgs(turn: PresetTurn): string[] {
  const { permissions, spool, gitDirs } = turn;
  if (permissions === 'all') return ['--dangerously-bypass-approvals-and-sandbox'];
  if (turn.wayToRoom.length > 0) return besideRoom(turn);
  // codex makes `.git` read-only unless the folder is named.
  const added = [spool, ...(permissions === 'edit' ? [] : gitDirs)].flatMap((dir) => ['--add-dir', dir]);
  const network = permissions === 'edit' ? [] : settings('sandbox_workspace_write.network_access=true');
  return ['--sandbox', 'workspace-write', ...added, ...network];
}

// The same as a permission profile: only a profile can exclude a folder inside a writable one. The folders around the room are
// named too, because renaming one of them would move the room out of its rule.
function besideRoom({ wayToRoom, spool, readText }: PresetTurn): string[] {
  const room = wayToRoom.at(-1)!;
  const token = `${room}/.taskroom/token`;
  const paths = {
    ...{ ':root': 'read', ':tmpdir': 'write', ':slash_tmp': 'write' },
    ...Object.fromEntries(wayToRoom.map((folder) => [folder, 'write'])),
    [room]: 'read',
    // codex can't deny a path that does not exist.
    ...(readText(token) !== null && { [token]: 'deny' }),
    [spool]: 'write',
  };
  const files = Object.entries(paths).map(([path, how]) => `${JSON.stringify(path)}="${how}"`);
  const own = '":workspace_roots"={"."="write",".git"="read",".codex"="read",".agents"="read"}';
  const access = `permissions.taskroom.filesystem={${[...files, own].join(',')}}`;
  return settings('default_permissions="taskroom"', access);
}

/** The turn's MCP server: its calls need no approval, and no turn begins before it has started. */
export function codexServer({ command, args }: NonNullable<PresetTurn['mcp']>) {
  const start = { required: true, startup_timeout_sec: 60 };
  return { command, args, default_tools_approval_mode: 'approve', ...start };
}

// MCP servers start outside the sandbox of codex.
function mcpArgs({ mcp }: PresetTurn): string[] {
  const keys = Object.entries(mcp === null ? {} : codexServer(mcp));
  const name = `mcp_servers.${events.MCP_SERVER}`;
  return settings(...keys.map(([key, value]) => `${name}.${key}=${JSON.stringify(value)}`));
}

function toolCall(item: Fields): AgentEvent[] {
  if (item.type === 'command_execution') return events.tool('shell', item);
  if (item.type !== 'mcp_tool_call') return [];
  return events.tool(`${textOf(item.server)}.${textOf(item.tool)}`, item.arguments);
}

function itemEvents(item: Fields): AgentEvent[] {
  const failed = item.status === 'failed';
  switch (item.type) {
    case 'agent_message':
      return [{ type: 'text', text: textOf(item.text) }];
    case 'command_execution':
      return [{ type: 'result', text: textOf(item.aggregated_output), failed }];
    case 'mcp_tool_call': {
      const text = failed ? wordsOf(fieldsOf(item.error).message) : wordsOf(fieldsOf(item.result).content);
      return [{ type: 'result', text, failed }];
    }
    case 'file_change': {
      const changes = listOf(item.changes).map(({ kind, path }) => `${textOf(kind)} ${textOf(path)}`);
      return [
        { type: 'tool', name: 'patch', input: changes.join(', ') },
        ...(failed ? [{ type: 'result' as const, text: 'the patch did not apply', failed }] : []),
      ];
    }
    // An item of this type is a warning: the turn goes on.
    case 'error':
      return [{ type: 'line', text: textOf(item.message) }];
    default:
      return [{ type: 'alive' }];
  }
}
