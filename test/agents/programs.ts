// The coding agents' programs at the versions their presets are proved with, in a cache folder of the person's: never
// dependencies of ours. What can't be installed is left out, and said.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ACP_PROGRAMS } from '../../src/agents/acp/programs.ts';
import { PRESETS } from '../../src/agents/command/presets.ts';
import type { PresetName } from '../../src/core/config/agent-config.ts';
import type { Subject } from './subjects.ts';

const PACKAGES: Readonly<Record<PresetName, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  opencode: 'opencode-ai',
  copilot: '@github/copilot',
};
/** Programs that stand between the protocol and an agent that does not speak it, and how each is told of that agent. */
const ADAPTERS: Partial<Record<PresetName, { name: string; points: string }>> = {
  claude: { name: '@agentclientprotocol/claude-agent-acp', points: 'CLAUDE_CODE_EXECUTABLE' },
  codex: { name: '@agentclientprotocol/codex-acp', points: 'CODEX_PATH' },
};
const MOCK = '@copilotkit/aimock';
const MOCK_VERSION = '1.43.0';
const INSPECTOR = '@modelcontextprotocol/inspector';
const INSPECTOR_VERSION = '2.12.0';
const INSTALL_MS = 10 * 60_000;

/** Where programs and the rooms of a run lie: outside any temporary folder, which agents treat as their own. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'taskroom-agents');

export interface Installed {
  /** Folders of programs, first on the PATH. */
  bins: string[];
  /** Variables that name the programs to each other. */
  env: Record<string, string>;
}

/** The programs of this agent, installed where they are not there yet; throws where that fails. */
export function installPrograms({ preset, runner }: Subject): Installed {
  const bin = binOf(install(PACKAGES[preset], PRESETS[preset].proved));
  const adapter = runner === 'acp' ? ADAPTERS[preset] : undefined;
  if (adapter === undefined) return { bins: [bin], env: {} };
  // Of the agent it brings one of its own, which is another version and half a gigabyte.
  const prefix = install(adapter.name, ACP_PROGRAMS[preset].proved, '--omit=optional');
  return { bins: [binOf(prefix), bin], env: { [adapter.points]: join(bin, PRESETS[preset].program) } };
}

const binOf = (prefix: string) => join(prefix, 'node_modules/.bin');

/** The module of the mock that speaks the providers' wire formats. */
export function installMock(): string {
  return join(install(MOCK, MOCK_VERSION), 'node_modules', MOCK, 'dist/index.cjs');
}

/** The script of the MCP Inspector. */
export function installInspector(): string {
  return join(binOf(install(INSPECTOR, INSPECTOR_VERSION)), 'mcp-inspector');
}

function install(name: string, version: string, ...more: string[]): string {
  const prefix = join(CACHE, `${name.replace(/[@/]/g, '-').replace(/^-/, '')}-${version}`);
  const manifest = join(prefix, 'node_modules', name, 'package.json');
  if (existsSync(manifest)) return prefix;
  mkdirSync(prefix, { recursive: true });
  process.stdout.write(`installing ${name}@${version}\n`);
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error', '--fetch-retries=1'];
  execFileSync('npm', ['install', '--prefix', prefix, ...quiet, ...more, `${name}@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_MS,
  });
  return prefix;
}
