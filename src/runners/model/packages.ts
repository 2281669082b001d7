// The packages that a model's runner is made of: peers that a person installs beside taskroom, loaded when a turn needs
// them. What is missing is told before a turn begins.
import { findPackageJSON } from 'node:module';
import type { ModelApi } from '../../core/config/agent-config.ts';

const PROVIDERS: Readonly<Record<ModelApi, string>> = {
  anthropic: '@ai-sdk/anthropic',
  openai: '@ai-sdk/openai',
  'openai-compatible': '@ai-sdk/openai-compatible',
};

/** The packages that are not there for models behind this API. */
export function missingPackages(api: ModelApi): string[] {
  return ['ai', PROVIDERS[api]].filter((name) => !isInstalled(name));
}

function isInstalled(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

/** How to mend that. */
export function installHint(missing: readonly string[]): string {
  return `install it beside taskroom: npm install ${missing.join(' ')} (with -g where taskroom is installed so)`;
}
