// A preset: how a coding agent's program is started for one turn without a person, and how its output is read. It works as it
// stands, without anything in agent.json.
import type { AgentConfig, PresetName } from '../../../core/config/agent-config.ts';
import type { EventReader } from '../reading/events.ts';

/** What a preset is told of a turn. All paths are absolute. */
export interface PresetTurn extends Pick<AgentConfig, 'model' | 'permissions' | 'approve' | 'args'> {
  session: string | null; // Session id of an earlier turn to go on with.
  cwd: string;
  /** The turn's folder. Programs may write wherever they may read, so that only agents that may run programs get access to it. */
  dir: string;
  /** Where the turn's `taskroom` puts requests: the only folder of the turn that a sandbox has to make writable. */
  spool: string;
  room: string;
  /** The folders from `cwd` (without it) down to the room; empty where the room lies elsewhere. The program must not write the last one. */
  wayToRoom: readonly string[];
  gitDirs: readonly string[]; // Folders of git that a commit in `cwd` writes to; empty outside a repository.
  /** How the turn's MCP server is started; null for an agent that reports by commands. */
  mcp: { command: string; args: readonly string[] } | null;
  env: Readonly<Record<string, string | undefined>>; // What the program will find in its environment.
  readText(path: string): string | null; // The text of a file on this machine; null where it can't be read.
}

export interface PresetStart {
  args: string[];
  env: Record<string, string>; // Variables beside those it inherits.
  files: { path: string; text: string }[]; // Files made before the program starts: absolute path and text.
  links?: FolderOfLinks[];
}

/** A folder `at`, made before the program starts, of links to what `from` holds. All paths are absolute. */
export interface FolderOfLinks {
  from: string;
  at: string;
  takes(name: string): boolean;
  keep: readonly string[]; // Folders that `from` is to have: what the program puts there stays.
}

export interface Preset {
  program: string;
  proved: string; // The version that was proved.
  install: string; // How to mend a missing program, one clause.
  signIn: string; // How to sign in, one clause.
  /** Signs of an account: variables, and files by their path in the person's home with what one of an account holds. */
  account: { variables: readonly string[]; files: readonly { path: string; holds: RegExp }[] };
  start(turn: PresetTurn): PresetStart;
  /** Arguments that let the program run a command as its agent's shell would; absent where that is a plain shell. */
  shell?(turn: Pick<PresetTurn, 'permissions' | 'spool'>): string[];
  reader(): EventReader;
}

/** Where a program puts its telemetry: some tell how an answer of their model ended there alone, in OpenTelemetry's words for models.
 * @param dir the turn's folder */
export const telemetryFile = (dir: string): string => `${dir}/telemetry.json`;
export const option = (name: string, value: string | null): string[] => (value === null ? [] : [name, value]);

/** Configuration that some programs always read from their folder: files and folders, as the last names of a path. It can start
 * programs outside every sandbox, so that an agent with less than all permissions must not write it. */
const TAKEN: Partial<Record<PresetName, readonly string[]>> = {
  // Over the Agent Client Protocol alone; its sandbox keeps it from writing there.
  codex: ['.codex'],
  gemini: ['.gemini', '.agents', '.env', 'GEMINI.md'],
  opencode: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  copilot: [
    ...['hooks', 'copilot', 'skills', 'agents', 'extensions', 'mcp.json', 'lsp.json'].map(
      (name) => `.github/${name}`,
    ),
    ...['.claude', '.agents', '.copilot', '.mcp.json', '.vscode/mcp.json'],
    ...['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.github/copilot-instructions.md', '.github/instructions'],
  ],
};

/** What no editing tool may write: taken configuration, and `.git`, which has git run programs. */
export function protectedFiles(preset: PresetName | null): readonly string[] {
  return [...((preset && TAKEN[preset]) ?? []), '.git'];
}

/** Whether a path is, or lies in, what no editing tool may write; a disk may ignore case. */
export function isProtected(preset: PresetName | null, path: string): boolean {
  const names = `/${path.replaceAll('\\', '/').toLowerCase()}/`;
  return protectedFiles(preset).some((name) => names.includes(`/${name.toLowerCase()}/`));
}
