// The coding agents' programs at the versions their presets are proved with, in a cache folder of the person's: never
// dependencies of ours. What can't be installed is left out, and said.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PresetName } from '../../src/core/config/agent-config.ts';
import { PRESETS } from '../../src/runners/command/presets.ts';

const PACKAGES: Readonly<Record<PresetName, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  opencode: 'opencode-ai',
  copilot: '@github/copilot',
};
const MOCK = '@copilotkit/aimock';
const MOCK_VERSION = '1.43.0';
const INSTALL_MS = 10 * 60_000;

/** Where programs and the rooms of a run lie: outside any temporary folder, which agents treat as their own. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'taskroom-agents');

/** Folder of the program of this preset, installed where it is not there yet; throws where that fails. */
export function installProgram(name: PresetName): string {
  return join(install(PACKAGES[name], PRESETS[name].proved), 'node_modules/.bin');
}

/** The module of the mock that speaks the providers' wire formats. */
export function installMock(): string {
  return join(install(MOCK, MOCK_VERSION), 'node_modules', MOCK, 'dist/index.cjs');
}

function install(name: string, version: string): string {
  const prefix = join(CACHE, `${name.replace(/[@/]/g, '-').replace(/^-/, '')}-${version}`);
  const manifest = join(prefix, 'node_modules', name, 'package.json');
  if (existsSync(manifest)) return prefix;
  mkdirSync(prefix, { recursive: true });
  process.stdout.write(`installing ${name}@${version}\n`);
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error', '--fetch-retries=1'];
  execFileSync('npm', ['install', '--prefix', prefix, ...quiet, `${name}@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_MS,
  });
  return prefix;
}
