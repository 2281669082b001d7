// Configuration that some programs take from their folder whatever they are told. What it says runs outside every fence, so that
// an agent with less than all permissions must not write it.
import type { PresetName } from '../../../core/config/agent-config.ts';

/** Files and folders, as the last names of a path. */
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

export function takenBy(preset: PresetName | null): readonly string[] {
  return (preset === null ? undefined : TAKEN[preset]) ?? [];
}

/** What no editing tool may write: that, and what has git run programs. */
export function refusedTo(preset: PresetName | null): readonly string[] {
  return [...takenBy(preset), '.git'];
}

/** Whether a path is, or lies in, what no editing tool may write; a disk may know no difference of upper and lower case. */
export function isTaken(preset: PresetName | null, path: string): boolean {
  const names = `/${path.replaceAll('\\', '/').toLowerCase()}/`;
  return refusedTo(preset).some((name) => names.includes(`/${name.toLowerCase()}/`));
}
